import Glibc
import Postgres
import Synchronization
import TestSupport

/// Checks whether the project's other tests detect faults in functions.
///
/// Cells show only who is refused. These tests also check the error's wording and the rows that a
/// function writes once it has allowed a call, and they take seconds where cells of a widely used
/// function take minutes. The suites that call a function run on databases with a fault in it,
/// until one of them fails.
final class OtherTests: Sendable {
    /// Maximum number of suites tried for each fault, from HEARTH_AGREEMENT_SUITES. An undetected
    /// fault in a function that nearly all suites call takes as long as a hundred others.
    static let suiteLimit = getenv("HEARTH_AGREEMENT_SUITES").flatMap { Int(String(cString: $0)) }

    private let mutants: [Mutant]
    private let called: CalledFunctions
    private let reach: Reach
    private let next = Atomic(0)
    /// Tests that detected faults in a function, by function, the latest first; they are tried
    /// first on the next fault.
    private let telling = Mutex<[String: [String]]>([:])
    private let left = Mutex<[Mutant]>([])

    init(_ mutants: [Mutant], _ reach: Reach) throws {
        self.mutants = mutants
        self.reach = reach
        called = try CalledFunctions.find()
    }

    /// Mutants that no suite has detected.
    var unnoticed: [Mutant] { left.withLock { $0 } }

    /// The score without the mutants that no suite has detected.
    func score() throws -> Score {
        let results = onThreads(SuiteRun.runsAtOnce) { _ in
            try TestDatabase.with(.migrated) { try self.work(in: $0) }
        }
        var total = Score()
        for result in results { total.merge(try result.get()) }
        return total
    }

    /// - Parameter database: The database in which PostgreSQL is asked whether it accepts a fault.
    private func work(in database: TestDatabase) throws -> Score {
        let prover = try Prover(database)
        var score = Score()
        while true {
            let index = self.next.wrappingAdd(1, ordering: .relaxed).oldValue
            guard index < self.mutants.count else { return score }
            let mutant = self.mutants[index]
            let progress = "\(index) of \(self.mutants.count): \(mutant.name)"
            switch try self.fate(of: mutant, asking: prover) {
            case .impossible: score.counts[mutant.kind, default: .init()].impossible += 1
            case .alike(let reason):
                score.usedReasons.insert(reason)
                score.counts[mutant.kind, default: .init()].mutants += 1
                score.counts[mutant.kind]?.alike += 1
            case .noticed(let failure):
                say("\(progress): \(failure)")
                score.counts[mutant.kind, default: .init()].mutants += 1
                score.counts[mutant.kind]?.byTests += 1
            case .left:
                say("\(progress): passed")
                self.left.withLock { $0.append(mutant) }
            }
        }
    }

    private enum Fate {
        case impossible, left
        case alike(String)
        /// The failures of the first suites that detected the fault.
        case noticed(String)
    }

    private func fate(of mutant: Mutant, asking prover: Prover) throws -> Fate {
        if let reason = Equivalents.reason(for: mutant.name) { return .alike(reason) }
        guard let object = mutant.object else { return .left }
        guard try prover.takes(mutant.script) else { return .impossible }
        let change = Self.noteDefinitions + mutant.script + ";" + Self.recordDefinitions
        let isCounted = mutant.script.contains("LANGUAGE plpgsql")
        let first = telling.withLock { $0[object] ?? [] }
        let suites = called.suites(
            calling: object, orAnyOf: isCounted ? [] : reach.callers(of: object))
        let others = Array(suites.prefix(Self.suiteLimit ?? .max))
        for names in (first.isEmpty ? [] : [first]) + Self.growing(others) {
            let run = try SuiteRun(names, changedBy: change)
            try run.dropDatabases()
            guard let failure = run.failure else { continue }
            if let test = run.failedTest {
                telling.withLock { telling in
                    let known = telling[object] ?? []
                    telling[object] = [test] + known.filter { $0 != test }.prefix(3)
                }
            }
            return .noticed(failure)
        }
        return .left
    }

    /// Groups the suites: the first alone, then two, four and so on, because the first suite
    /// detects most faults.
    private static func growing(_ suites: [String]) -> [[String]] {
        var groups: [[String]] = []
        var (rest, count) = (suites[...], 1)
        while !rest.isEmpty {
            groups.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            count *= 2
        }
        return groups
    }

    /// Records the fault's definition as if a migration had made it. Otherwise `hearth-admin
    /// doctor` would report each changed function, and every test that runs it would notice all
    /// faults.
    private static let noteDefinitions = """
        CREATE TEMP TABLE before AS
        SELECT p.oid, rtrim(pg_get_functiondef(p.oid), E'\\n') AS statement
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE n.nspname IN ('app', 'gateway', 'jobs') AND p.prokind = 'f';
        """
    private static let recordDefinitions = """
        UPDATE migrations.definitions AS d
        SET statement = rtrim(pg_get_functiondef(b.oid), E'\\n')
        FROM before AS b
        WHERE d.statement = b.statement AND d.kind = 'function'
            AND rtrim(pg_get_functiondef(b.oid), E'\\n') <> b.statement;
        """
}
