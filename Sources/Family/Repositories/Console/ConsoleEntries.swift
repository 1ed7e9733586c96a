package import Domain
package import Postgres

/// Statements with which operators sign in to the console through a trusted proxy or with a mailed
/// code.
package enum ConsoleEntries {
    /// Signs in the operator whom a proxy names. Parameters: address, the proxy's time of the
    /// sign-in in seconds since 1970, hash of the session's token, hours, browser. False if the
    /// address is no operator's.
    package static let enterByProxy = Statement<
        Scalar<Bool>, String, Int64?, PostgresBytes, Int32, String?
    >("SELECT app.console_enter_by_proxy($1, $2, $3, $4, $5)")
    /// Ends a session that a proxy opened, if the proxy now names somebody else; otherwise renews
    /// the session's proof. Parameters: hash of the session's token, address, the proxy's time of
    /// the sign-in.
    package static let followProxy = Statement<NoRow, PostgresBytes, String, Int64?>(
        "SELECT FROM app.console_follow_proxy($1, $2, $3)")
    /// Creates the e-mail token of a code. Parameters: its id, address, hashes of the browser's
    /// token and of the link, the client's network, payload of the e-mail's job. A row means that a
    /// limit is reached.
    package static let requestCode = Statement<
        LimitReached, EmailTokenID, String, PostgresBytes, PostgresBytes, String, PostgresJSON
    >(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.console_request_code($1, $2, $3, $4, $5, $6)
        """)
    /// Signs in after the right code. Parameters: e-mail token, hash of the session's token, hours,
    /// browser. False if the code was used or has expired, or the address is no operator's.
    package static let enterByCode = Statement<
        Scalar<Bool>, EmailTokenID, PostgresBytes, Int32, String?
    >("SELECT app.console_enter_by_code($1, $2, $3, $4)")
}
