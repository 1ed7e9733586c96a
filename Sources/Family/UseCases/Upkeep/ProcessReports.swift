import Basics
import Domain
import Glibc
import JSON
package import Postgres
import Repositories

/// Reports every minute that this process runs, with a sample of its main counters and its public
/// signing keys, if it has any.
///
/// A thread of its own, whose waits are bounded: a database that does not answer costs the process
/// nothing but this thread's next report.
package final class ProcessReports: Sendable {
    /// The program whose process reports.
    package struct Program: Sendable {
        let name: String
        let version: String
        let revision: String

        package init(name: String, version: String, revision: String) {
            self.name = name
            self.version = version
            self.revision = revision.isEmpty ? "unknown" : revision
        }
    }

    private struct State: Sendable {
        var isStopping = false
        var isRunning = false
    }

    private static let intervalSeconds = 60.0
    private static let answerSeconds = 5.0

    private let id = ProcessID.random()
    private let pool: Pool
    private let program: Program
    private let counters: [String]
    private let metrics: @Sendable () -> String
    private let signingKeys: (@Sendable () -> [UInt8])?
    private let onFailure: @Sendable (any Error) -> Void
    private let state = Monitor(State())

    /// - Parameters:
    ///   - counters: Names of the metrics that a sample has; the values of a metric with labels are
    ///     added.
    ///   - metrics: Returns the metrics in the text format of Prometheus.
    ///   - signingKeys: Returns the public signing keys, with the times of their creation, as a
    ///     JSON Web Key Set; nil in a process that signs no tokens.
    ///   - onFailure: Called with the first failure after a success.
    package init(
        _ pool: Pool, _ program: Program, counters: [String],
        metrics: @escaping @Sendable () -> String,
        signingKeys: (@Sendable () -> [UInt8])? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.pool = pool
        self.program = program
        self.counters = counters
        self.metrics = metrics
        self.signingKeys = signingKeys
        self.onFailure = onFailure
    }

    /// Starts the thread; returns false if the system can't create one.
    package func start() -> Bool {
        state.change { $0.isRunning = true }
        let isStarted = SystemThread.startDetached { self.run() }
        if !isStarted { state.change { $0.isRunning = false } }
        return isStarted
    }

    /// Stops reporting, and waits until the thread no longer uses the pool.
    package func stop() {
        state.change { $0.isStopping = true }
        let deadline = Deadline.after(seconds: 2 * Self.answerSeconds + 1)
        _ = state.wait { ($0.isRunning ? nil : true, deadline) }
    }

    private func run() {
        var hasFailed = false
        while !state.withLock({ $0.isStopping }) {
            do {
                try report()
                hasFailed = false
            } catch {
                if !hasFailed { onFailure(error) }
                hasFailed = true
            }
            let next = Deadline.after(seconds: Self.intervalSeconds)
            _ = state.wait { ($0.isStopping ? true : nil, next) }
        }
        state.change { $0.isRunning = false }
    }

    /// Makes one report.
    package func report() throws {
        var json = JSONWriter()
        let text = metrics()
        json.object { object in
            for name in counters { object.member(name, Self.sum(of: name, in: text)) }
        }
        let keys = signingKeys?()
        try pool.withConnection(deadline: .after(seconds: Self.answerSeconds)) { connection in
            let deadline = Deadline.after(seconds: Self.answerSeconds)
            try connection.run(
                Processes.report, id, program.name, program.version, program.revision, Self.host,
                PostgresJSON(utf8: json.bytes), deadline: deadline)
            if let keys {
                try connection.run(
                    Processes.reportSigningKeys, id, PostgresJSON(utf8: keys), deadline: deadline)
            }
        }
    }

    /// Returns the sum of a metric's values in a text of Prometheus's format; nil if the text does
    /// not have the metric.
    static func sum(of name: String, in text: String) -> Double? {
        var sum: Double?
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            let rest = line.dropFirst(name.count)
            guard let mark = rest.first, mark == "{" || mark == " ",
                let value = rest.split(separator: " ").last.flatMap({ Double($0) }),
                value.isFinite
            else { continue }
            sum = (sum ?? 0) + value
        }
        return sum
    }

    /// Host name, up to its first character that is not visible ASCII, and process id.
    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = name.prefix { $0 > 0x20 && $0 < 0x7F }.map { UInt8($0) }
        return String(decoding: host.prefix(150), as: UTF8.self) + ":\(getpid())"
    }
}
