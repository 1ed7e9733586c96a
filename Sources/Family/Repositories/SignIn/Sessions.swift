package import Domain
package import Postgres

/// A session that has just begun.
package struct BegunSession: RowDecodable, Sendable {
    package let user: UserID
    /// When its person signed in, here or at the issuer of the token that was exchanged.
    package let startedAt: Timestamp
    /// How long its refresh token can be used.
    package let lastsSeconds: Int

    package static let row = RowDecoder(Self.init)
}

/// What became of a refresh token.
package struct RefreshedSession: RowDecodable, Sendable {
    /// What came of it; `app.refresh_session` explains each.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The next token has taken its place.
        case rotated
        /// It was taken before, and the newest token is the answer.
        case repeated
        /// It was used before: the session has ended.
        case reused
        /// The session had ended.
        case ended
        /// There is no such token.
        case unknown
    }

    /// The next token is there with `rotated` and `repeated` only.
    package let outcome: Outcome
    /// Which of the candidates is the next token, from 1; nil without one.
    package let place: Int?
    /// Whose session it is; nil if there is no such session.
    package let user: UserID?
    package let method: SignInMethod?
    /// As in ``BegunSession/startedAt``; nil with ``user``.
    package let startedAt: Timestamp?
    /// How long the next token can be used; nil without one.
    package let lastsSeconds: Int?

    package static let row = RowDecoder(Self.init)
}

/// A session in its account's list.
package struct ListedSession: RowDecodable, Sendable {
    package let id: SessionID
    /// How its person signed in.
    package let method: SignInMethod
    /// Nil unless it began with another issuer's token.
    package let issuer: String?
    /// What the client called itself when it signed in.
    package let device: String?
    package let startedAt: Timestamp
    /// When it was last refreshed or prolonged; at first, when it began.
    package let lastUsedAt: Timestamp
    /// When it ends unless it is refreshed before.
    package let endsAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// The statements about Hearth's own sessions.
package enum Sessions {
    /// For the account of another issuer's token: new session's id, issuer, device, hash of its
    /// refresh token, when the token was issued (seconds since 1970). Does nothing without a
    /// caller.
    package static let exchange = Statement<
        BegunSession, SessionID, String, String?, PostgresBytes, Int64?
    >(
        """
        SELECT user_id, started_at, lasts_seconds
        FROM app.exchange_for_session($1, $2, $3, $4, $5)
        WHERE app.user_id() IS NOT NULL
        """)

    /// The session of a page that is opened: how many seconds it lasts from now on. No row if it
    /// was prolonged lately, or without a caller.
    package static let prolong = Statement<Scalar<Int32>>(
        "SELECT p.seconds FROM app.prolong_session() AS p (seconds)")

    /// Session, generation, hash of the token, whether it is authentic, hashes of the tokens that
    /// the newest one may be, payload of the e-mail about reuse.
    package static let refresh = Statement<
        RefreshedSession, SessionID, Int32, PostgresBytes, Bool, [PostgresBytes], PostgresJSON
    >(
        """
        SELECT outcome, place, user_id, method, started_at, lasts_seconds
        FROM app.refresh_session($1, $2, $3, $4, $5, $6)
        """)

    /// Session, generation, hash of the token, whether it is authentic.
    package static let signOut = Statement<Scalar<Bool>, SessionID, Int32, PostgresBytes, Bool>(
        "SELECT app.end_session_of_token($1, $2, $3, $4)")

    /// The account's own, the one used last first.
    package static let mine = Statement<ListedSession>(
        """
        SELECT id, method, issuer, device, started_at, last_used_at, ends_at
        FROM app.my_sessions ORDER BY last_used_at DESC, id LIMIT 100
        """)

    /// Does nothing without a caller.
    package static let end = Statement<NoRow, SessionID>(
        "SELECT FROM app.end_my_session($1) WHERE app.user_id() IS NOT NULL")

    /// All but one. Does nothing without a caller.
    package static let endOthers = Statement<NoRow, SessionID?>(
        "SELECT FROM app.end_my_sessions($1) WHERE app.user_id() IS NOT NULL")
}
