package import Postgres

/// A limit that an attempt ran into.
package struct LimitReached: RowDecodable, Sendable {
    /// The bucket that is full. For logs it must lose what follows its second colon.
    package let bucket: String
    /// In how many seconds an attempt is possible again.
    package let retryAfterSeconds: Int

    package static let row = RowDecoder(Self.init)
}

/// The statements that count attempts before their transaction.
package enum RateLimits {
    /// Counts a lookup of an invitation's token from an address, in a transaction of its own. A row
    /// means that the lookup is refused.
    package static let lookAtInvitation = Statement<LimitReached, String>(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.reserve_hits(
            ARRAY['invitation:address:' || $1], ARRAY[app.max_invitation_looks()],
            app.invitation_looks_window())
        """)
}
