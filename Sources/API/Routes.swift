import HTTPServer

/// The route table.
enum Routes {
    static let table: [Entry] = [
        Entry(.post, "/api/family/create", .required, FamilyEndpoints.create),
        Entry(.post, "/api/family/code/join", .required, CodeEndpoints.join),
        Entry(.get, "/api/family/members", .required, MemberEndpoints.list),
        Entry(.get, "/healthz", .open, HealthEndpoints.health),
        Entry(.get, "/readyz", .open, HealthEndpoints.readiness),
        Entry(.get, "/metrics", .open, HealthEndpoints.metrics),
    ]

    struct Entry: Sendable {
        let method: Method
        let pattern: StaticString
        let endpoint: Endpoint

        init(
            _ method: Method, _ pattern: StaticString, _ authentication: Endpoint.Authentication,
            _ answer: @escaping @Sendable (Services, Call) throws -> Response
        ) {
            self.method = method
            self.pattern = pattern
            endpoint = Endpoint(label: pattern, authentication: authentication, answer: answer)
        }
    }

    static func router() -> Router<Endpoint> {
        var router = Router<Endpoint>()
        for entry in table { router.add(entry.method, "\(entry.pattern)", entry.endpoint) }
        return router
    }
}
