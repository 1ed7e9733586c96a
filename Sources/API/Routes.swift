import HTTPServer

/// The route table.
enum Routes {
    static let table: [Endpoint] = [
        route(.post, "/api/family/create", .signedIn, FamilyEndpoints.create),
        route(.post, "/api/families", .signedIn, FamilyEndpoints.createAnother),
        route(.get, "/api/family", .signedIn, FamilyEndpoints.list),
        route(.get, "/api/family/:id", .signedIn, FamilyEndpoints.read),
        route(.patch, "/api/family/:id", .signedIn, FamilyEndpoints.update),

        route(.get, "/api/family/members", .signedIn, MemberEndpoints.list),
        route(.patch, "/api/family/members/:memberId", .signedIn, MemberEndpoints.setHouseholdRole),
        route(.delete, "/api/family/members/:memberId", .signedIn, MemberEndpoints.remove),
        route(.delete, "/api/family/members/me", .signedIn, MemberEndpoints.leave),
        route(.post, "/api/family/members/:memberId/approve", .signedIn, MemberEndpoints.approve),
        route(.post, "/api/family/admin/transfer", .signedIn, MemberEndpoints.transferAdmin),

        route(.get, "/api/family/code/:code", .signedIn, CodeEndpoints.preview),
        route(.post, "/api/family/code/join", .signedIn, CodeEndpoints.join),
        route(.post, "/api/family/code/regenerate", .signedIn, CodeEndpoints.regenerate),

        route(.get, "/healthz", .open, HealthEndpoints.health),
        route(.get, "/readyz", .open, HealthEndpoints.readiness),
        route(.get, "/metrics", .open, HealthEndpoints.metrics),
        route(.get, "/openapi.json", .open, DescriptionEndpoints.openAPI),
    ]

    private static func route(
        _ method: Method, _ pattern: StaticString, _ access: Endpoint.Access, _ operation: Operation
    ) -> Endpoint {
        Endpoint(method: method, pattern: pattern, access: access, operation: operation)
    }
}
