package import Domain
package import Postgres

/// The caller of a request, as the database resolved it.
package struct RequestIdentity: RowDecodable, Sendable {
    /// Whether the request can go on.
    package enum Outcome: String, PostgresWord, Sendable {
        /// The caller is known, and the request goes on.
        case known
        /// First sight of this sign-in.
        case unknown
        /// The token brings another e-mail address or verification than the last one, or a name for
        /// a user who has none.
        case stale
        /// The caller may not act for the child that it names, whatever the reason.
        case actingRefused = "acting_refused"
        /// Of Hearth's own tokens: their session is over.
        case sessionEnded = "session_ended"

        package static var specimen: Outcome { .known }
    }

    /// Whether the request can go on; unless `known`, there is no caller.
    package let outcome: Outcome
    /// The subject of the request: while acting, the managed member. Nil unless known.
    package let subject: UserID?
    /// The account that makes the request. Nil unless known.
    package let actor: UserID?

    package init(row: inout RowReader) throws(PostgresError) {
        outcome = try row.read()
        subject = try row.read()
        actor = try row.read()
    }
}

/// The statements that begin a request: without one of them no row is visible.
package enum RequestIdentities {
    /// Issuer, subject hash, e-mail, whether it is verified (null: don't compare with the last
    /// token), whether the token brings a name, member to act for.
    package static let begin = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool, UserID?
    >("SELECT outcome, user_id, actor_id FROM app.begin_request($1, $2, $3, $4, $5, $6)")

    /// As `begin`, without a member to act for, which is faster.
    package static let beginAsOneself = Statement<
        RequestIdentity, String, PostgresBytes, String?, Bool?, Bool
    >("SELECT outcome, user_id, actor_id FROM app.begin_request($1, $2, $3, $4, $5)")

    /// As `begin`, for a token of Hearth's own: session, account, member to act for.
    package static let beginSession = Statement<RequestIdentity, SessionID, UserID, UserID?>(
        "SELECT outcome, user_id, actor_id FROM app.begin_session($1, $2, $3)")

    /// As `beginSession`, without a member to act for, which is faster.
    package static let beginSessionAsOneself = Statement<RequestIdentity, SessionID, UserID>(
        "SELECT outcome, user_id, actor_id FROM app.begin_session($1, $2)")

    /// Begins the requests of several callers who act for nobody, each at a place of its own: as
    /// `beginAsOneself`, or session and account as for `beginSessionAsOneself`.
    package static let beginAll = SharedStatement<
        RequestIdentity, String?, PostgresBytes?, String?, Bool?, Bool?, SessionID?, UserID?
    >(
        """
        SELECT place::bigint, outcome, user_id, user_id
        FROM app.begin_requests($1, $2, $3, $4, $5, $6, $7)
        """)

    /// Begins a request without a caller: undoes the settings of earlier calls in the transaction.
    package static let beginAsNobody = Statement<RequestIdentity>(
        "SELECT outcome, user_id, actor_id FROM app.begin_request(NULL, NULL, NULL, NULL, NULL)")

    /// As `begin`, and creates or refreshes the user: issuer, subject hash, id to adopt, e-mail,
    /// whether it is verified, name, role, member to act for, when the token was made (seconds
    /// since 1970), whether its address leads to an account that has proved it. Data of an older
    /// token than the last one used are ignored.
    package static let see = Statement<
        RequestIdentity, String, PostgresBytes, UserID?, String?, Bool, String?, MemberRole?,
        UserID?, Int64?, Bool
    >(
        """
        SELECT outcome, user_id, actor_id
        FROM app.see_user($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """)
}
