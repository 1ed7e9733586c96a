package import Postgres

/// What is known of an idempotency key.
package struct KeyClaim: RowDecodable, Sendable {
    package enum Outcome: String, PostgresWord, Sendable {
        case claimed, replay, running
        case otherRequest = "other_request"

        package static var specimen: Outcome { .claimed }
    }

    package let outcome: Outcome
    /// Present when claimed.
    package let claim: UInt128?
    /// Both present for a replay.
    package let status: Int?
    package let answer: String?

    package init(row: inout RowReader) throws(PostgresError) {
        outcome = try row.read()
        claim = try row.read()
        status = try row.read()
        answer = try row.read()
    }
}

/// Answers kept for requests that are repeated, per account, subject and route.
package enum IdempotencyKeys {
    /// Claims a key: route, key, SHA-256 of the request. No row to nobody.
    package static let claim = Statement<KeyClaim, String, String, PostgresBytes>(
        """
        SELECT outcome, claim, status, answer FROM app.claim_idempotency_key($1, $2, $3)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Keeps the answer of a claimed key: route, key, claim, status, answer. False when the claim
    /// had lapsed and is another's by now.
    package static let finish = Statement<
        Scalar<Bool>, String, String, UInt128, Int16, String
    >("SELECT kept FROM app.finish_idempotency_key($1, $2, $3, $4, $5) AS kept")

    /// Forgets a claimed key: route, key, claim.
    package static let giveUp = Statement<NoRow, String, String, UInt128>(
        "SELECT FROM app.give_up_idempotency_key($1, $2, $3)")
}
