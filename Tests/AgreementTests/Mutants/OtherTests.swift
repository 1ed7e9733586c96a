import Postgres
import Synchronization
import TestSupport

/// The project's other tests as judges of faults in functions.
///
/// Cells tell who is refused. These tell in which words, and what a function writes once it has
/// allowed a call. Each fault is put into a template of its own, and the suites that call its
/// function run on copies of that, until one of them fails.
final class OtherTests: Sendable {
    private let mutants: [Mutant]
    private let called: CalledFunctions
    private let reach: Reach
    private let next = Atomic(0)

    init(_ mutants: [Mutant], _ reach: Reach) throws {
        self.mutants = mutants
        self.reach = reach
        called = try CalledFunctions.find()
    }

    /// Those that no suite notices.
    func unnoticed() throws -> [Mutant] {
        let results = onThreads(SuiteRun.runsAtOnce) { worker in
            var left: [Mutant] = []
            while true {
                let index = self.next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < self.mutants.count else { return left }
                let mutant = self.mutants[index]
                let failure = try self.failure(with: mutant, in: "faulty_\(worker)")
                say("\(index) of \(self.mutants.count): \(mutant.name): \(failure ?? "passed")")
                if failure == nil { left.append(mutant) }
            }
        }
        return try results.flatMap { try $0.get() }
    }

    /// How the first suites that fail tell of it; nil when all pass.
    private func failure(with mutant: Mutant, in template: String) throws -> String? {
        guard let object = mutant.object else { return nil }
        try put(mutant, into: template)
        let isCounted = mutant.script.contains("LANGUAGE plpgsql")
        var suites = called.suites(
            calling: object, orAnyOf: isCounted ? [] : reach.callers(of: object))[...]
        var count = 1
        while !suites.isEmpty {
            let run = try SuiteRun(Array(suites.prefix(count)), template: template)
            try run.dropDatabases()
            if let failure = run.failure { return failure }
            suites = suites.dropFirst(count)
            count *= 2
        }
        return nil
    }

    private func put(_ mutant: Mutant, into template: String) throws {
        let cluster = try Connection(TestDatabase.cluster())
        try cluster.execute(script: "DROP DATABASE IF EXISTS \(template) WITH (FORCE)")
        try cluster.execute(script: "CREATE DATABASE \(template) TEMPLATE hearth_template")
        var settings = try TestDatabase.cluster()
        settings.set("dbname", template)
        try Connection(settings).execute(script: mutant.script)
    }
}
