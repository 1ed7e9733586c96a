package import Domain
package import Postgres

/// What the answer of a passkey is verified with.
package struct StoredPasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    package let user: UserID
    /// The account's id when the passkey was added, by which authenticators know it.
    package let handle: UserID
    /// A COSE_Key.
    package let publicKey: PostgresBytes
    /// How often the authenticator had signed when it was last used; 0 if it does not count.
    package let counter: Int64
    /// Whether other devices of its owner may have it as well.
    package let isBackupEligible: Bool
    /// Whether the challenge was answered before.
    package let isAnswered: Bool

    package static let row = RowDecoder(Self.init)
}

/// A passkey in its account's list.
package struct ListedPasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    /// The id by which authenticators know it.
    package let credentialID: PostgresBytes
    /// What its owner calls it.
    package let label: String?
    /// Ways to reach the authenticator, for browsers.
    package let transports: [String]
    /// Whether other devices of its owner have it too.
    package let isBackedUp: Bool
    package let createdAt: Timestamp
    /// Nil if it was never used.
    package let lastUsedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// Whom a new passkey is for.
package struct PasskeyAccount: RowDecodable, Sendable {
    package let id: UserID
    /// Nil where the account has none.
    package let email: String?
    /// Nil where the account has none.
    package let fullName: String?
    /// Whether the person has signed in lately enough to add one.
    package let isFresh: Bool

    package static let row = RowDecoder(Self.init)
}

/// The statements about passkeys, of accounts and of people who sign in by one.
package enum Passkeys {
    /// Counts an attempt, in a transaction of its own: client address, its network. A row means
    /// that the answer must not be looked at.
    package static let reserve = Statement<LimitReached, String, String>(
        "SELECT limited_by, retry_after_seconds FROM app.reserve_passkey_attempt($1, $2)")

    /// The credential's id, hash of the challenge. No row for a credential that nobody has added.
    package static let ofCredential = Statement<StoredPasskey, PostgresBytes, PostgresBytes>(
        """
        SELECT id, user_id, handle, public_key, counter, is_backup_eligible, is_answered
        FROM app.passkey_of_credential($1, $2)
        """)

    /// After a verified answer: passkey, account, its new counter, whether it may be backed up,
    /// whether it is, hash of the challenge, when that ends, client address, its network, new
    /// session's id, device, hash of its refresh token, payload of the e-mail's job where it may be
    /// backed up only now. No row: the passkey is gone, or its counter higher by now.
    package static let signIn = Statement<
        BegunSession, PasskeyID, UserID, Int64, Bool, Bool, PostgresBytes, Timestamp, String,
        String, SessionID, String?, PostgresBytes, PostgresJSON
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.sign_in_by_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """)

    /// When the caller's token was issued, in seconds since 1970. No row without a caller.
    package static let account = Statement<PasskeyAccount, Int64?>(
        "SELECT id, email, full_name, is_fresh FROM app.my_passkey_account($1)")

    /// The account's own, the oldest first; none without a caller.
    package static let mine = Statement<ListedPasskey>(
        """
        SELECT id, credential_id, label, transports, is_backed_up, created_at, last_used_at
        FROM app.my_passkeys()
        """)

    /// When the caller's token was issued; credential's id, public key, counter, label, model,
    /// transports, whether it may be backed up, whether it is; hash of the challenge, when that
    /// ends; payload of the e-mail's job. Does nothing without a caller.
    package static let add = Statement<
        Scalar<PasskeyID>, Int64?, PostgresBytes, PostgresBytes, Int64, String?, UInt128, [String],
        Bool, Bool, PostgresBytes, Timestamp, PostgresJSON
    >(
        """
        SELECT a FROM app.add_my_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS a
        WHERE app.user_id() IS NOT NULL
        """)

    /// The passkey, when the caller signed in, the ways that are offered, the trusted issuers,
    /// payload of the e-mail's job. Does nothing without a caller.
    package static let remove = Statement<
        NoRow, PasskeyID, Int64?, [String], [String], PostgresJSON
    >(
        """
        SELECT FROM app.remove_my_passkey($1, $2, $3, $4, $5) WHERE app.user_id() IS NOT NULL
        """)
}
