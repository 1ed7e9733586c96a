package import Domain
package import Postgres

/// The data that verifies a passkey's response.
package struct StoredPasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    package let user: UserID
    /// The account's id when the passkey was added, which authenticators store.
    package let handle: UserID
    /// The public key as a COSE_Key.
    package let publicKey: PostgresBytes
    /// Signature counter of the authenticator at the last use; 0 if it does not count.
    package let counter: Int64
    /// Whether the passkey may be synced to other devices of its owner.
    package let isBackupEligible: Bool
    /// Whether the challenge was already used.
    package let isAnswered: Bool

    package static let row = RowDecoder(Self.init)
}

/// A passkey in its account's list.
package struct ListedPasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    /// The credential id, which authenticators store.
    package let credentialID: PostgresBytes
    /// Label that the passkey's owner has chosen.
    package let label: String?
    /// Transports of the authenticator, for browsers.
    package let transports: [String]
    /// Whether the passkey is synced to other devices of its owner.
    package let isBackedUp: Bool
    package let createdAt: Timestamp
    /// Time of the last use; nil if it was never used.
    package let lastUsedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// The account that a new passkey is for.
package struct PasskeyAccount: RowDecodable, Sendable {
    package let id: UserID
    /// E-mail address; nil if the account has none.
    package let email: String?
    /// Name; nil if the account has none.
    package let fullName: String?
    /// Whether the person has signed in recently enough to add a passkey.
    package let isFresh: Bool

    package static let row = RowDecoder(Self.init)
}

/// Statements about passkeys of accounts, and about signing in with them.
package enum Passkeys {
    /// Counts an attempt, in a separate transaction. Parameters: client address, its network. A row
    /// means that the response must not be verified.
    package static let reserveAttempt = Statement<LimitReached, String, String>(
        "SELECT limited_by, retry_after_seconds FROM app.reserve_passkey_attempt($1, $2)")

    /// Returns the passkey of a credential; no row if it was never added. Parameters: credential
    /// id, hash of the challenge.
    package static let ofCredential = Statement<StoredPasskey, PostgresBytes, PostgresBytes>(
        """
        SELECT id, user_id, handle, public_key, counter, is_backup_eligible, is_answered
        FROM app.passkey_of_credential($1, $2)
        """)

    /// Signs in after a verified response. Parameters: passkey, account, the passkey's new counter,
    /// backup-eligible flag, backed-up flag, hash of the challenge, expiry of the challenge, client
    /// address, its network, new session's id, device, hash of its refresh token, payload of the
    /// e-mail that is sent if the passkey has become backup-eligible. Returns no row if the passkey
    /// has changed since it was read.
    package static let signIn = Statement<
        StartedSession, PasskeyID, UserID, Int64, Bool, Bool, PostgresBytes, Timestamp, String,
        String, SessionID, String?, PostgresBytes, PostgresJSON
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.sign_in_by_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """)

    /// Returns the account of a new passkey; no row without a caller. Parameter: time at which the
    /// caller's token was issued, in seconds since 1970.
    package static let account = Statement<PasskeyAccount, Int64?>(
        "SELECT id, email, full_name, is_fresh FROM app.my_passkey_account($1)")

    /// Returns the account's own passkeys, oldest first; none without a caller.
    package static let mine = Statement<ListedPasskey>(
        """
        SELECT id, credential_id, label, transports, is_backed_up, created_at, last_used_at
        FROM app.my_passkeys()
        """)

    /// Returns the passkeys of an account for an operator, oldest first.
    package static let ofUser = Statement<AdminPasskey, UserID>(
        """
        SELECT id, label, is_backed_up, created_at, last_used_at FROM app.operator_passkeys_of($1)
        """)

    /// Removes a passkey of an account for an operator. Parameters: account, passkey, payload of
    /// the e-mail's job.
    package static let removeByOperator = Statement<NoRow, UserID, PasskeyID, PostgresJSON>(
        "SELECT FROM app.operator_remove_passkey($1, $2, $3)")

    /// Adds a passkey. Parameters: time at which the caller's token was issued, credential id,
    /// public key, counter, label, model, transports, backup-eligible flag, backed-up flag, hash of
    /// the challenge, expiry of the challenge, payload of the e-mail's job. Does nothing without a
    /// caller.
    package static let add = Statement<
        Scalar<PasskeyID>, Int64?, PostgresBytes, PostgresBytes, Int64, String?, UInt128, [String],
        Bool, Bool, PostgresBytes, Timestamp, PostgresJSON
    >(
        """
        SELECT a FROM app.add_my_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS a
        WHERE app.user_id() IS NOT NULL
        """)

    /// Removes a passkey. Parameters: passkey, time at which the caller signed in, offered ways to
    /// sign in, trusted issuers, payload of the e-mail's job. Does nothing without a caller.
    package static let remove = Statement<
        NoRow, PasskeyID, Int64?, [String], [String], PostgresJSON
    >(
        """
        SELECT FROM app.remove_my_passkey($1, $2, $3, $4, $5) WHERE app.user_id() IS NOT NULL
        """)
}

/// A passkey as operators see it.
package struct AdminPasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    /// Name of the passkey; nil if there is none.
    package let label: String?
    /// Whether the passkey may be on several devices.
    package let isBackedUp: Bool
    package let createdAt: Timestamp
    /// Time of the last sign-in with it; nil if it was never used.
    package let lastUsedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}
