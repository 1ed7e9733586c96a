/// Why a read that could have gone to a standby went to the primary.
package enum StandbyRefusal: String, CaseIterable, Sendable {
    /// No standby serves.
    case noneServes = "none_serves"
    /// The standby did not answer in time, or with an error.
    case failed
    /// The server is no standby, or not any more.
    case noStandby = "no_standby"
    /// The standby has not shown yet that this process reads from it.
    case notAnnounced = "not_announced"
    /// What the standby shows may be older than a lease.
    case stale
    /// The standby does not know the caller as the primary may: a new account, a token that brings
    /// changes, a session that has just begun.
    case unknownCaller = "unknown_caller"
}
