import HTTPServer
import Service

enum HealthEndpoints {
    /// The process lives; says nothing of what it depends on.
    static let health: @Sendable (Services, Call) throws -> Response = { _, _ in
        Response.json { $0.member("status", "ok") }
    }

    /// Whether requests should be sent here.
    static let readiness: @Sendable (Services, Call) throws -> Response = { services, _ in
        if services.isDraining {
            throw Problem(503, "draining", "This instance is shutting down.")
        }
        switch services.readiness.check() {
        case .ready: return Response.json { $0.member("status", "ready") }
        case .databaseAway: throw Problem(503, "database_away", "The database is not reachable.")
        case .schemaBehind:
            throw Problem(
                503, "schema_behind", "The database's schema is older than this program needs.")
        }
    }

    static let metrics: @Sendable (Services, Call) throws -> Response = { services, _ in
        Response(
            status: 200,
            headers: Headers([.init(name: "Content-Type", value: Metrics.contentType)]),
            body: Array(services.metrics.text().utf8))
    }
}
