package import Domain
package import Postgres

/// A counted attempt at a mailed code.
package struct MailedCodeAttempt: RowDecodable, Sendable {
    package let emailToken: EmailTokenID
    /// Hash of the link, which identifies the key from which the code was derived.
    package let linkHash: PostgresBytes
    /// Number of attempts left after this one.
    package let attemptsLeft: Int
    /// Limit that was reached because too many codes of the account were guessed: the attempt is
    /// not counted, and the code must not be checked. Nil if there is none.
    package let limit: LimitReached?

    package static let row = RowDecoder(Self.init)
}

/// A session that was started by a mailed code or link.
package struct MailedSignIn: RowDecodable, Sendable {
    package let session: StartedSession
    /// Whether this sign-in created the account.
    package let isNew: Bool

    package static let row = RowDecoder(Self.init)
}

/// The account that a mailed link signs in.
package struct LinkedAccount: RowDecodable, Sendable {
    package let email: String
    /// The account; nil if signing in creates it.
    package let user: UserID?

    package static let row = RowDecoder(Self.init)
}

/// Statements about e-mail tokens: mailed codes and links.
package enum EmailTokens {
    /// Creates an e-mail token. Parameters: its id, purpose, address, hashes of the token and of
    /// its link, hash of a password, name, role, the client's network, payload of the e-mail's job,
    /// language, encrypted path to open afterwards. A row means that a limit is reached.
    package static let create = Statement<
        LimitReached, EmailTokenID, String, String, PostgresBytes?, PostgresBytes, String?, String?,
        MemberRole?, String, PostgresJSON, String?, PostgresBytes?
    >(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.create_email_token($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """)

    /// Counts an attempt, in a separate transaction. Parameter: hash of the e-mail token. No row
    /// means that no attempt is left.
    package static let tryCode = Statement<MailedCodeAttempt, PostgresBytes>(
        """
        SELECT ticket, link_hash, tries_left, limited_by, retry_after_seconds
        FROM app.try_mailed_code($1)
        """)

    /// Returns the account of a link that has not expired, by the link's hash.
    package static let accountOfLink = Statement<LinkedAccount, PostgresBytes>(
        "SELECT email, user_id FROM app.account_of_link($1)")

    /// Signs in. Parameters: e-mail token or hash of the link, new session's id, device, hash of
    /// its refresh token.
    package static let signIn = Statement<
        MailedSignIn, EmailTokenID?, PostgresBytes?, SessionID, String?, PostgresBytes
    >(
        """
        SELECT user_id, started_at, lasts_seconds, is_new
        FROM app.sign_in_by_mail($1, $2, $3, $4, $5)
        """)
}
