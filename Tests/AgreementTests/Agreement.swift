import Glibc
import TestSupport

/// Runs the proof on several databases at once.
enum Agreement {
    static let workerCount = 2

    /// All cases, or as many as `scripts/test` has time for.
    static let cases = getenv("HEARTH_AGREEMENT_ALL") != nil ? Case.all : Case.sample

    static func run() throws -> Tally {
        let results = onThreads(workerCount) { worker in
            // One database each, since the cases use the same people.
            try TestDatabase.with(.migrated) { database in
                let prover = try Prover(database)
                try prover.execute(Stage.script)
                let own = cases.enumerated().filter { $0.offset % workerCount == worker }
                    .map(\.element)
                try prover.playAll(own.filter { !$0.breaksConstraint }[...])
                try prover.playAll(
                    own.filter(\.breaksConstraint)[...], after: Stage.withoutGuardianConstraint)
                return prover.tally
            }
        }
        var total = Tally()
        for result in results { total.merge(try result.get()) }
        return total
    }
}
