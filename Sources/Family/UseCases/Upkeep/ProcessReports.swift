import Basics
import Domain
import Glibc
import JSON
package import Postgres
import Repositories

/// Reports every minute that this process runs, with a sample of its main counters and its public
/// signing keys, if it has any.
///
/// A separate thread reports, and its waits are bounded: while the database does not respond, the
/// process loses nothing but reports.
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
    private let counters, largest, distributions: [String]
    private let metrics: @Sendable () -> String
    private let signingKeys: (@Sendable () -> [UInt8])?
    private let onFailure: @Sendable (any Error) -> Void
    private let state = Monitor(State())

    /// - Parameters:
    ///   - counters: Names of the metrics that a sample has, with or without labels, as in
    ///     `hearth_http_responses_total{class="5xx"}`. Without, the values of all labels are added.
    ///   - largest: Names of metrics of which a sample has the largest value of all labels.
    ///   - distributions: Names of histograms of which a sample has the counts by upper bound,
    ///     added over all other labels.
    ///   - metrics: Returns the metrics in the text format of Prometheus.
    ///   - signingKeys: Returns the public signing keys, with the times of their creation, as a
    ///     JSON Web Key Set; nil in a process that signs no tokens.
    ///   - onFailure: Called with the first failure after a success.
    package init(
        _ pool: Pool, _ program: Program, counters: [String], largest: [String] = [],
        distributions: [String] = [],
        metrics: @escaping @Sendable () -> String,
        signingKeys: (@Sendable () -> [UInt8])? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.pool = pool
        self.program = program
        self.counters = counters
        self.largest = largest
        self.distributions = distributions
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
            for name in largest { object.member(name, Self.values(of: name, in: text)?.max()) }
            for name in distributions {
                object.object(name) { counts in
                    for bucket in Self.buckets(of: name, in: text) {
                        counts.member(bucket.bound, bucket.count)
                    }
                }
            }
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

    /// Returns the sum of a metric's values; nil if the text does not have the metric.
    static func sum(of name: String, in text: String) -> Double? {
        values(of: name, in: text)?.reduce(0, +)
    }

    /// Returns the values of a metric in a text of Prometheus's format; nil if the text does not
    /// have the metric.
    static func values(of name: String, in text: String) -> [Double]? {
        let values = text.split(separator: "\n").compactMap { line -> Double? in
            guard line.hasPrefix(name) else { return nil }
            let rest = line.dropFirst(name.count)
            guard let mark = rest.first, mark == "{" || mark == " ",
                let value = rest.split(separator: " ").last.flatMap({ Double($0) }),
                value.isFinite
            else { return nil }
            return value
        }
        return values.isEmpty ? nil : values
    }

    /// Returns the numbers of a histogram's observations up to each bound, in the order of the
    /// text, added over its other labels.
    static func buckets(
        of name: String, in text: String
    ) -> [(bound: String, count: Double)] {
        var bounds: [String] = []
        var counts: [String: Double] = [:]
        let prefix = name + "_bucket{"
        for line in text.split(separator: "\n") where line.hasPrefix(prefix) {
            // The bound is the last label: ...,le="0.5"} 3
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[parts.count - 3].hasSuffix("le="),
                let count = parts.last?.split(separator: " ").last.flatMap({ Double($0) })
            else { continue }
            let bound = String(parts[parts.count - 2])
            if counts[bound] == nil { bounds.append(bound) }
            counts[bound, default: 0] += count
        }
        return bounds.map { ($0, counts[$0] ?? 0) }
    }

    /// Host name, up to its first character that is not visible ASCII, and process id.
    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = name.prefix { $0 > 0x20 && $0 < 0x7F }.map { UInt8($0) }
        return String(decoding: host.prefix(150), as: UTF8.self) + ":\(getpid())"
    }
}
