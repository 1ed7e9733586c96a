package import Postgres

/// A limit that an attempt exceeded.
package struct LimitReached: RowDecodable, Sendable {
    /// Name of the full bucket. Remove the text after its second colon before logging it.
    package let bucket: String
    /// Seconds until another attempt is possible.
    package let retryAfterSeconds: Int

    package static let row = RowDecoder(Self.init)
}

/// Statements that count attempts before their transaction.
package enum RateLimits {
    /// Counts a lookup of an invitation's token from an address, in a separate transaction. A row
    /// means that the lookup is refused.
    package static let reserveInvitationLookup = Statement<LimitReached, String>(
        """
        SELECT limited_by, retry_after_seconds
        FROM app.reserve_hits(
            ARRAY['invitation:address:' || $1], ARRAY[app.max_invitation_looks()],
            app.invitation_looks_window())
        """)
}
