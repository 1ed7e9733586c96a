import enum DomainCore.RefusalCode
import HTTPServer
import Policy
import Telemetry
import UseCases

/// Metrics of requests.
struct RequestMeters: Sendable {
    /// The metrics of an endpoint.
    private struct Series: Sendable {
        /// A counter for each of the known statuses, in order, and one for all others.
        let requests: ArraySlice<Counter>
        let duration: Histogram
    }

    private let ofEndpoints: [ObjectIdentifier: Series]
    private let requests: MetricFamily<Counter>
    /// One counter for each class of status, from 2xx to 5xx.
    private let classes: ArraySlice<Counter>
    private let durations: MetricFamily<Histogram>
    private let refusals: MetricFamily<Counter>
    private let limited: MetricFamily<Counter>
    private let joinsHeld: Counter
    private let keysPending: Counter

    init(_ metrics: Metrics) {
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        let others = ["\(RestForwarder.label)", "unknown"]
        let table = Routes.table + PageRoutes.table
        let routes = Array(Set(table.map { "\($0.pattern)" })).sorted() + others
        requests = metrics.counters(
            "hearth_http_requests_total", "Completed requests.",
            [
                MetricLabel("method", methods),
                MetricLabel("route", routes),
                MetricLabel("status", Self.statuses.map { "\($0)" }),
            ],
            // The series exist from the start: an alert on the first 500 of a route compares it
            // with 0.
            shown: table.map { [$0.method.name, "\($0.pattern)", "500"] }
                + others.flatMap { route in methods.map { [$0, route, "500"] } })
        classes = metrics.counters(
            "hearth_http_responses_total", "Completed requests, by class of status.",
            [MetricLabel("class", ["2xx", "3xx", "4xx", "5xx"])]
        ).row()
        durations = metrics.histograms(
            "hearth_http_request_duration_seconds", "Duration of requests.",
            [MetricLabel("route", routes)])
        let (requests, durations) = (requests, durations)
        ofEndpoints = Dictionary(
            uniqueKeysWithValues: table.map { endpoint in
                let route = "\(endpoint.pattern)"
                let series = Series(
                    requests: requests.row(endpoint.method.name, route), duration: durations[route])
                return (ObjectIdentifier(endpoint), series)
            })
        refusals = metrics.counters(
            "hearth_policy_refusals_total", "Requests refused by the policy.",
            [MetricLabel("reason", RefusalCode.ofPolicy.map(\.rawValue).sorted())])
        limited = metrics.counters(
            "hearth_rate_limit_refusals_total", "Requests refused by a rate limit.",
            [MetricLabel("limit", AttemptLimit.allCases.map(\.name) + DatabaseRefusals.limitNames)])
        joinsHeld = metrics.counter(
            "hearth_code_joins_held_total",
            "Joins by a family code that await approval only because of wrong codes.")
        keysPending = metrics.counter(
            "hearth_keys_pending_total",
            "Requests with a token of an unknown key, too soon after the last fetch of keys.")
    }

    /// Counts a completed request.
    ///
    /// - Parameter nanoseconds: Its duration; nil if it is not known.
    func count(_ exchange: Exchange, _ status: Int, nanoseconds: Int?) {
        let endpoint = exchange.endpoint
        guard endpoint.method == exchange.request.method,
            let series = ofEndpoints[ObjectIdentifier(endpoint)]
        else {
            return count(
                exchange.request.method, endpoint.pattern, status, nanoseconds: nanoseconds)
        }
        let index = Self.statuses.firstIndex(of: status) ?? Self.statuses.count
        countClass(of: status)
        series.requests[series.requests.startIndex + index].add()
        if let nanoseconds { series.duration.observe(nanoseconds: nanoseconds) }
    }

    /// Counts a request whose method or route is not in the table.
    private func count(_ method: Method, _ route: StaticString, _ status: Int, nanoseconds: Int?) {
        let route = "\(route)"
        countClass(of: status)
        requests[method.name, route, "\(status)"].add()
        if let nanoseconds { durations[route].observe(nanoseconds: nanoseconds) }
    }

    private func countClass(of status: Int) {
        classes[classes.startIndex + min(max(status / 100, 2), 5) - 2].add()
    }

    /// Counts a use case's refusal by its code, if the policy or a limit caused it.
    func count(_ refusal: Refusal) {
        let code = refusal.code
        if RefusalCode.ofPolicy.contains(code) { refusals[code.rawValue].add() }
        if case .limit(let name, _, _) = refusal.parameter { limited[name].add() }
    }

    /// Counts a request that must be retried once its issuer's keys may be fetched. Strangers can
    /// cause any number of them, so they don't count as failed requests.
    func countKeysPending() { keysPending.add() }

    /// Counts a join that is held for approval because many wrong codes arrive.
    func count(_ joined: CodeService.Joined) {
        if joined.isHeld { joinsHeld.add() }
    }

    private static let statuses = [
        200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429,
        431, 500, 503,
    ]
}
