import Glibc
import Postgres
import Synchronization
import TestSupport
import Testing

/// Takes long, and tells of the tests rather than of Hearth: run by `scripts/agreement`.
@Suite("Faults", .enabled(if: getenv("HEARTH_AGREEMENT_MUTANTS") != nil))
struct MutationTests {
    @Test("in policies, views, functions and grants are all noticed")
    func mutants() throws {
        let score = try explaining { try Mutation.run() }
        print(score)
        for name in score.survivors where Equivalents.reason(for: name) == nil {
            Issue.record("not noticed: \(name)")
        }
        #expect(score.survivors.allSatisfy { Equivalents.reason(for: $0) != nil })
    }
}

/// How many mutants there were, and what became of them.
struct Score: Sendable, CustomStringConvertible {
    struct Counts: Sendable {
        var mutants = 0
        var byCells = 0
        var byCatalogue = 0
        var alike = 0
        /// Not SQL that PostgreSQL takes.
        var impossible = 0
    }

    var counts: [Mutant.Kind: Counts] = [:]
    var survivors: [String] = []

    var description: String {
        var lines = [
            "mutants of                                                    all  cells  "
                + "catalogue  alike  missed"
        ]
        for kind in Mutant.Kind.allCases {
            let count = counts[kind] ?? Counts()
            let missed = count.mutants - count.byCells - count.byCatalogue - count.alike
            lines.append(
                kind.rawValue.padded(58)
                    + [count.mutants, count.byCells, count.byCatalogue, count.alike, missed]
                    .map { "\($0)".aligned(8) }.joined())
        }
        return lines.joined(separator: "\n")
    }
}

enum Mutation {
    static func run() throws -> Score {
        let mutants = try TestDatabase.with(.migrated) { database in
            try Mutants.all(Connection(database.settings()))
        }
        let next = Atomic(0)
        let results = onThreads(Agreement.workerCount) { _ in
            try TestDatabase.with(.migrated) { database in
                try Prover(database).execute(Stage.script)
                var score = Score()
                while true {
                    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard index < mutants.count else { return score }
                    try judge(mutants[index], in: database, &score)
                }
            }
        }
        var total = Score()
        for result in results {
            let score = try result.get()
            total.survivors += score.survivors
            for (kind, count) in score.counts {
                var sum = total.counts[kind] ?? Score.Counts()
                sum.mutants += count.mutants
                sum.byCells += count.byCells
                sum.byCatalogue += count.byCatalogue
                sum.alike += count.alike
                sum.impossible += count.impossible
                total.counts[kind] = sum
            }
        }
        return total
    }

    private static let cases = Case.all.filter { !$0.breaksConstraint }
    private static let brokenCases = Case.all.filter(\.breaksConstraint)

    private static func judge(
        _ mutant: Mutant, in database: TestDatabase, _ score: inout Score
    ) throws {
        var counts = score.counts[mutant.kind] ?? Score.Counts()
        defer { score.counts[mutant.kind] = counts }
        let prover = try Prover(database)
        guard try prover.takes(mutant.script) else {
            counts.impossible += 1
            return
        }
        counts.mutants += 1
        if !mutant.isForCatalogue, try prover.notices(mutant, cases, brokenCases) {
            counts.byCells += 1
        } else if try Prover(database).differs(mutant.script) {
            counts.byCatalogue += 1
        } else {
            score.survivors.append("\(mutant.kind): \(mutant.name)")
            if Equivalents.reason(for: mutant.name) != nil { counts.alike += 1 }
        }
    }
}

extension Prover {
    /// Whether the script is one that PostgreSQL runs.
    func takes(_ script: String) throws -> Bool {
        do {
            try execute("BEGIN;" + script)
        } catch let error as PostgresError where error.code == .server {
            try execute("ROLLBACK")
            return false
        }
        try execute("ROLLBACK")
        return true
    }

    /// Whether a cell comes out differently, or the stage can't even be set.
    func notices(_ mutant: Mutant, _ cases: [Case], _ brokenCases: [Case]) throws -> Bool {
        do {
            try play(cases, after: mutant.script, stopsAtMismatch: true)
            if tally.mismatchCount > 0 { return true }
            try play(
                brokenCases, after: mutant.script + Stage.withoutGuardianConstraint,
                stopsAtMismatch: true)
            return tally.mismatchCount > 0
        } catch let error as PostgresError
            where error.code == .server || error.code == .deadlineExceeded
        {
            return true
        }
    }

    /// Whether the catalogue tells of a difference.
    func differs(_ script: String) throws -> Bool {
        try execute("BEGIN;" + script)
        let differences = try catalogueDifferences()
        try execute("ROLLBACK")
        return !differences.isEmpty
    }
}

extension String {
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
    func aligned(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
