import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

/// Runs random writers of all kinds, and readers that follow the changes, lose responses and start
/// over.
///
/// `HEARTH_TEST_SYNC_ROUNDS` runs that many rounds and reports each. `HEARTH_TEST_SYNC_OPERATIONS`
/// runs about that many writes and reads, in longer rounds and in several databases at once: while
/// the writers of one database wait for locks, those of another use the processors.
/// `HEARTH_TEST_SYNC_DATABASES` is the number of databases; the default is two for each processor.
/// `HEARTH_TEST_SYNC_SEED` repeats a run's choices.
@Suite("Convergence of followers")
struct ConvergenceTests {
    private static let operations = setting("HEARTH_TEST_SYNC_OPERATIONS").flatMap { Int($0) }
    private static let rounds = setting("HEARTH_TEST_SYNC_ROUNDS").flatMap { Int($0) }
    private static let tells = operations != nil || rounds != nil
    /// Number of rounds after which a long run continues in a new database, so that removed rows
    /// don't slow down later rounds.
    private static let roundsOfDatabase = 10
    /// Number of databases that a long run uses at once.
    private static let databases =
        setting("HEARTH_TEST_SYNC_DATABASES").flatMap { Int($0) }
        ?? 2 * ProcessInfo.processInfo.activeProcessorCount

    @Test(
        "a follower's final state equals a fresh read despite lost responses and random writes",
        arguments: [500, 4])
    func convergence(changesPerPage: Int) throws {
        let seed =
            setting("HEARTH_TEST_SYNC_SEED").flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        let goal = Self.operations.map { $0 / 2 }
        let progress = Tally(changesPerPage, goal: goal, tells: Self.tells)
        let lanes = onThreads(goal == nil ? 1 : Self.databases) { lane in
            let seed = seed &+ UInt64(lane) << 32
            var round = 0
            do {
                repeat {
                    let count = goal == nil ? Self.rounds ?? 3 : Self.roundsOfDatabase
                    try Self.stretch(of: round..<(round + count), changesPerPage, seed, progress)
                    round += count
                } while goal != nil && progress.goesOn
            } catch {
                // The reflected error includes the database's message, which its description does
                // not.
                progress.add("seed \(seed): \(String(reflecting: error))")
            }
        }
        #expect(lanes.count == (goal == nil ? 1 : Self.databases))
        #expect(progress.problems == [])
    }

    /// Runs rounds in one database until the goal is reached or a problem is found.
    private static func stretch(
        of rounds: Range<Int>, _ changesPerPage: Int, _ seed: UInt64, _ progress: Tally
    ) throws {
        let isLong = Self.operations != nil
        let site = try Site(
            changesPerPage: changesPerPage, tokenSeconds: 86_400, load: Self.tells ? .many : .few)
        let model = try SyncModel(site, seed: seed, crowdedSteps: isLong ? 250 : 25)
        for round in rounds {
            var operations = 0
            for pace in [SyncModel.Pace.crowded, .quiet] {
                operations += try model.run(round, pace)
                for difference in try model.differences() {
                    progress.add("\(pace) round \(round) of seed \(seed): \(difference)")
                }
            }
            progress.add(operations)
            guard progress.goesOn else { break }
        }
        let deadlocks: Int = try Connection(site.test.settings()).query(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        if deadlocks > 0 { progress.add("\(deadlocks) deadlocks with the seed \(seed)") }
    }

    /// Collects rounds, operations and problems of all databases.
    private final class Tally: Sendable {
        private struct State: Sendable {
            var (rounds, operations) = (0, 0)
            var problems: [String] = []
        }

        private let changesPerPage: Int
        private let goal: Int?
        private let tells: Bool
        private let began = ContinuousClock.now
        private let state = Mutex(State())

        init(_ changesPerPage: Int, goal: Int?, tells: Bool) {
            self.changesPerPage = changesPerPage
            self.goal = goal
            self.tells = tells
        }

        /// Whether another round follows.
        var goesOn: Bool {
            state.withLock { $0.problems.isEmpty && $0.operations < goal ?? .max }
        }

        var problems: [String] { state.withLock { $0.problems } }

        func add(_ problem: String) { state.withLock { $0.problems.append(problem) } }

        /// Adds the operations of a round.
        func add(_ operations: Int) {
            let sum = state.withLock { state in
                state.rounds += 1
                state.operations += operations
                return state
            }
            guard tells else { return }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            tellProgress(
                "pages of \(changesPerPage): round \(sum.rounds), \(sum.operations) operations in "
                    + "\(Int(seconds)) s, \(Int(Double(sum.operations) / seconds)) a second")
        }
    }
}

/// The value of an environment variable; nil unless it is set.
func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

/// Prints progress to standard error: a full run takes minutes.
func tellProgress(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
