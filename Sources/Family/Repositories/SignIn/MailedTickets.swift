package import Domain
package import Postgres

/// A try of a mailed code that has been counted.
package struct CodeTry: RowDecodable, Sendable {
    package let ticket: TicketID
    /// Which key its code follows from shows by this.
    package let linkHash: PostgresBytes
    /// How many tries are left after this one.
    package let triesLeft: Int
    /// Not nil if too many codes of the account were guessed: then the try is not counted, and the
    /// code must not be looked at.
    package let limit: LimitReached?

    package static let row = RowDecoder(Self.init)
}

/// A session that has begun by a mailed code or link.
package struct MailedSignIn: RowDecodable, Sendable {
    package let session: BegunSession
    /// Whether the account was made by this.
    package let isNew: Bool

    package static let row = RowDecoder(Self.init)
}

/// The account that a mailed link signs in.
package struct LinkedAccount: RowDecodable, Sendable {
    package let email: String
    /// Nil where signing in makes the account.
    package let user: UserID?

    package static let row = RowDecoder(Self.init)
}

/// The statements about mailed codes and links.
package enum MailedTickets {
    /// Ticket, purpose, address, hashes of ticket and link, hash of a password, name, role, the
    /// client's network, payload of the e-mail's job, language, where the link leads on, sealed. A
    /// row means that a limit is reached.
    package static let open = Statement<
        LimitReached, TicketID, String, String, PostgresBytes?, PostgresBytes, String?, String?,
        MemberRole?, String, PostgresJSON, String?, PostgresBytes?
    >(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.open_mailed_ticket($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """)

    /// Counts a try, in a transaction of its own. No row means that there is none left.
    package static let tryCode = Statement<CodeTry, PostgresBytes>(
        """
        SELECT ticket, link_hash, tries_left, limited_by, retry_after_seconds
        FROM app.try_mailed_code($1)
        """)

    /// The account of a link that is not over, by the link's hash.
    package static let accountOfLink = Statement<LinkedAccount, PostgresBytes>(
        "SELECT email, user_id FROM app.account_of_link($1)")

    /// Ticket or hash of the link, new session's id, device, hash of its refresh token.
    package static let signIn = Statement<
        MailedSignIn, TicketID?, PostgresBytes?, SessionID, String?, PostgresBytes
    >(
        """
        SELECT user_id, started_at, lasts_seconds, is_new
        FROM app.sign_in_by_mail($1, $2, $3, $4, $5)
        """)
}
