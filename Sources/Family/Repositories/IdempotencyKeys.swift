package import Postgres

/// The state of an idempotency key.
package struct KeyClaim: RowDecodable, Sendable {
    /// What is to be done with a request under the key.
    package enum Outcome: String, PostgresWord, Sendable {
        /// `claimed`: it is to be processed. `replay`: the stored answer is to be sent. `running`:
        /// the same request is being processed.
        case claimed, replay, running
        /// The key was used for a request with another digest.
        case otherRequest = "other_request"
        /// Its answer is kept in a format that only later programs know.
        case newer
    }

    package let outcome: Outcome
    /// Both present for a replay.
    package let status: Int?
    /// The stored answer, as `keep` was given it.
    package let answer: String?

    package static let row = RowDecoder(Self.init)
}

/// Responses stored for repeated requests, per account, subject and route. Both statements belong
/// to the transaction of the request's effect, and do nothing without a caller.
package enum IdempotencyKeys {
    /// Begins it: route, key, SHA-256 of the request, the latest format that the program reads.
    /// Unless the key is claimed, later statements run without a caller.
    package static let claim = Statement<KeyClaim, String, String, PostgresBytes, Int16>(
        """
        SELECT outcome, status, answer FROM app.claim_idempotency_key($1, $2, $3, $4)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Ends it: route, key, SHA-256 of the request, status, format, answer.
    package static let keep = Statement<
        NoRow, String, String, PostgresBytes, Int16, Int16, String
    >(
        """
        SELECT FROM app.store_idempotent_response($1, $2, $3, $4, $5, $6)
        WHERE app.user_id() IS NOT NULL
        """)
}
