import Foundation
import Postgres
import TestSupport

/// A run of tests in a process of its own, to its end or to the first failure.
struct SuiteRun {
    /// Time limit of a run in seconds, longer than any suites take together; a fault may make them
    /// hang.
    private static let patience = 300.0

    /// Number of concurrent runs, more than there are processors: most suites mostly wait.
    static let runsAtOnce = 6

    private let process: Subprocess
    /// The first line of a failure, after which the other tests were not run; nil if all passed.
    let failure: String?
    /// The test that failed, such as `Module.Suite/name()`; nil if that isn't known.
    let failedTest: String?

    /// - Parameter names: Suites, such as `Module.Suite`, and tests, such as `Module.Suite/name()`.
    /// - Parameter change: SQL that changes their databases.
    /// - Throws: `PostgresError`, or an error if the program can't be started.
    init(
        _ names: [String], changedBy change: String? = nil, keepsDatabases: Bool = false
    ) throws {
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("HEARTH_AGREEMENT_")
        }
        if keepsDatabases { environment["HEARTH_TEST_KEEP_DATABASES"] = "yes" }
        let pattern = names.map { "^" + NSRegularExpression.escapedPattern(for: $0) + "/" }
            .joined(separator: "|")
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("suites-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (log, events) = (folder.appending(path: "log"), folder.appending(path: "events"))
        try Data().write(to: log)
        if let change {
            let script = folder.appending(path: "change.sql")
            try Data(change.utf8).write(to: script)
            environment["HEARTH_TEST_CHANGE"] = script.path
        }
        let output = try FileHandle(forWritingTo: log)
        process = try Subprocess(
            try Self.program,
            [
                "--testing-library", "swift-testing", "--filter", pattern,
                "--event-stream-output-path", events.path, "--event-stream-version", "0",
            ],
            environment: environment, output: .file(output), errors: .file(output))
        func told() throws -> String? {
            try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
                .first { $0.contains("recorded an issue") }.map(String.init)
        }
        let process = process
        do {
            try eventually(within: Self.patience) { try !process.isRunning || told() != nil }
        } catch is TimedOut {
            try process.kill()
            failure = "did not end within \(Int(Self.patience)) seconds"
            failedTest = nil
            return
        }
        if process.isRunning { try process.kill() }
        try output.close()
        failure =
            try told()
            ?? (process.exitCode == 0 ? nil : "ended with exit code \(process.exitCode)")
        failedTest = failure == nil ? nil : try Self.failedTest(in: events)
    }

    /// The first test with an issue in the events that the tests wrote.
    private static func failedTest(in events: URL) throws -> String? {
        for line in try String(contentsOf: events, encoding: .utf8).split(separator: "\n")
        where line.contains(#""kind":"issueRecorded""#) {
            let text = line.replacing(#"\/"#, with: "/")
            // The id ends with the source location, which is no part of the name.
            guard let id = text.firstMatch(of: #/"testID":"([^"]+)/[^"/]+:\d+:\d+"/#) else {
                continue
            }
            return String(id.output.1)
        }
        return nil
    }

    /// The path of this test program.
    private static var program: String {
        get throws {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        }
    }

    static func output(_ arguments: [String]) throws -> String {
        let pipe = Pipe()
        let process = try Subprocess(
            try program, ["--testing-library", "swift-testing"] + arguments, output: .pipe(pipe))
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        try process.wait()
        return String(decoding: data, as: UTF8.self)
    }

    /// The functions called in the databases that the tests kept.
    ///
    /// - Throws: `TimedOut` if their sessions do not end.
    func calledFunctions() throws -> Set<String> {
        var called: Set<String> = []
        // A session reports its calls when it ends.
        try eventually { try sessionCount() == 0 }
        for database in try databases() {
            var settings = try TestDatabase.cluster()
            settings.set("dbname", database)
            let rows = try Connection(settings).query(
                """
                SELECT format('%s.%s', schemaname, funcname) FROM pg_stat_user_functions
                WHERE schemaname IN ('app', 'gateway', 'jobs')
                """)
            for row in try rows.map({ (row) throws(PostgresError) in try row.read() as String }) {
                called.insert(row)
            }
        }
        return called
    }

    /// Drops the databases that the tests of this run did not drop themselves.
    func dropDatabases() throws {
        let connection = try Connection(TestDatabase.cluster())
        for database in try databases() {
            try connection.execute(script: "DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
        }
    }

    /// The LIKE pattern of the names of their databases.
    private var pattern: String { "test\\_\(process.id)\\_%" }

    private func sessionCount() throws -> Int {
        try Connection(TestDatabase.cluster()).query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname LIKE \(pattern)"
        ).scalar()
    }

    private func databases() throws -> [String] {
        try Connection(TestDatabase.cluster()).query(
            "SELECT datname::text FROM pg_database WHERE datname LIKE \(pattern)"
        ).map { (row) throws(PostgresError) in try row.read() }
    }
}
