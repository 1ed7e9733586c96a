import Foundation
import Postgres
import TestSupport
import Testing

/// Random writers of all kinds, and readers that follow, lose answers and begin anew.
///
/// `HEARTH_TEST_SYNC_ROUNDS` makes more rounds and tells of each, `HEARTH_TEST_SYNC_SEED` repeats a
/// run's choices.
@Suite("Whoever follows the changes")
struct ConvergenceTests {
    private static let rounds = setting("HEARTH_TEST_SYNC_ROUNDS").flatMap { Int($0) }

    @Test(
        "ends with exactly what a fresh read shows, whoever has written, whatever was lost",
        arguments: [500, 4])
    func convergence(changesPerPage: Int) throws {
        let site = try Site(changesPerPage: changesPerPage, tokenSeconds: 86_400)
        let seed = setting("HEARTH_TEST_SYNC_SEED").flatMap { UInt64($0) }
        let model = try SyncModel(site, seed: seed ?? .random(in: 0 ... .max))
        let rounds = Self.rounds ?? 3
        let began = ContinuousClock.now
        var operations = 0
        for round in 0..<rounds {
            for pace in [SyncModel.Pace.crowded, .quiet] {
                operations += try model.run(round, pace)
                let differences = try model.differences()
                #expect(differences == [], "\(pace) round \(round) of seed \(model.seed)")
            }
            if Self.rounds != nil {
                let seconds = (ContinuousClock.now - began) / .seconds(1)
                tellProgress(
                    "pages of \(changesPerPage): round \(round + 1) of \(rounds), \(operations) "
                        + "operations in \(Int(seconds)) s, "
                        + "\(Int(Double(operations) / seconds)) a second")
            }
        }
        let deadlocks: Int = try Connection(site.test.settings()).query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        #expect(deadlocks == 0)
    }
}

/// A setting of a proof; nil unless it is set.
func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

/// For whoever waits: a proof takes minutes.
func tellProgress(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
