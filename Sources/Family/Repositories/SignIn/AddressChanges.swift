package import Domain
package import Postgres

/// Statements about changes of an account's address.
package enum AddressChanges {
    /// Creates the e-mail token of a change, and enqueues its e-mail and the notice. Parameters:
    /// its id, new address, hashes of the token and of its link, time at which the caller signed
    /// in, the client's network, payloads of the two jobs, language. A row means that a limit is
    /// reached. Does nothing without a caller.
    package static let request = Statement<
        LimitReached, EmailTokenID, String, PostgresBytes, PostgresBytes, Int64?, String,
        PostgresJSON, PostgresJSON, String?
    >(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.request_address_change($1, $2, $3, $4, $5, $6, $7, $8, $9)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Changes the caller's address to that of an e-mail token. Parameters: e-mail token, session
    /// that continues. Does nothing without a caller.
    package static let complete = Statement<NoRow, EmailTokenID, SessionID?>(
        "SELECT FROM app.change_my_address($1, $2) WHERE app.user_id() IS NOT NULL")

    /// Creates the e-mail token of a change that an operator requests. Parameters: account, id of
    /// the token, new address, hash of its link, payloads of the two jobs.
    package static let requestByOperator = Statement<
        NoRow, UserID, EmailTokenID, String, PostgresBytes, PostgresJSON, PostgresJSON
    >("SELECT FROM app.operator_request_address_change($1, $2, $3, $4, $5, $6)")
}
