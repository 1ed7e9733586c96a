package import Basics
package import Telemetry

/// The components that trace a program's requests or jobs.
package struct TraceParts: Sendable {
    package let tracer: Tracer
    private let exporter: TraceExporter
    private let log: Log

    /// Seconds allowed for delivering the last spans when the program ends.
    private static let stopSeconds = 2.0

    /// - Parameter oneIn: One in this many requests and jobs is traced.
    package init(
        _ settings: TraceExporter.Settings, oneIn: Int, _ metrics: Metrics, _ log: Log
    ) {
        let exporter = TraceExporter(settings, metrics, log)
        self.exporter = exporter
        self.log = log
        tracer = Tracer(oneIn: oneIn) { exporter.take($0) }
    }

    /// Starts delivering spans.
    package func start() {
        if !exporter.start() { log.error("could not start the thread that delivers traces") }
    }

    /// Delivers the last spans. Takes at most two seconds.
    package func stop() { exporter.stop(withinSeconds: Self.stopSeconds) }
}
