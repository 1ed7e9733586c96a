import Basics

// The primary among several hosts, if more than one of them accepts writes.

extension ConnectionSettings {
    private static let readTimeline = Statement<Scalar<Int>>(
        """
        SELECT CASE WHEN pg_is_in_recovery() THEN 0
            ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int8 END
        """)
    /// Limit in seconds for the connection to a host, and for its response.
    private static let responseSeconds = 2

    /// Whether there are several hosts, of which only one that accepts writes is taken.
    var choosesPrimary: Bool {
        PreferredHost.requiresPrimary(parameters) && settingsPerHost.count > 1
    }

    /// Makes new sessions try the primary with the newest timeline first. Returns whether they
    /// tried another host before.
    ///
    /// A promotion begins a timeline, so a former primary that still accepts writes has an older
    /// one. Hosts that do not respond are skipped; the wait for each of them is bounded.
    func preferNewestPrimary() -> Bool {
        let current = hosts.current
        var newest: (index: Int, timeline: Int)?
        for (index, host) in settingsPerHost.enumerated() {
            guard let timeline = Self.timeline(of: host), timeline > 0 else { continue }
            let best = newest?.timeline ?? 0
            if timeline > best || (timeline == best && index == current) {
                newest = (index, timeline)
            }
        }
        return newest.map { hosts.prefer($0.index) } ?? false
    }

    /// The timeline of a primary; 0 for a standby, and nil if the server does not respond.
    private static func timeline(of host: ConnectionSettings) -> Int? {
        var settings = host
        settings.connectTimeoutSeconds = responseSeconds
        guard let connection = try? Connection(settings) else { return nil }
        return try? connection.run(
            readTimeline, deadline: .after(seconds: Double(responseSeconds))
        ).first?.value
    }
}
