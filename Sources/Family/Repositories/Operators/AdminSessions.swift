package import Domain
package import Postgres

/// The sessions of people, for operators.
package enum AdminSessions {
    /// Returns a person's active sessions, the last used first.
    package static let ofUser = Statement<ListedSession, UserID>(
        """
        SELECT id, method, issuer, device, started_at, last_used_at, ends_at, parent_id
        FROM app.sessions WHERE user_id = $1 AND ended_at IS NULL AND ends_at > now()
        ORDER BY last_used_at DESC, id LIMIT 100
        """)

    /// Ends a person's session, or all of them if the id is null, and returns the number of ended
    /// sessions.
    package static let end = Statement<Scalar<Int>, UserID, SessionID?>(
        "SELECT app.operator_end_sessions($1, $2)")
}
