package import Basics
package import Fetching
package import Telemetry

/// Delivers spans to a collector with OTLP over HTTP, from a separate thread.
///
/// Threads that record spans never wait: spans are added to a bounded queue, and if it is full they
/// are dropped and counted. If the collector is unreachable, hangs or refuses, only spans are lost.
package final class TraceExporter: Sendable {
    /// Address of the collector, and limits.
    package struct Settings: Sendable {
        /// Full address, such as `http://localhost:4318/v1/traces`.
        package var address: FetchAddress
        /// Value of the header `Authorization`; nil for none.
        package var authorization: String?
        package var service: TracedService
        /// Maximum number of spans in the queue.
        package var queueSpans = 4_096
        /// Maximum number of spans in a request.
        package var batchSpans = 512
        /// Seconds for which spans are collected before a request is made.
        package var collectSeconds = 1.0
        /// Timeout in seconds of a request, including its response.
        package var timeoutSeconds = 10.0
        /// Seconds before the first repetition of a failed request; doubled each time.
        package var retrySeconds = 1.0
        /// Maximum number of attempts to deliver a batch.
        package var attempts = 4

        package init(address: FetchAddress, service: TracedService) {
            self.address = address
            self.service = service
        }
    }

    /// The outcome of a span.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The collector has accepted it.
        case sent
        /// The queue was full.
        case queueFull = "queue_full"
        /// The collector could not be reached in time, or was busy, after all attempts.
        case unreachable
        /// The collector refused it, or sent a response that is not valid OTLP.
        case refused
    }

    private struct State {
        var spans: [TraceSpan] = []
        /// Deadline of the last deliveries; nil until the exporter is stopped.
        var stopBy: Deadline?
        var hasStopped = false
        var isStopping: Bool { stopBy != nil }
    }

    private enum Delivery {
        case accepted(rejected: Int)
        case refused(LogField)
        case retry(LogField)
    }

    private let settings: Settings
    private let log: Log
    private let counters: MetricFamily<Counter>
    private let state = Monitor(State())

    package init(_ settings: Settings, _ metrics: Metrics, _ log: Log) {
        self.settings = settings
        self.log = log
        counters = Self.declareCounters(in: metrics)
    }

    /// Declares the counters of spans, even for a process that traces nothing.
    @discardableResult
    package static func declareCounters(in metrics: Metrics) -> MetricFamily<Counter> {
        metrics.counters(
            "hearth_trace_spans_total", "Spans of traces, by outcome.",
            [MetricLabel("outcome", Outcome.allCases.map(\.rawValue))])
    }

    /// Adds the spans of a trace to the queue, or drops them if it is full. Never waits for the
    /// collector.
    package func take(_ spans: [TraceSpan]) {
        var isTaken = false
        state.update { state in
            let count = state.spans.count + spans.count
            isTaken = !state.isStopping && count <= settings.queueSpans
            guard isTaken else { return false }
            let isFull = state.spans.count < settings.batchSpans && count >= settings.batchSpans
            state.spans += spans
            // Only a full batch wakes the thread, so that spans seldom cost a system call.
            return isFull
        }
        if !isTaken { count(.queueFull, spans.count) }
    }

    /// Starts the thread that delivers spans. Returns false if it could not be started.
    package func start() -> Bool {
        SystemThread.startDetached { self.run() }
    }

    /// Accepts no more spans, and delivers those in the queue within the given seconds.
    package func stop(withinSeconds seconds: Double) {
        let deadline = Deadline.after(seconds: seconds)
        state.change { $0.stopBy = deadline }
        _ = state.wait { ($0.hasStopped ? true : nil, deadline) }
    }

    private func run() {
        var isFailing = false
        while let batch = next() {
            let problem = deliver(batch)
            if let problem, !isFailing {
                log.warning("could not deliver traces to the collector", [problem])
            } else if problem == nil, isFailing {
                log.info("traces are delivered to the collector again")
            }
            isFailing = problem != nil
        }
        state.change { $0.hasStopped = true }
    }

    /// Waits until a batch is full, or for `collectSeconds`, and returns the spans. Nil at the end.
    private func next() -> [TraceSpan]? {
        while true {
            let deadline = Deadline.after(seconds: settings.collectSeconds)
            _ = state.wait { state in
                let isDue = state.isStopping || state.spans.count >= settings.batchSpans
                return (isDue ? true : nil, deadline)
            }
            let (batch, isOver) = state.withLock { state in
                let count = min(state.spans.count, settings.batchSpans)
                let batch = Array(state.spans.prefix(count))
                state.spans.removeFirst(count)
                return (batch, state.isStopping && batch.isEmpty)
            }
            if !batch.isEmpty { return batch }
            if isOver { return nil }
        }
    }

    /// Delivers a batch, with retries. Returns the last error; nil if the batch was accepted.
    private func deliver(_ batch: [TraceSpan]) -> LogField? {
        let body = TraceDocument.body(batch, of: settings.service)
        var pause = settings.retrySeconds
        for attempt in 1...settings.attempts {
            switch send(body) {
            case .accepted(let rejected):
                let refused = min(rejected, batch.count)
                count(.sent, batch.count - refused)
                count(.refused, refused)
                return nil
            case .refused(let problem):
                count(.refused, batch.count)
                return problem
            case .retry(let problem):
                let deadline = Deadline.after(seconds: pause)
                pause *= 2
                let isStopping =
                    attempt < settings.attempts
                    && state.wait { ($0.isStopping ? true : nil, deadline) } ?? false
                if isStopping || attempt == settings.attempts {
                    count(.unreachable, batch.count)
                    return problem
                }
            }
        }
        return nil
    }

    private func send(_ body: [UInt8]) -> Delivery {
        var client = OutboundClient(.collectors)
        let rest = state.withLock { $0.stopBy }?.remainingSeconds ?? settings.timeoutSeconds
        client.timeoutSeconds = max(0.1, min(settings.timeoutSeconds, rest))
        client.connectTimeoutSeconds = min(client.connectTimeoutSeconds, client.timeoutSeconds)
        var headers = [(name: "Content-Type", value: "application/json")]
        if let authorization = settings.authorization {
            headers.append(("Authorization", authorization))
        }
        let response: OutboundResponse
        do {
            response = try client.send("POST", to: settings.address, headers: headers, body: body)
        } catch {
            return .retry(.error(error))
        }
        switch response.status {
        case 200..<300:
            guard !response.isTruncated, let rejected = TraceDocument.rejected(in: response.body)
            else { return .refused(.reason("the response is not valid OTLP")) }
            return .accepted(rejected: rejected)
        // OTLP allows a retry after these responses.
        case 429, 502, 503, 504: return .retry(.status(response.status))
        default: return .refused(.status(response.status))
        }
    }

    private func count(_ outcome: Outcome, _ spans: Int) {
        if spans > 0 { counters[outcome.rawValue].add(spans) }
    }
}

extension TraceExporter {
    /// Path of traces below the address of a collector.
    private static let path = "/v1/traces"

    /// Returns the address for traces of a collector with the given base URL; nil if the URL can't
    /// be requested.
    package static func address(of base: String) -> FetchAddress? {
        FetchAddress(trustingNetwork: base + path)
    }
}
