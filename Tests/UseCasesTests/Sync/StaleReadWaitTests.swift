import Domain
import Postgres
import Testing
import Basics
import UseCaseSupport
import UseCases

@Suite("Waiting for changes after a stale read")
struct StaleReadWaitTests {
    @Test(
        "a wait that starts from a lagging standby's version ends at once if a later change is known"
    )
    func latecomer() throws {
        let entry = try UseCaseDatabase()
        let (family, other) = (try entry.family(), try entry.family())
        let watch = ChangeWatch(entry.database.pool, readLagSeconds: 60) { Issue.record($0) }
        defer { watch.stop() }
        func watched(by caller: RequestContext) throws -> [WatchedVersion] {
            let sync = SyncChanges(
                PrimaryReads(entry.database), try entry.invitationKeys.key(for: "sync"))
            return try sync(by: caller, cursor: nil).watched
        }
        func rename(_ family: FamilyID) throws {
            try entry.asSuperuser(
                """
                UPDATE app.family_units SET family_name = gen_random_uuid()::text
                WHERE id = \(family.rawValue)
                """)
        }
        let asTheStandbyShows = try watched(by: family.admin)
        try rename(family.id)
        // Each wait reads again, and none of them moves the known versions backwards.
        for _ in 1...4 {
            let known = try watched(by: other.admin)
            try requireWoken(watch, by: known) { try rename(other.id) }
        }
        try requireWoken(watch, by: asTheStandbyShows) {}
    }

    private func requireWoken(
        _ watch: ChangeWatch, by known: [WatchedVersion], _ change: () throws -> Void
    ) throws {
        let ended = Monitor<ChangeWatch.WakeReason?>(nil)
        watch.wait(for: known, until: .after(seconds: 6)) { ending in
            ended.change { $0 = ending }
        }
        try change()
        let ending = ended.wait { ($0, .after(seconds: 30)) }
        guard case .change? = ending else {
            Issue.record("it was not woken: \(String(describing: ending))")
            return
        }
    }
}
