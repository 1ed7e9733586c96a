import Glibc
import Postgres
import TestSupport
import Testing

/// Random writers of all kinds, and readers that follow, lose answers and begin anew.
///
/// `HEARTH_TEST_SYNC_ROUNDS` makes more rounds, `HEARTH_TEST_SYNC_SEED` repeats a run's choices.
@Suite("Whoever follows the changes")
struct ConvergenceTests {
    @Test(
        "ends with exactly what a fresh read shows, whoever has written, whatever was lost",
        arguments: [500, 4])
    func convergence(changesPerPage: Int) throws {
        let site = try Site(changesPerPage: changesPerPage, tokenSeconds: 86_400)
        let seed = getenv("HEARTH_TEST_SYNC_SEED").flatMap { UInt64(String(cString: $0)) }
        let rounds = getenv("HEARTH_TEST_SYNC_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 3
        let model = try SyncModel(site, seed: seed ?? .random(in: 0 ... .max))
        for round in 0..<rounds {
            try model.run(round, writers: 6, operations: 25)
            let differences = try model.differences()
            #expect(differences == [], "round \(round) of seed \(model.seed)")
        }
        let deadlocks: Int = try Connection(site.test.settings()).query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        #expect(deadlocks == 0)
    }
}
