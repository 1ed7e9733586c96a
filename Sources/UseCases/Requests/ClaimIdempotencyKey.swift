import Postgres
import Repositories

/// Claims an idempotency key before the request has its effect.
package struct ClaimIdempotencyKey: Sendable {
    /// The right to have the effect and tell the answer.
    package struct Claim: Sendable, Hashable {
        let id: UInt128
    }

    package enum Outcome: Sendable, Hashable {
        /// Go on; then ``FinishIdempotencyKey`` or ``GiveUpIdempotencyKey``. A claim that is
        /// neither lapses after 30 seconds.
        case claimed(Claim)
        /// It was done: this was answered. Whether the caller may still know is to be decided anew.
        case replay(status: Int, answer: String)
        /// The same request is being done at this moment.
        case running
        /// The key was used for another request.
        case otherRequest
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``UseCaseError``: `refused(.notSignedIn)` for an anonymous caller; `tooManyKeys`.
    package func callAsFunction(by caller: Caller, _ request: IdempotentRequest) throws -> Outcome {
        // Keys are kept per account, and there is none.
        if caller.isAnonymous { throw UseCaseError(.refused(.notSignedIn)) }
        let row = try database.request(by: caller, writes: true) { batch in
            let row = batch.add(
                IdempotencyKeys.claim, request.route, request.key,
                PostgresBytes(request.digest.bytes))
            return { answers, _ in try answers.row(row) }
        }
        switch row.outcome {
        case .running: return .running
        case .otherRequest: return .otherRequest
        case .claimed:
            guard let id = row.claim else { return .running }
            return .claimed(Claim(id: id))
        case .replay:
            guard let status = row.status, let answer = row.answer else { return .running }
            return .replay(status: status, answer: answer)
        }
    }
}
