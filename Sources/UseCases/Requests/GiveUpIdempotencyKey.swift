import Repositories

/// Forgets a claimed idempotency key whose answer is not to be replayed: the next request may try.
package struct GiveUpIdempotencyKey: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    package func callAsFunction(
        by caller: Caller, _ request: IdempotentRequest, _ claim: ClaimIdempotencyKey.Claim
    ) throws {
        try database.request(by: caller, writes: true) { batch in
            batch.add(IdempotencyKeys.giveUp, request.route, request.key, claim.id)
            return { _, _ in }
        }
    }
}
