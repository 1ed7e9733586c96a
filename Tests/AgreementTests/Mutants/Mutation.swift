import Foundation
import Postgres
import Synchronization
import TestSupport

/// Injects one fault after another into a copy of the database, and checks whether the cells detect
/// it.
final class Mutation: Sendable {
    /// Time limit of a statement in seconds, longer than any statement without a fault takes; some
    /// mutants never end.
    private static let patience = 20.0

    /// Number of cases tried for each fault before any fault is tried on all cases. An undetected
    /// fault takes as long as a thousand others, so undetected faults are reported early.
    private static let firstCases = 96

    /// All cases, in pairwise order.
    private static let allCases = PairwiseOrder.of(Agreement.cases)

    private let mutants: [Mutant]
    private let cases: [Case]
    /// Whether this run tries all cases after the first ones, which takes minutes for each fault.
    private var isWhole: Bool { cases.count > Self.firstCases }
    private let reach: Reach
    private let next = Atomic(0)
    /// Mutants that these cases did not detect.
    private let unnoticed = Mutex<[Mutant]>([])
    /// Positions at which other mutants of an object were detected, by object; they are tried
    /// first.
    private let tellingSightings = Mutex<[String: [Sighting]]>([:])

    static func run() throws -> Score {
        let (wanted, reach) = try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings())
            let reach = try Reach(connection)
            return (chosen(of: try Mutants.all(connection)), reach)
        }
        // A function's tests take less time than the cells that reach it.
        var score = Score()
        var left = wanted.filter { !$0.kind.isOnRequest }
        let inFunctions = wanted.filter(\.kind.isOnRequest)
        if !inFunctions.isEmpty {
            let others = try OtherTests(inFunctions, reach)
            try score.merge(others.score())
            left += others.unnoticed
        }
        let quick = Mutation(left, on: Array(allCases.prefix(firstCases)), reach)
        try score.merge(quick.score())
        left = quick.unnoticed.withLock { $0 }
        for mutant in left { say("not noticed in \(firstCases) cases: \(mutant.name)") }
        if OtherTests.suiteLimit != nil { return score.with(survivors: left) }
        let whole = Mutation(left, on: Array(allCases.dropFirst(firstCases)), reach)
        try score.merge(whole.score())
        return score.with(survivors: whole.unnoticed.withLock { $0 })
    }

    private static func chosen(of mutants: [Mutant]) -> [Mutant] {
        let part = getenv("HEARTH_AGREEMENT_MUTANTS").map { String(cString: $0) } ?? "all"
        let texts = part.split(separator: "|")
        return mutants.filter { mutant in
            if part == "all" { return !mutant.kind.isOnRequest }
            let name = "\(mutant.kind) \(mutant.name)"
            return texts.contains { name.contains($0) }
        }
    }

    private init(_ mutants: [Mutant], on cases: [Case], _ reach: Reach) {
        self.mutants = mutants
        self.cases = cases
        self.reach = reach
    }

    /// Tries all mutants and returns the number of detected, undetected and impossible ones.
    private func score() throws -> Score {
        let results = onThreads(Agreement.workerCount) { _ in
            try TestDatabase.with(.migrated) { try self.work(in: $0) }
        }
        var total = Score()
        for result in results { total.merge(try result.get()) }
        return total
    }

    private func work(in database: TestDatabase) throws -> Score {
        try Prover(database).execute(Stage.script)
        var prover = try Prover(database, seconds: Self.patience)
        var score = Score()
        while true {
            let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard index < mutants.count else { return score }
            if index % 100 == 0 || isWhole { say("\(index) of \(mutants.count)") }
            // Rows that were rolled back still take space.
            if index % 16 == 0 { try prover.sweep() }
            try judge(mutants[index], by: prover, &score)
            if prover.isBroken { prover = try Prover(database, seconds: Self.patience) }
        }
    }

    private func judge(_ mutant: Mutant, by prover: Prover, _ score: inout Score) throws {
        var counts = score.counts[mutant.kind] ?? Score.Counts()
        defer { score.counts[mutant.kind] = counts }
        guard try prover.takes(mutant.script) else {
            counts.impossible += 1
            return
        }
        let start = ContinuousClock.now
        if let reason = Equivalents.reason(for: mutant.name) {
            score.usedReasons.insert(reason)
            counts.alike += 1
        } else if let object = mutant.object, try isNoticed(mutant, of: object, by: prover) {
            counts.byCells += 1
        } else if !prover.isBroken, try prover.differs(mutant.script) {
            counts.byCatalogue += 1
        } else {
            unnoticed.withLock { $0.append(mutant) }
            return
        }
        counts.mutants += 1
        let seconds = (ContinuousClock.now - start).components.seconds
        if seconds >= 20 {
            let shown = prover.tally.mismatches.keys.first ?? "nothing"
            say("\(seconds) s: \(mutant.name): \(shown)")
        }
    }

    private func isNoticed(
        _ mutant: Mutant, of object: String, by prover: Prover
    ) throws -> Bool {
        let reached = reach.selection(for: object)
        if reached.count == 0 { return false }
        let sightings = tellingSightings.withLock { $0[object] ?? [] }
        let telling = Selection(sightings.compactMap(\.key))
        let rounds = [
            (sightings.map(\.played), telling), (cases, reached),
        ]
        for (cases, selection) in rounds {
            for isBroken in [false, true] {
                let change = isBroken ? ";" + Stage.withoutGuardianConstraint : ""
                guard
                    let sighting = try prover.firstMismatch(
                        in: cases.filter { $0.breaksConstraint == isBroken }, of: selection,
                        after: mutant.script + change)
                else { continue }
                tellingSightings.withLock { $0[object] = [sighting] + sightings.prefix(11) }
                return true
            }
        }
        return false
    }
}

extension Prover {
    /// Whether PostgreSQL accepts the script.
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

    /// Whether the catalogue shows a difference.
    func differs(_ script: String) throws -> Bool {
        try execute("BEGIN;" + script)
        let differences = try catalogueDifferences()
        try execute("ROLLBACK")
        return !differences.isEmpty
    }
}
