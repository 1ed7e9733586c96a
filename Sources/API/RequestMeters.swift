import HTTPServer
import Policy
import Postgres
import Service

/// What is counted of requests.
struct RequestMeters: Sendable {
    private let requests: Family<Counter>
    private let durations: Family<Histogram>
    private let refusals: Family<Counter>

    init(_ metrics: Metrics, pool: Pool) {
        let routes = Array(Set(Routes.table.map { "\($0.pattern)" })).sorted() + ["unknown"]
        requests = metrics.counters(
            "hearth_http_requests_total", "Requests answered.",
            [
                MetricLabel("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
                MetricLabel("route", routes),
                MetricLabel("status", Self.statuses.map { "\($0)" }),
            ])
        durations = metrics.histograms(
            "hearth_http_request_duration_seconds", "Time from request to answer.",
            [MetricLabel("route", routes)])
        refusals = metrics.counters(
            "hearth_policy_refusals_total", "Requests that the policy refused.",
            [MetricLabel("reason", Reason.allCases.map(\.rawValue))])
        metrics.gauge("hearth_pool_in_use", "Database connections lent out.") {
            Double(pool.statistics.inUse)
        }
        metrics.gauge("hearth_pool_waiting", "Requests waiting for a database connection.") {
            Double(pool.statistics.waiting)
        }
    }

    func count(_ method: Method, _ route: StaticString, _ status: Int, nanoseconds: Int) {
        let route = "\(route)"
        requests[method.name, route, "\(status)"].add()
        durations[route].observe(nanoseconds: nanoseconds)
    }

    func count(refusal: Reason) { refusals[refusal.rawValue].add() }

    private static let statuses = [
        200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 431, 500,
        503,
    ]
}
