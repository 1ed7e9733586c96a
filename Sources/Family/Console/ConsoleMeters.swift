import Telemetry

/// Metrics of the console.
final class ConsoleMeters: Sendable {
    private let requests: MetricFamily<Counter>

    private static let classes = ["2xx", "3xx", "4xx", "5xx"]

    init(_ metrics: Metrics, _ board: ConsoleBoard) {
        requests = metrics.counters(
            "hearth_console_requests_total", "Requests to the operators' console, by status.",
            [MetricLabel("class", Self.classes)])
        metrics.gauge("hearth_console_streams", "Open pages of the console that are renewed.") {
            [weak board] in board.map { Double($0.streamCount) }
        }
    }

    func count(_ status: Int) {
        requests[Self.classes[min(max(status / 100, 2), 5) - 2]].add()
    }
}
