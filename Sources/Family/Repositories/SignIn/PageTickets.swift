package import Domain
package import Postgres

/// The account that a page ticket signs in.
package struct TicketAccount: RowDecodable, Sendable {
    package let user: UserID
    /// The person's name, or the address of a person without a name.
    package let name: String

    package static let row = RowDecoder(Self.init)
}

/// A session that a page ticket has opened.
package struct OpenedSession: RowDecodable, Sendable {
    package let session: StartedSession
    /// Method by which the person signed in to the app.
    package let method: SignInMethod
    /// The ticket's page and return address, encrypted.
    package let target: PostgresBytes

    package static let row = RowDecoder(Self.init)
}

/// Statements about page tickets.
package enum PageTickets {
    /// Stores a ticket of the caller's session. Parameters: hash of the ticket, its encrypted
    /// target. A row means that a limit was reached. Does nothing without a caller.
    package static let create = Statement<LimitReached, PostgresBytes, PostgresBytes>(
        """
        SELECT limited_by, retry_after_seconds FROM app.create_page_ticket($1, $2)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Returns the account of a ticket that can be used, by the ticket's hash.
    package static let account = Statement<TicketAccount, PostgresBytes>(
        "SELECT user_id, name FROM app.account_of_page_ticket($1)")

    /// Uses a ticket. Parameters: hash of the ticket, new session's id, device, hash of its refresh
    /// token, the browser's current session.
    package static let use = Statement<
        OpenedSession, PostgresBytes, SessionID, String?, PostgresBytes, SessionID?
    >(
        """
        SELECT user_id, started_at, lasts_seconds, method, target
        FROM app.use_page_ticket($1, $2, $3, $4, $5)
        """)
}
