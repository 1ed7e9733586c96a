import Telemetry

/// Endpoints for load balancers and monitoring.
enum HealthEndpoints {
    private static let status = Shape<String>("Status", [.text("status") { $0 }])

    static let health = Operation.open(
        "checkHealth", "Reports that the process is alive; does not check the database.",
        responses: [.ok(status)]
    ) { _, _ in .of(status, "ok") }

    static let readiness = Operation.open(
        "checkReadiness", "Whether this instance is ready for requests.",
        responses: [.ok(status)],
        faults: [
            .draining, .databaseAway, .databaseRestartNeeded, .schemaBehind, .poolerUnfit,
            .secretKeyDiffers,
        ]
    ) { services, _ in
        if services.isDraining {
            throw away(.draining, "This instance is shutting down.")
        }
        switch services.checkReadiness() {
        case .ready: return .of(status, "ready")
        case .databaseAway: throw away(.databaseAway, "The database is not reachable.")
        case .encodingUnfit:
            throw away(
                .schemaBehind,
                "The database's encoding is not UTF8: make another database with ENCODING 'UTF8'.")
        case .restartNeeded:
            throw away(
                .databaseRestartNeeded,
                "PostgreSQL's files were replaced while it was running: restart PostgreSQL.")
        case .schemaBehind:
            throw away(
                .schemaBehind, "The database's schema is older than this program needs.")
        case .poolerUnfit:
            throw away(
                .poolerUnfit,
                "The pooler in front of the database loses prepared statements: set "
                    + "HEARTH_PREPARED_STATEMENTS=off.")
        case .secretKeyDiffers:
            throw away(
                .secretKeyDiffers, "HEARTH_SECRET_KEY lacks the key that links are made with.")
        }
    }

    private static func away(_ code: FaultCode, _ message: String) -> Problem {
        Problem(code, message, headers: [("Retry-After", "1")])
    }

    static let metrics = Operation.open(
        "readMetrics", "Metrics, in Prometheus's text format or as OpenMetrics.",
        responses: [
            .media(MetricsFormat.prometheus.mediaType, "Metrics.")
                .or(MetricsFormat.openMetrics.mediaType)
        ]
    ) { services, call in
        let format = MetricsFormat(accepting: call.request.headers.values("Accept"))
        return Reply(
            status: 200, mediaType: format.contentType,
            body: Array(services.metrics.text(in: format).utf8))
    }
}
