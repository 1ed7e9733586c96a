import Foundation
import Postgres
import Synchronization
import TestSupport

/// Puts one fault after another into a copy of the database and looks whether it shows.
final class Mutation: Sendable {
    /// Longer than any statement of the proof takes; some mutants never end.
    private static let patience = 20.0

    private let mutants: [Mutant]
    private let reach: Reach
    private let next = Atomic(0)
    /// By object, where other mutants of it showed: that is tried first.
    private let tellingSightings = Mutex<[String: [Sighting]]>([:])

    static func run() throws -> Score {
        let mutation = try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings())
            let reach = try Reach(connection)
            return Mutation(try Mutants.all(connection, reach), reach)
        }
        let results = onThreads(Agreement.workerCount) { _ in
            try TestDatabase.with(.migrated) { try mutation.work(in: $0) }
        }
        var total = Score()
        for result in results { total.merge(try result.get()) }
        return total
    }

    private init(_ mutants: [Mutant], _ reach: Reach) {
        let part = getenv("HEARTH_AGREEMENT_MUTANTS").map { String(cString: $0) } ?? "all"
        let texts = part.split(separator: "|")
        self.mutants = mutants.filter { mutant in
            if part == "all" { return !mutant.kind.isOnRequest }
            let name = "\(mutant.kind) \(mutant.name)"
            return texts.contains { name.contains($0) }
        }
        self.reach = reach
    }

    private func work(in database: TestDatabase) throws -> Score {
        try Prover(database).execute(Stage.script)
        var prover = try Prover(database, seconds: Self.patience)
        var score = Score()
        while true {
            let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard index < mutants.count else { return score }
            if index % 100 == 0 { Self.tell("\(index) of \(mutants.count)") }
            // What is rolled back stays lying around.
            if index % 16 == 0 { try prover.sweep() }
            try judge(mutants[index], by: prover, &score)
            if prover.isBroken { prover = try Prover(database, seconds: Self.patience) }
        }
    }

    /// For whoever waits: this takes minutes.
    private static func tell(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private func judge(_ mutant: Mutant, by prover: Prover, _ score: inout Score) throws {
        var counts = score.counts[mutant.kind] ?? Score.Counts()
        defer { score.counts[mutant.kind] = counts }
        guard try prover.takes(mutant.script) else {
            counts.impossible += 1
            return
        }
        counts.mutants += 1
        let start = ContinuousClock.now
        if let reason = Equivalents.reason(for: mutant.name) {
            score.usedReasons.insert(reason)
            counts.alike += 1
        } else if let object = mutant.object, try isNoticed(mutant, of: object, by: prover) {
            counts.byCells += 1
        } else if !prover.isBroken, try prover.differs(mutant.script) {
            counts.byCatalogue += 1
        } else {
            score.survivors.append(mutant.name)
            Self.tell("not noticed: \(mutant.name)")
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        if seconds >= 20 {
            let shown = prover.tally.mismatches.keys.first ?? "nothing"
            Self.tell("\(seconds) s: \(mutant.name): \(shown)")
        }
    }

    private func isNoticed(
        _ mutant: Mutant, of object: String, by prover: Prover
    ) throws -> Bool {
        let reached = reach.selection(for: object)
        if reached.count == 0 { return false }
        let sightings = tellingSightings.withLock { $0[object] ?? [] }
        let telling = Selection(sightings.compactMap(\.place))
        let rounds = [
            (sightings.map(\.played), telling), (Array(Agreement.cases.prefix(200)), reached),
            (Array(Agreement.cases.dropFirst(200)), reached),
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

    /// Whether the catalogue tells of a difference.
    func differs(_ script: String) throws -> Bool {
        try execute("BEGIN;" + script)
        let differences = try catalogueDifferences()
        try execute("ROLLBACK")
        return !differences.isEmpty
    }
}
