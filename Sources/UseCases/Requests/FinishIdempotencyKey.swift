import Repositories

/// Keeps the answer of a request under its idempotency key, for its replay.
package struct FinishIdempotencyKey: Sendable {
    /// Bytes that a kept answer may have.
    package static let maximumAnswerBytes = 131_072

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - status: 200 to 499: what is our fault is not replayed.
    ///   - answer: What to tell again; nothing secret.
    /// - Returns: False when the claim had lapsed and is another request's by now.
    @discardableResult
    package func callAsFunction(
        by caller: Caller, _ request: IdempotentRequest, _ claim: ClaimIdempotencyKey.Claim,
        status: Int, answer: String
    ) throws -> Bool {
        precondition((200...499).contains(status), "an answer that is not to be replayed")
        return try database.request(by: caller, writes: true) { batch in
            let kept = batch.add(
                IdempotencyKeys.finish, request.route, request.key, claim.id, Int16(status), answer)
            return { answers, _ in try answers.row(kept).value }
        }
    }
}
