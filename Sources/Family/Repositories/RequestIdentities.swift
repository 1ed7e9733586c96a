package import Domain
package import Postgres

/// The caller of a request, as the database resolved it.
package struct RequestIdentity: RowDecodable, Sendable {
    /// Whether the request can proceed.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The caller is known, and the request proceeds.
        case known
        /// The sign-in is new.
        case unknown
        /// The token states another e-mail address or verification than the last token, or a name
        /// for a user who has none.
        case stale
        /// An operator has blocked the account.
        case blocked
        /// The caller may not act for the named child, whatever the reason.
        case actingRefused = "acting_refused"
        /// The session of a token of Hearth's own has ended.
        case sessionEnded = "session_ended"
    }

    /// Whether the request can proceed; unless it is `known`, there is no caller.
    package let outcome: Outcome
    /// The person for whom the request is made: the managed member, while an account acts for one.
    /// Nil unless the outcome is `known`.
    package let subject: UserID?
    /// The account that makes the request. Nil unless the outcome is `known`.
    package let actor: UserID?

    package static let row = RowDecoder(Self.init)
}

/// Statements that begin a request. Until one of them has run, no row is visible.
///
/// Requests for changes have statements of their own, which also set the request's id, their
/// last parameter: entries of the audit log take it from there.
package enum RequestIdentities {
    /// Returns a statement that sets the request's id, the last parameter, and begins the request.
    private static func change(_ begin: String, id: Int) -> String {
        """
        SELECT b.outcome, b.user_id, b.actor_id
        FROM (SELECT set_config('hearth.request', $\(id), true)) AS r
        CROSS JOIN app.\(begin) AS b
        """
    }

    /// Begins a request. Parameters: issuer, subject hash, e-mail, whether it is verified (null:
    /// don't compare with the last token), whether the token has a name, member to act for.
    package static let begin = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool, UserID?
    >("SELECT outcome, user_id, actor_id FROM app.begin_request($1, $2, $3, $4, $5, $6)")

    /// Begins a request like `begin`, but without a member to act for, which is faster.
    package static let beginWithoutActing = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool
    >("SELECT outcome, user_id, actor_id FROM app.begin_request($1, $2, $3, $4, $5)")

    /// Begins a request with a token of Hearth's own. Parameters: session, account, member to act
    /// for.
    package static let beginSession = Statement<RequestIdentity, SessionID, UserID, UserID?>(
        "SELECT outcome, user_id, actor_id FROM app.begin_session($1, $2, $3)")

    /// Begins a request like `beginSession`, but without a member to act for, which is faster.
    package static let beginSessionWithoutActing = Statement<RequestIdentity, SessionID, UserID>(
        "SELECT outcome, user_id, actor_id FROM app.begin_session($1, $2)")

    /// Begins a change like `begin`. Parameters: those of `begin`, the request's id.
    package static let beginChange = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool, UserID?, String
    >(change("begin_request($1, $2, $3, $4, $5, $6)", id: 7))

    /// Begins a change like `beginWithoutActing`. Parameters: those of `beginWithoutActing`, the
    /// request's id.
    package static let beginChangeWithoutActing = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool, String
    >(change("begin_request($1, $2, $3, $4, $5)", id: 6))

    /// Begins a change like `beginSession`. Parameters: those of `beginSession`, the request's id.
    package static let beginChangeOfSession = Statement<
        RequestIdentity, SessionID, UserID, UserID?, String
    >(change("begin_session($1, $2, $3)", id: 4))

    /// Begins a change like `beginSessionWithoutActing`. Parameters: those of
    /// `beginSessionWithoutActing`, the request's id.
    package static let beginChangeOfSessionWithoutActing = Statement<
        RequestIdentity, SessionID, UserID, String
    >(change("begin_session($1, $2)", id: 3))

    /// Begins the requests of several callers, none of whom acts for a child, and numbers the
    /// callers. Each caller has the parameters of `beginWithoutActing` or, for a token that Hearth
    /// issued, the session and account of `beginSessionWithoutActing`; its other parameters are
    /// null.
    package static let beginAll = SharedStatement<
        RequestIdentity, String?, PostgresBytes?, String?, Bool?, Bool?, SessionID?, UserID?
    >(
        """
        SELECT caller_index::bigint, outcome, user_id, user_id
        FROM app.begin_requests($1, $2, $3, $4, $5, $6, $7)
        """)

    /// Begins a request without a caller: undoes the settings of earlier calls in the transaction.
    package static let beginWithoutCaller = Statement<RequestIdentity>(
        "SELECT outcome, user_id, actor_id FROM app.begin_request(NULL, NULL, NULL, NULL, NULL)")

    /// Begins a change like `beginWithoutCaller`. Parameter: the request's id.
    package static let beginChangeWithoutCaller = Statement<RequestIdentity, String>(
        change("begin_request(NULL, NULL, NULL, NULL, NULL)", id: 1))

    /// Begins a request like `begin`, and creates or refreshes the user. Parameters: issuer,
    /// subject hash, id to adopt, e-mail, whether it is verified, name, role, member to act for,
    /// time at which the token was issued (seconds since 1970), whether the sign-in is added to an
    /// account that has proved its address. Data of an older token than the last one used is
    /// ignored.
    package static let upsertUser = Statement<
        RequestIdentity, String, PostgresBytes, UserID?, String?, Bool, String?, MemberRole?,
        UserID?, Int64?, Bool
    >(
        """
        SELECT outcome, user_id, actor_id
        FROM app.upsert_user($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """)
}
