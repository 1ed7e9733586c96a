import Postgres
import TestSupport
import Testing
import Basics
import UseCases

/// A primary with a standby, and two processes of the API that read from the standby.
final class StandbyStage {
    let primary: PrivateServer
    let standby: PrivateServer
    let test: TestDatabase
    let sites: [Site]
    /// A process that reads only from the primary.
    let other: Site

    init(timing: StandbyTiming = StandbyStage.timing) throws {
        let primary = try PrivateServer()
        let test = try TestDatabase(.migrated, on: primary.settings)
        let standby = try PrivateServer(following: primary)
        (self.primary, self.standby, self.test) = (primary, standby, test)
        sites = try (0..<2).map { _ in
            try Site(
                on: test,
                reads: { try Self.reads($0, from: standby, test, timing) })
        }
        other = try Site(on: test)
        for site in sites { _ = site.services.reads.start() }
    }

    /// Production timing, except that processes announce themselves for a shorter time.
    static var timing: StandbyTiming {
        var timing = StandbyTiming()
        timing.unawareSeconds = 0.1
        timing.announcementSeconds = 0.3
        return timing
    }

    static func reads(
        _ database: Database, from server: PrivateServer, _ test: TestDatabase,
        _ timing: StandbyTiming = StandbyStage.timing
    ) throws -> StandbyReads {
        var standby = try server.settings
        standby.set("dbname", test.name)
        standby.set("user", "hearth_api")
        return StandbyReads(
            database, primary: test.settings(as: "hearth_api"), standbys: standby,
            Pool.Settings(), timing
        ) { _ in }
    }

    /// Waits until both processes that may read from the standby read from it.
    func awaitServing() throws {
        try eventually { sites.allSatisfy { $0.reads.standbyCounts.serving == 1 } }
    }

    /// Resumes or pauses replay on the standby.
    func replay(_ replays: Bool) throws {
        try Connection(standby.settings).execute(
            script: "SELECT pg_wal_replay_\(replays ? "resume" : "pause")()")
    }

    /// Lets the standby follow the primary, or cuts it off.
    func follow(_ follows: Bool) throws {
        let place = follows ? try primary.settings.url : "host=/nowhere"
        let standby = try Connection(standby.settings)
        try standby.execute(
            script: "ALTER SYSTEM SET primary_conninfo = \(SQL.quoted(literal: place))")
        try standby.execute(script: "SELECT pg_reload_conf()")
    }
}

extension Site {
    var reads: StandbyReads {
        guard let reads = services.reads as? StandbyReads else {
            preconditionFailure("it reads from none")
        }
        return reads
    }

    /// Client of the same person at this process.
    func same(_ client: APIClient) -> APIClient {
        APIClient(site: self, person: client.person, token: client.token, actingAs: client.actingAs)
    }
}
