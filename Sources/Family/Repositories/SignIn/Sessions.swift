package import Domain
package import Postgres

/// A session that has just started.
package struct StartedSession: RowDecodable, Sendable {
    package let user: UserID
    /// Time at which the person signed in, here or at the issuer of the exchanged token.
    package let startedAt: Timestamp
    /// Seconds for which the session's refresh token is valid.
    package let lastsSeconds: Int

    package static let row = RowDecoder(Self.init)
}

/// The result of using a refresh token.
package struct RefreshedSession: RowDecodable, Sendable {
    /// Outcome of a refresh; `app.refresh_session` explains each.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The token was replaced by the next one.
        case rotated
        /// The token was used before, and the newest token is returned.
        case repeated
        /// The token was reused: the session has ended.
        case reused
        /// The account is blocked.
        case blocked
        /// The session had ended.
        case ended
        /// The token does not exist.
        case unknown
    }

    /// The outcome. Only `rotated` and `repeated` come with a next token.
    package let outcome: Outcome
    /// Index of the next token among the candidates, from 1; nil if there is none.
    package let number: Int?
    /// Owner of the session; nil if there is no such session.
    package let user: UserID?
    package let method: SignInMethod?
    /// Time of the sign-in, as in ``StartedSession/startedAt``; nil with ``user``.
    package let startedAt: Timestamp?
    /// Seconds for which the next token is valid; nil if there is none.
    package let lastsSeconds: Int?

    package static let row = RowDecoder(Self.init)
}

/// A session in its account's list.
package struct ListedSession: RowDecodable, Sendable {
    package let id: SessionID
    /// Method by which the person signed in.
    package let method: SignInMethod
    /// Issuer of the exchanged token; nil unless the session started with another issuer's token.
    package let issuer: String?
    /// Name that the client gave itself at sign-in.
    package let device: String?
    package let startedAt: Timestamp
    /// Time of the last refresh or extension; at first, the start of the session.
    package let lastUsedAt: Timestamp
    /// Time at which the session ends unless it is refreshed.
    package let endsAt: Timestamp
    /// The app's session that has opened this one in a browser; nil if the person signed in.
    package let openedBy: SessionID?

    package static let row = RowDecoder(Self.init)
}

/// Statements about Hearth's own sessions.
package enum Sessions {
    /// Starts a session for the account of another issuer's token. Parameters: new session's id,
    /// issuer, device, hash of its refresh token, time at which the token was issued (seconds since
    /// 1970). Does nothing without a caller.
    package static let exchange = Statement<
        StartedSession, SessionID, String, String?, PostgresBytes, Int64?
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.exchange_for_session($1, $2, $3, $4, $5)
        WHERE app.user_id() IS NOT NULL
        """)

    /// Extends the session of a request from a page and returns the seconds that it lasts from now
    /// on. Returns no row if the session was extended within the last day or has ended, or without
    /// a caller.
    package static let extend = Statement<Scalar<Int32>>(
        "SELECT p.seconds FROM app.extend_session() AS p (seconds)")

    /// Stores the family that the pages of the caller's session show if an address names none.
    package static let showFamily = Statement<NoRow, FamilyID>(
        "SELECT FROM app.choose_shown_family($1) WHERE app.user_id() IS NOT NULL")

    /// Refreshes a session. Parameters: session, generation, hash of the token, whether it is
    /// authentic, hashes of the candidates for the newest token, payload of the e-mail about reuse.
    package static let refresh = Statement<
        RefreshedSession, SessionID, Int32, PostgresBytes, Bool, [PostgresBytes], PostgresJSON
    >(
        """
        SELECT outcome, token_index, user_id, method, started_at, lasts_seconds
        FROM app.refresh_session($1, $2, $3, $4, $5, $6)
        """)

    /// Ends the session of a token. Parameters: session, generation, hash of the token, whether it
    /// is authentic.
    package static let endOfToken = Statement<Scalar<Bool>, SessionID, Int32, PostgresBytes, Bool>(
        "SELECT app.end_session_of_token($1, $2, $3, $4)")

    /// Returns the account's own sessions, the last used first.
    package static let mine = Statement<ListedSession>(
        """
        SELECT id, method, issuer, device, started_at, last_used_at, ends_at, parent_id
        FROM app.my_sessions ORDER BY last_used_at DESC, id LIMIT 100
        """)

    /// Ends a session of the caller. Does nothing without a caller.
    package static let end = Statement<NoRow, SessionID>(
        "SELECT FROM app.end_my_session($1) WHERE app.user_id() IS NOT NULL")

    /// Ends all sessions of the caller but one. Does nothing without a caller.
    package static let endOthers = Statement<NoRow, SessionID?>(
        "SELECT FROM app.end_my_sessions($1) WHERE app.user_id() IS NOT NULL")
}
