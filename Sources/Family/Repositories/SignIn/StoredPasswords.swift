package import Domain
package import Postgres

/// The password of an account that signs in with an address.
package struct StoredPassword: RowDecodable, Sendable {
    package let user: UserID
    /// The hash in the format of ``PasswordHash``.
    package let hash: String

    package static let row = RowDecoder(Self.init)
}

/// An account's own password, and the data that a new one is checked against.
package struct OwnPassword: RowDecodable, Sendable {
    /// The hash; nil if there is no password.
    package let hash: String?
    /// E-mail address, which a new password must not contain; nil if the account has none.
    package let email: String?
    /// Name, which a new password must not contain; nil if the account has none.
    package let fullName: String?
    /// Whether the person has signed in recently enough to set a first password.
    package let isFresh: Bool

    package static let row = RowDecoder(Self.init)
}

/// The account that a password reset link is for.
package struct PasswordResetUser: RowDecodable, Sendable {
    package let email: String
    /// The person's name; nil if there is none.
    package let fullName: String?

    package static let row = RowDecoder(Self.init)
}

/// Statements about passwords: their hashes, and attempts to sign in with them.
package enum StoredPasswords {
    /// Counts an attempt, in a separate transaction. Parameters: address, client address, its
    /// network. A row means that the password must not be checked.
    package static let reserveAttempt = Statement<LimitReached, String, String, String>(
        """
        SELECT limited_by, retry_after_seconds FROM app.reserve_password_attempt($1, $2, $3)
        """)

    /// Undoes the count of an attempt.
    package static let releaseAttempt = Statement<NoRow, String, String, String>(
        "SELECT FROM app.release_password_attempt($1, $2, $3)")

    /// Returns the password of an address; no row if there is none.
    package static let ofAddress = Statement<StoredPassword, String>(
        "SELECT user_id, hash FROM app.password_of_address($1)")

    /// Signs in after the right password. Parameters: account, hash that was verified, a newer
    /// hash, address, client address, its network, new session's id, device, hash of its refresh
    /// token. Returns no row if the password was replaced since then.
    package static let signIn = Statement<
        StartedSession, UserID, String, String?, String, String, String, SessionID, String?,
        PostgresBytes
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.sign_in_by_password($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    /// Returns the address and name of the account of a reset link, by the link's hash; no row if
    /// the link was used or has expired.
    package static let resetUser = Statement<PasswordResetUser, PostgresBytes>(
        "SELECT email, full_name FROM app.password_reset_user($1)")

    /// Resets a password. Parameters: hash of the link, hash of the password, payload of the
    /// e-mail's job.
    package static let reset = Statement<Scalar<Bool>, PostgresBytes, String, PostgresJSON>(
        "SELECT app.reset_password($1, $2, $3)")

    /// Mails the owner of an account a link to reset the password, and returns the address.
    /// Parameters: account, id of the e-mail token, hash of its link, payload of the e-mail's job.
    package static let sendResetByOperator = Statement<
        Scalar<String>, UserID, EmailTokenID, PostgresBytes, PostgresJSON
    >("SELECT app.operator_send_reset($1, $2, $3, $4)")

    /// Returns the caller's own password; no row without a caller. Parameter: time at which the
    /// caller signed in.
    package static let mine = Statement<OwnPassword, Int64?>(
        "SELECT hash, email, full_name, is_fresh FROM app.my_password($1)")

    /// Changes a password. Parameters: hash that was verified, new hash, session that continues,
    /// time at which the caller signed in, payload of the e-mail's job. Does nothing without a
    /// caller.
    package static let change = Statement<
        Scalar<Bool>, String?, String, SessionID?, Int64?, PostgresJSON
    >(
        """
        SELECT c FROM app.change_my_password($1, $2, $3, $4, $5) AS c
        WHERE app.user_id() IS NOT NULL
        """)
}
