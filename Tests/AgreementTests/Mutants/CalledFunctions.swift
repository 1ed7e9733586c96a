import Foundation
import Postgres
import Synchronization
import TestSupport

/// The database functions that each test suite calls, as PostgreSQL counts them.
///
/// PostgreSQL does not count an SQL function that it inlines into its caller's query.
struct CalledFunctions: Sendable {
    /// Called functions by suite, for the suites that pass; empty for a suite that calls none.
    private(set) var functions: [String: Set<String>] = [:]

    /// The texts of the test files by their names, which are those of their suites.
    private static let texts: [String: String] = {
        let folder = SourceTree.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var texts: [String: String] = [:]
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let name = file.deletingPathExtension().lastPathComponent
            texts[name] = String(
                decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
        }
        return texts
    }()

    /// Runs each suite by itself and asks PostgreSQL which functions the suite called; this takes
    /// minutes.
    ///
    /// If HEARTH_AGREEMENT_CALLS names a file, reads them from it, runs only the missing suites,
    /// and writes all of them back for the next time: a line for each suite, followed by its
    /// functions.
    static func find() throws -> CalledFunctions {
        let file = getenv("HEARTH_AGREEMENT_CALLS").map { String(cString: $0) }
        var known = CalledFunctions("")
        if let file, FileManager.default.fileExists(atPath: file) {
            known = CalledFunctions(try String(contentsOfFile: file, encoding: .utf8))
        }
        let suites = try suites().filter { known.functions[$0] == nil }
        if suites.isEmpty { return known }
        let next = Atomic(0)
        let found = Mutex(known)
        let cluster = try Connection(TestDatabase.cluster())
        try cluster.execute(script: "ALTER SYSTEM SET track_functions = 'all'")
        try cluster.execute(script: "SELECT pg_reload_conf()")
        let results = onThreads(SuiteRun.runsAtOnce) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < suites.count else { return }
                let run = try SuiteRun([suites[index]], keepsDatabases: true)
                let called = try run.calledFunctions()
                try run.dropDatabases()
                guard run.failure == nil else {
                    say("\(suites[index]) does not pass alone: it judges nothing")
                    continue
                }
                found.withLock { $0.functions[suites[index]] = called }
            }
        }
        for result in results { try result.get() }
        try cluster.execute(script: "ALTER SYSTEM RESET track_functions")
        try cluster.execute(script: "SELECT pg_reload_conf()")
        let called = found.withLock { $0 }
        if let file { try called.text.write(toFile: file, atomically: true, encoding: .utf8) }
        return called
    }

    private init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            functions[words[0]] = Set(words.dropFirst())
        }
    }

    private var text: String {
        functions.sorted { $0.key < $1.key }.map { suite, called in
            ([suite] + called.sorted()).joined(separator: " ") + "\n"
        }.joined()
    }

    /// Modules whose tests use a migrated database, with the relative cost of a suite: the last
    /// ones start programs, the first only talk to the database.
    private static let costs: [String: Double] = [
        "SchemaTests": 1, "UseCasesTests": 1.5, "JobsTests": 1.5, "APITests": 2, "WorkerTests": 4,
        "AdminTests": 4,
    ]

    /// Suites that may detect a fault in a function, in this order: suites that name it, suites
    /// that call it and compare all written rows, and the others; within each group first the
    /// suites that call the fewest functions and cost the least.
    ///
    /// - Parameter callers: Functions that call it, if PostgreSQL may not have counted it.
    func suites(calling function: String, orAnyOf callers: Set<String>) -> [String] {
        func order(_ suites: [String]) -> [String] {
            suites.map { suite in
                let module = suite.prefix { $0 != "." }
                let cost = Self.costs[String(module), default: 4]
                return (cost * Double(functions[suite]?.count ?? 0), suite)
            }.sorted { $0 < $1 }.map(\.1)
        }
        let direct = functions.filter { $0.value.contains(function) }.map(\.key)
        let others = functions.filter { suite, called in
            !called.contains(function) && !called.isDisjoint(with: callers)
        }.map(\.key)
        func text(_ suite: String) -> String {
            Self.texts[suite.split(separator: ".").last.map(String.init) ?? suite] ?? ""
        }
        let naming = functions.keys.filter { text($0).contains(function + "(") }
        let comparing = (direct + others).filter {
            !naming.contains($0) && (text($0).contains("ffects(") || text($0).contains("angeLog("))
        }
        let first = order(naming) + order(comparing)
        let all = first + (order(direct) + order(others)).filter { !first.contains($0) }
        return all.isEmpty ? order(functions.filter { !$0.value.isEmpty }.map(\.key)) : all
    }

    private static func suites() throws -> [String] {
        let list = try SuiteRun.output(["--list-tests"])
        let names = list.split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: "/")
            guard parts.count > 1, let module = parts[0].split(separator: ".").first,
                costs[String(module)] != nil
            else { return nil }
            return String(parts[0])
        }
        return Set(names).sorted()
    }
}

/// Prints progress, since this takes minutes.
func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
