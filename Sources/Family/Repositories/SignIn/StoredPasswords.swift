package import Domain
package import Postgres

/// The password of somebody who signs in with an address.
package struct StoredPassword: RowDecodable, Sendable {
    package let user: UserID
    /// As ``PasswordHash`` writes it.
    package let hash: String

    package static let row = RowDecoder(Self.init)
}

/// An account's own password, and what judges a new one.
package struct OwnPassword: RowDecodable, Sendable {
    /// Nil where there is none.
    package let hash: String?
    /// Must not be in a new password; nil where the account has none.
    package let email: String?
    /// Must not be in a new password; nil where the account has none.
    package let fullName: String?
    /// Whether the person has signed in lately enough to set a first one.
    package let isFresh: Bool

    package static let row = RowDecoder(Self.init)
}

/// Whom a link to reset a password is for.
package struct PasswordOwner: RowDecodable, Sendable {
    package let email: String
    /// Nil where the account has none.
    package let fullName: String?

    package static let row = RowDecoder(Self.init)
}

/// The statements about passwords: their hashes, and attempts at them.
package enum StoredPasswords {
    /// Counts an attempt, in a transaction of its own: address, client address, its network. A row
    /// means that the password must not be looked at.
    package static let reserve = Statement<LimitReached, String, String, String>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_password_attempt($1, $2, $3)
        """)

    /// Takes a counted attempt back.
    package static let release = Statement<NoRow, String, String, String>(
        "SELECT FROM app.release_password_attempt($1, $2, $3)")

    /// No row for nobody.
    package static let ofAddress = Statement<StoredPassword, String>(
        "SELECT user_id, hash FROM app.password_of_address($1)")

    /// After the right password: account, hash that was seen, a newer hash, address, client
    /// address, its network, new session's id, device, hash of its refresh token. No row: the
    /// password was replaced since.
    package static let signIn = Statement<
        BegunSession, UserID, String, String?, String, String, String, SessionID, String?,
        PostgresBytes
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.sign_in_by_password($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    /// Hash of the link. No row: it is over.
    package static let ofLink = Statement<PasswordOwner, PostgresBytes>(
        "SELECT email, full_name FROM app.reset_of_link($1)")

    /// Hash of the link, hash of the password, payload of the e-mail's job.
    package static let reset = Statement<Scalar<Bool>, PostgresBytes, String, PostgresJSON>(
        "SELECT app.reset_password($1, $2, $3)")

    /// The caller's own; when the caller signed in. No row without a caller.
    package static let mine = Statement<OwnPassword, Int64?>(
        "SELECT hash, email, full_name, is_fresh FROM app.my_password($1)")

    /// Hash that was seen, new hash, session that stays, when the caller signed in, payload of the
    /// e-mail's job. Does nothing without a caller.
    package static let change = Statement<
        Scalar<Bool>, String?, String, SessionID?, Int64?, PostgresJSON
    >(
        """
        SELECT c FROM app.change_my_password($1, $2, $3, $4, $5) AS c
        WHERE app.user_id() IS NOT NULL
        """)
}
