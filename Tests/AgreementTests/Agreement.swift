import TestSupport

/// Runs the proof on several databases at once.
enum Agreement {
    static let workerCount = 2

    static func run(_ cases: [Case]) throws -> Tally {
        let results = onThreads(workerCount) { worker in
            // One each: the cases are played with the same people.
            try TestDatabase.with(.migrated) { database in
                let prover = try Prover(database)
                try prover.execute(Stage.script)
                for start in stride(from: worker * 32, to: cases.count, by: workerCount * 32) {
                    try prover.play(cases[start..<min(start + 32, cases.count)])
                }
                return prover.tally
            }
        }
        var total = Tally()
        for result in results { total.merge(try result.get()) }
        return total
    }
}
