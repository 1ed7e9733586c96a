package import Postgres

/// The state of an idempotency key.
package struct KeyClaim: RowDecodable, Sendable {
    /// The treatment of a request under the key.
    package enum Outcome: String, PostgresWord, Sendable {
        /// `claimed`: process it. `replay`: send the stored response. `running`: the same request
        /// is being processed.
        case claimed, replay, running
        /// The key was used for a request with another digest.
        case otherRequest = "other_request"
        /// The response is stored in a format that only later programs can read.
        case newer
    }

    package let outcome: Outcome
    /// Status of the stored response; nil unless the outcome is `replay`, like ``response``.
    package let status: Int?
    /// The stored response, as it was passed to `storeResponse`.
    package let response: String?

    package static let row = RowDecoder(Self.init)
}

/// Responses stored for repeated requests, by account, subject and route. Both statements belong to
/// the transaction of the request's effect, and do nothing without a caller.
package enum IdempotencyKeys {
    /// Claims a key. Parameters: route, key, SHA-256 of the request, the latest format that the
    /// program can read. Unless the key is claimed, later statements run without a caller.
    package static let claim = Statement<KeyClaim, String, String, PostgresBytes, Int16>(
        """
        SELECT outcome, status, answer FROM app.claim_idempotency_key($1, $2, $3, $4)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Stores the response of a claimed key. Parameters: route, key, SHA-256 of the request,
    /// status, format, response.
    package static let storeResponse = Statement<
        NoRow, String, String, PostgresBytes, Int16, Int16, String
    >(
        """
        SELECT FROM app.store_idempotent_response($1, $2, $3, $4, $5, $6)
        WHERE app.user_id() IS NOT NULL
        """)
}
