import HTTPServer

/// The route table.
enum Routes {
    static let table: [Endpoint] = [
        route(.get, "/api/me", ProfileEndpoints.read),
        route(.patch, "/api/me", ProfileEndpoints.update),
        route(.delete, "/api/me", AccountEndpoints.erase),
        route(.post, "/api/me/deletion-code", AccountEndpoints.sendDeletionCode),
        route(.get, "/api/me/export", AccountEndpoints.export),
        route(.get, "/api/me/profiles", ProfileEndpoints.list),
        route(.get, "/api/me/consents", ConsentEndpoints.listOwn),
        route(.put, "/api/me/consents/:purpose", ConsentEndpoints.giveOwn),
        route(.delete, "/api/me/consents/:purpose", ConsentEndpoints.withdrawOwn),
        route(.get, "/api/me/invitations", Received.list),
        route(.post, "/api/me/invitations/:id/accept", Received.acceptMine),
        route(.post, "/api/me/invitations/:id/decline", Received.declineMine),
        route(.delete, "/api/me/requests/:id", MemberEndpoints.withdraw),

        route(.get, "/api/me/sessions", SessionEndpoints.list),
        route(.delete, "/api/me/sessions", SessionEndpoints.endOthers),
        route(.delete, "/api/me/sessions/:id", SessionEndpoints.end),

        route(.get, "/api/me/identities", IdentityEndpoints.list),
        route(.post, "/api/me/identities", IdentityEndpoints.add),
        route(.delete, "/api/me/identities/:id", IdentityEndpoints.remove),
        route(.post, "/api/delegations", IdentityEndpoints.delegate),

        route(.post, "/api/auth/exchange", SessionEndpoints.exchange),
        route(.post, "/api/auth/refresh", SessionEndpoints.refresh),
        route(.post, "/api/auth/sign-out", SessionEndpoints.signOut),
        route(.post, "/api/auth/email", SignInEndpoints.sendCode),
        route(.post, "/api/auth/email/verify", SignInEndpoints.verify),
        route(.post, "/api/auth/sign-up", SignInEndpoints.signUp),
        route(.post, "/api/auth/sign-in", SignInEndpoints.signIn),
        route(.post, "/api/auth/passkeys/options", PasskeyEndpoints.options),
        route(.post, "/api/auth/passkeys/register", PasskeyEndpoints.register),
        route(.post, "/api/auth/passkeys/assert", PasskeyEndpoints.assert),
        route(.get, "/api/me/passkeys", PasskeyEndpoints.list),
        route(.delete, "/api/me/passkeys/:id", PasskeyEndpoints.remove),
        route(.post, "/api/auth/password/forgot", PasswordEndpoints.forgot),
        route(.post, "/api/auth/password/reset", PasswordEndpoints.reset),
        route(.put, "/api/me/password", PasswordEndpoints.change),

        route(.post, "/api/batch", BatchEndpoints.batch),
        route(.get, "/api/sync", SyncEndpoints.sync),
        route(.get, "/api/live", SyncEndpoints.live),

        route(.post, "/api/family/create", FamilyEndpoints.create),
        route(.post, "/api/families", FamilyEndpoints.createAnother),
        route(.get, "/api/family", FamilyEndpoints.list),
        route(.get, "/api/family/:id", FamilyEndpoints.read),
        route(.patch, "/api/family/:id", FamilyEndpoints.update),
        route(.get, "/api/family/:id/attributes", AttributeEndpoints.read),
        route(.patch, "/api/family/:id/attributes", AttributeEndpoints.patch),
        route(.get, "/api/family/:id/qr.svg", QREndpoints.svg),
        route(.get, "/api/family/:id/qr.png", QREndpoints.png),

        route(.get, "/api/family/members", MemberEndpoints.list),
        route(.get, "/api/family/members/:memberId", MemberEndpoints.read),
        route(.patch, "/api/family/members/:memberId", MemberEndpoints.setHouseholdRole),
        route(.delete, "/api/family/members/:memberId", MemberEndpoints.remove),
        route(.delete, "/api/family/members/me", MemberEndpoints.leave),
        route(.post, "/api/family/members/:memberId/approve", MemberEndpoints.approve),
        route(.post, "/api/family/members/:memberId/reject", MemberEndpoints.reject),
        route(.post, "/api/family/admin/transfer", MemberEndpoints.transferAdmin),

        route(.get, "/api/family/code/:code", CodeEndpoints.preview),
        route(.post, "/api/family/code/join", CodeEndpoints.join),
        route(.post, "/functions/v1/family-code-join", CodeEndpoints.joinByFunction),
        route(.post, "/api/family/code/regenerate", CodeEndpoints.regenerate),

        route(.post, "/api/family/invite", InvitationEndpoints.create),
        route(.get, "/api/family/invite/:token", Received.preview),
        route(.post, "/api/family/invite/:token/accept", Received.accept),
        route(.post, "/api/family/invite/:token/decline", Received.decline),
        route(.get, "/api/family/invitations", InvitationEndpoints.list),
        route(.post, "/api/family/invitations/:id/resend", InvitationEndpoints.resend),
        route(.delete, "/api/family/invitations/:id", InvitationEndpoints.revoke),

        route(.post, "/api/family/managed", ManagedEndpoints.add),
        route(.get, "/api/family/managed/:id", ManagedEndpoints.read),
        route(.patch, "/api/family/managed/:id", ManagedEndpoints.update),
        route(.delete, "/api/family/managed/:id", ManagedEndpoints.remove),
        route(.post, "/api/family/managed/:id/guardian", ManagedEndpoints.reassign),
        route(.post, "/api/family/managed/:id/guardians", GuardianEndpoints.add),
        route(.patch, "/api/family/managed/:id/guardians/:memberId", GuardianEndpoints.promote),
        route(.delete, "/api/family/managed/:id/guardians/:memberId", GuardianEndpoints.remove),
        route(.delete, "/api/family/managed/:id/guardians/me", GuardianEndpoints.decline),
        route(.post, "/api/family/managed/:id/graduation", GraduationEndpoints.start),
        route(.get, "/api/family/managed/:id/consents", ConsentEndpoints.list),
        route(.get, "/api/family/managed/:id/consents/:purpose", ConsentEndpoints.read),
        route(.put, "/api/family/managed/:id/consents/:purpose", ConsentEndpoints.give),
        route(.delete, "/api/family/managed/:id/consents/:purpose", ConsentEndpoints.withdraw),

        route(.get, "/groups/me", GroupEndpoints.readMine),
        route(.get, "/groups/:id", GroupEndpoints.read),
        route(.post, "/groups/:id/members/managed", ManagedEndpoints.addToGroup),
        route(.get, "/groups/:id/preferences", GroupEndpoints.readPreferences),
        route(.put, "/groups/:id/preferences", GroupEndpoints.writePreferences),

        route(.get, "/api/family/player-details", PlayerDetailsEndpoints.read),
        route(.post, "/api/family/player-details", PlayerDetailsEndpoints.write),
        route(.get, "/api/family/audit", AuditEndpoints.read),

        route(.get, "/refuse-invitations", RefuseInvitationsEndpoints.page),
        route(.post, "/refuse-invitations", RefuseInvitationsEndpoints.refuse),
        route(
            .get, "/.well-known/apple-app-site-association", AppLinkEndpoints.appleAppSite),
        route(.get, "/.well-known/assetlinks.json", AppLinkEndpoints.androidAssetLinks),

        route(.get, "/passkeys.js", PasskeyEndpoints.script),

        route(.get, "/.well-known/jwks.json", IssuerEndpoints.keys),
        route(
            .get, "/.well-known/oauth-authorization-server", IssuerEndpoints.metadata),

        route(.get, "/healthz", HealthEndpoints.health),
        route(.get, "/readyz", HealthEndpoints.readiness),
        route(.get, "/metrics", HealthEndpoints.metrics),
        route(.get, "/openapi.json", DescriptionEndpoints.openAPI),
        route(.get, "/docs", DescriptionEndpoints.page),
        route(.get, "/docs.css", DescriptionEndpoints.style),
    ]

    private typealias Received = ReceivedInvitationEndpoints

    private static func route(
        _ method: Method, _ pattern: StaticString, _ operation: Operation
    ) -> Endpoint {
        Endpoint(method: method, pattern: pattern, operation: operation)
    }
}
