import Telemetry

/// Endpoints for load balancers and monitoring.
enum HealthEndpoints {
    private static let status = Shape<String>("Status", [.text("status") { $0 }])

    static let health = Operation.open(
        "checkHealth", "The process is alive; does not check what it depends on.",
        answers: [.ok(status)]
    ) { _, _ in .of(status, "ok") }

    static let readiness = Operation.open(
        "checkReadiness", "Whether this instance is ready for requests.",
        answers: [.ok(status)], faults: [.draining, .databaseAway, .schemaBehind]
    ) { services, _ in
        if services.isDraining {
            throw away(.draining, "This instance is shutting down.")
        }
        switch services.readiness.check() {
        case .ready: return .of(status, "ready")
        case .databaseAway: throw away(.databaseAway, "The database is not reachable.")
        case .schemaBehind:
            throw away(
                .schemaBehind, "The database's schema is older than this program needs.")
        }
    }

    private static func away(_ code: FaultCode, _ message: String) -> Problem {
        Problem(code, message, headers: [("Retry-After", "1")])
    }

    static let metrics = Operation.open(
        "readMetrics", "Metrics, in Prometheus's text format.",
        answers: [.media("text/plain", "Metrics.")]
    ) { services, _ in
        Reply(
            status: 200, mediaType: Metrics.contentType, body: Array(services.metrics.text().utf8))
    }
}
