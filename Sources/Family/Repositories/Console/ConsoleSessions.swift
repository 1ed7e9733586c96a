package import Domain
package import Postgres

/// The operator of a session in the console.
package struct ConsoleOperator: RowDecodable, Sendable {
    package let account: UserID
    /// E-mail address; nil if the account has none.
    package let email: String?
    /// The name in the audit log, without `operator:`.
    package let name: String
    package let role: OperatorRole
    /// Way in which the operator signed in: `link`, `passkey`, `proxy` or `code`.
    package let method: String
    /// Whether the operator signed in or re-authenticated in the last ten minutes.
    package let isProofFresh: Bool
    /// Number of the operator's passkeys for the console.
    package let passkeyCount: Int
    package let endsAt: Timestamp

    package static let row = RowDecoder(Self.init)

    /// Whether a trusted proxy opened the session, which lasts only while the proxy names its
    /// operator.
    package var isProxied: Bool { method == "proxy" }

    /// Whether a passkey, or the trusted proxy, proved in the last minutes who the operator is.
    package var isProofStrong: Bool { isProofFresh && (method == "passkey" || isProxied) }
}

/// A passkey of an operator in the operator's list.
package struct ConsolePasskey: RowDecodable, Sendable {
    package let id: PasskeyID
    /// The credential id, which authenticators store.
    package let credentialID: PostgresBytes
    /// Label that the operator has chosen.
    package let label: String?
    package let createdAt: Timestamp
    /// Time of the last use; nil if it was never used.
    package let lastUsedAt: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// Statements about sessions and passkeys of the console.
package enum ConsoleSessions {
    /// Stores a one-time link. Parameters: operator, hash of the token, minutes.
    package static let makeLink = Statement<NoRow, UserID, PostgresBytes, Int32>(
        "SELECT FROM app.operator_make_console_link($1, $2, $3)")
    /// Returns the e-mail address of a link's operator; no row if the link can't be used.
    package static let linkOwner = Statement<Scalar<String?>, PostgresBytes>(
        "SELECT email FROM app.console_link_owner($1)")
    /// Uses up a link. Parameters: hash of the link's token, hash of the session's token, hours,
    /// browser.
    package static let useLink = Statement<
        Scalar<Bool>, PostgresBytes, PostgresBytes, Int32, String?
    >("SELECT app.console_use_link($1, $2, $3, $4)")
    /// Returns the operator of a session; no row once it has ended. Parameter: hash of its token.
    package static let current = Statement<ConsoleOperator, PostgresBytes>(
        """
        SELECT user_id, email, name, role, method, is_proof_fresh, passkeys, ends_at
        FROM app.console_session($1)
        """)
    /// Ends a session. Parameter: hash of its token.
    package static let end = Statement<NoRow, PostgresBytes>(
        "SELECT FROM app.console_end_session($1)")
    /// Counts an attempt, in a separate transaction. Parameters: client address, its network. A row
    /// means that the response must not be verified.
    package static let reserveAttempt = Statement<LimitReached, String, String>(
        "SELECT limited_by, retry_after_seconds FROM app.reserve_console_attempt($1, $2)")
    /// Returns the passkey of a credential; no row if it was never added. Parameters: credential
    /// id, hash of the challenge.
    package static let ofCredential = Statement<StoredPasskey, PostgresBytes, PostgresBytes>(
        """
        SELECT id, user_id, handle, public_key, counter, is_backup_eligible, is_answered
        FROM app.console_passkey_of_credential($1, $2)
        """)
    /// Signs in after a verified response. Parameters: passkey, its new counter, backup-eligible
    /// flag, backed-up flag, hash of the challenge, expiry of the challenge, client address, its
    /// network, hash of the session's token, hours, browser. Returns false if the passkey has
    /// changed since it was read.
    package static let signIn = Statement<
        Scalar<Bool>, PasskeyID, Int64, Bool, Bool, PostgresBytes, Timestamp, String, String,
        PostgresBytes, Int32, String?
    >("SELECT app.console_sign_in($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
    /// Records a re-authentication. Parameters: hash of the session's token, then as for ``signIn``
    /// up to the network.
    package static let prove = Statement<
        Scalar<Bool>, PostgresBytes, PasskeyID, Int64, Bool, Bool, PostgresBytes, Timestamp,
        String, String
    >("SELECT app.console_prove($1, $2, $3, $4, $5, $6, $7, $8, $9)")
    /// Adds a passkey. Parameters: hash of the session's token, credential id, public key, counter,
    /// label, backup-eligible flag, backed-up flag, hash of the challenge, expiry of the challenge.
    package static let addPasskey = Statement<
        NoRow, PostgresBytes, PostgresBytes, PostgresBytes, Int64, String?, Bool, Bool,
        PostgresBytes, Timestamp
    >("SELECT FROM app.console_add_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9)")
    /// Returns the passkeys of a session's operator, the oldest first.
    package static let passkeys = Statement<ConsolePasskey, PostgresBytes>(
        """
        SELECT id, credential_id, label, created_at, last_used_at
        FROM app.console_passkeys_of($1)
        """)
    /// Removes a passkey of a session's operator; false if there is none.
    package static let removePasskey = Statement<Scalar<Bool>, PostgresBytes, PasskeyID>(
        "SELECT app.console_remove_passkey($1, $2)")
    /// Records that an operator has looked at a person.
    package static let viewPerson = Statement<NoRow, UserID>(
        "SELECT FROM app.operator_view_person($1)")
    /// Records that an operator has started an examination with repairs.
    package static let beginRepairs = Statement<NoRow>("SELECT FROM app.operator_begin_repairs()")
}
