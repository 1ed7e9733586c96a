import HTTPServer

/// The route table.
enum Routes {
    static let table: [Endpoint] = [
        route(.get, "/api/me", .signedIn, ProfileEndpoints.read),
        route(.patch, "/api/me", .signedIn, ProfileEndpoints.update),
        route(.get, "/api/me/profiles", .signedIn, ProfileEndpoints.list),
        route(.get, "/api/me/invitations", .signedIn, Received.list),
        route(.post, "/api/me/invitations/:id/accept", .signedIn, Received.acceptMine),
        route(.post, "/api/me/invitations/:id/decline", .signedIn, Received.declineMine),

        route(.post, "/api/family/create", .signedIn, FamilyEndpoints.create),
        route(.post, "/api/families", .signedIn, FamilyEndpoints.createAnother),
        route(.get, "/api/family", .signedIn, FamilyEndpoints.list),
        route(.get, "/api/family/:id", .signedIn, FamilyEndpoints.read),
        route(.patch, "/api/family/:id", .signedIn, FamilyEndpoints.update),
        route(.get, "/api/family/:id/qr.svg", .signedIn, QREndpoints.svg),
        route(.get, "/api/family/:id/qr.png", .signedIn, QREndpoints.png),

        route(.get, "/api/family/members", .signedIn, MemberEndpoints.list),
        route(.patch, "/api/family/members/:memberId", .signedIn, MemberEndpoints.setHouseholdRole),
        route(.delete, "/api/family/members/:memberId", .signedIn, MemberEndpoints.remove),
        route(.delete, "/api/family/members/me", .signedIn, MemberEndpoints.leave),
        route(.post, "/api/family/members/:memberId/approve", .signedIn, MemberEndpoints.approve),
        route(.post, "/api/family/admin/transfer", .signedIn, MemberEndpoints.transferAdmin),

        route(.get, "/api/family/code/:code", .signedIn, CodeEndpoints.preview),
        route(.post, "/api/family/code/join", .signedIn, CodeEndpoints.join),
        route(.post, "/api/family/code/regenerate", .signedIn, CodeEndpoints.regenerate),

        route(.post, "/api/family/invite", .signedIn, InvitationEndpoints.create),
        route(.get, "/api/family/invite/:token", .open, Received.preview),
        route(.post, "/api/family/invite/:token/accept", .signedIn, Received.accept),
        route(.post, "/api/family/invite/:token/decline", .signedIn, Received.decline),
        route(.get, "/api/family/invitations", .signedIn, InvitationEndpoints.list),
        route(.post, "/api/family/invitations/:id/resend", .signedIn, InvitationEndpoints.resend),
        route(.delete, "/api/family/invitations/:id", .signedIn, InvitationEndpoints.revoke),

        route(.post, "/api/family/managed", .signedIn, ManagedEndpoints.add),
        route(.patch, "/api/family/managed/:id", .signedIn, ManagedEndpoints.update),
        route(.delete, "/api/family/managed/:id", .signedIn, ManagedEndpoints.remove),
        route(.post, "/api/family/managed/:id/guardian", .signedIn, ManagedEndpoints.reassign),

        route(.get, "/groups/:id", .signedIn, GroupEndpoints.read),
        route(.post, "/groups/:id/members/managed", .signedIn, ManagedEndpoints.addToGroup),
        route(.get, "/groups/:id/preferences", .signedIn, GroupEndpoints.readPreferences),
        route(.put, "/groups/:id/preferences", .signedIn, GroupEndpoints.writePreferences),

        route(.get, "/api/family/player-details", .signedIn, PlayerDetailsEndpoints.read),
        route(.post, "/api/family/player-details", .signedIn, PlayerDetailsEndpoints.write),
        route(.get, "/api/family/audit", .signedIn, AuditEndpoints.read),

        route(.get, "/join", .open, JoinEndpoints.page),
        route(.get, "/join.css", .open, JoinEndpoints.style),
        route(
            .get, "/.well-known/apple-app-site-association", .open, JoinEndpoints.appleAppSite),

        route(.get, "/healthz", .open, HealthEndpoints.health),
        route(.get, "/readyz", .open, HealthEndpoints.readiness),
        route(.get, "/metrics", .open, HealthEndpoints.metrics),
        route(.get, "/openapi.json", .open, DescriptionEndpoints.openAPI),
    ]

    private typealias Received = ReceivedInvitationEndpoints

    private static func route(
        _ method: Method, _ pattern: StaticString, _ access: Endpoint.Access, _ operation: Operation
    ) -> Endpoint {
        Endpoint(method: method, pattern: pattern, access: access, operation: operation)
    }
}
