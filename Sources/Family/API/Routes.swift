import HTTPServer

/// The route table: method, path, operation, callers (``RouteAccess``), and further traits
/// (``RouteTrait``): whether a route accepts an idempotency key, whether it is batched, and its
/// rate limits.
enum Routes {
    static let table: [Endpoint] = [
        get("/api/me", Profile.read, .user, .batched),
        patch("/api/me", Profile.update, .user, .key),
        delete("/api/me", Account.erase, .user, .rate(.deletions)),
        post("/api/me/deletion-code", Account.sendDeletionCode, .user, .key, .rate(.mails)),
        post("/api/me/email", Address.request, .user, .rate(.mails)),
        post("/api/me/email/verify", Address.change, .user, .rate(.mailedCodes)),
        get("/api/me/export", Account.export, .user, .rate(.exports)),
        get("/api/me/profiles", Profile.list, .user, .batched),
        get("/api/me/consents", Consent.listOwn, .user),
        put("/api/me/consents/:purpose", Consent.giveOwn, .user, .key),
        delete("/api/me/consents/:purpose", Consent.withdrawOwn, .user, .key),
        get("/api/me/invitations", ReceivedInvitations.list, .user),
        post("/api/me/invitations/:id/accept", ReceivedInvitations.acceptReceived, .user, .key),
        post("/api/me/invitations/:id/decline", ReceivedInvitations.declineReceived, .user, .key),
        delete("/api/me/requests/:id", Members.withdraw, .user, .key),

        get("/api/me/sessions", Sessions.list, .user, .batched),
        delete("/api/me/sessions", Sessions.endOthers, .user, .key),
        delete("/api/me/sessions/:id", Sessions.end, .user, .key),

        get("/api/me/identities", Identities.list, .user, .batched),
        post("/api/me/identities", Identities.add, .user),
        delete("/api/me/identities/:id", Identities.remove, .user, .key),
        post("/api/delegations", Identities.delegate, .user),

        post("/api/auth/exchange", Sessions.exchange, .anyone),
        post("/api/auth/refresh", Sessions.refresh, .anyone),
        post("/api/auth/sign-out", Sessions.signOut, .anyone),
        post("/api/auth/page-ticket", Sessions.pageTicket, .user, .rate(.tickets)),
        post("/api/auth/email", SignIn.sendCode, .anyone, .rate(.mails)),
        post("/api/auth/email/verify", SignIn.verify, .anyone, .rate(.mailedCodes)),
        post("/api/auth/sign-up", SignIn.signUp, .anyone, .rate(.mails)),
        post("/api/auth/sign-in", SignIn.signIn, .anyone, .rate(.passwords)),
        post("/api/auth/passkeys/options", Passkeys.options, .anyone),
        post("/api/auth/passkeys/register", Passkeys.register, .user),
        post("/api/auth/passkeys/assert", Passkeys.assert, .anyone, .rate(.passkeys)),
        get("/api/me/passkeys", Passkeys.list, .user, .batched),
        delete("/api/me/passkeys/:id", Passkeys.remove, .user, .key),
        post("/api/auth/password/forgot", Passwords.forgot, .anyone, .rate(.mails)),
        post("/api/auth/password/reset", Passwords.reset, .anyone),
        put("/api/me/password", Passwords.change, .user, .rate(.passwords)),

        post("/api/batch", Batches.batch, .user),
        get("/api/sync", Sync.sync, .user),
        get("/api/live", Sync.live, .user),

        post("/api/family/create", Families.create, .user, .key),
        post("/api/families", Families.createAnother, .user, .key),
        get("/api/family", Families.list, .user, .batched),
        get("/api/family/:id", Families.read, .user, .batched),
        patch("/api/family/:id", Families.update, .user, .key),
        get("/api/family/:id/attributes", Attributes.read, .user, .batched),
        patch("/api/family/:id/attributes", Attributes.patch, .user, .key),
        get("/api/family/:id/qr.svg", QR.svg, .user),
        get("/api/family/:id/qr.png", QR.png, .user),

        get("/api/family/members", Members.list, .user, .batched),
        get("/api/family/members/:memberId", Members.read, .user, .batched),
        patch("/api/family/members/:memberId", Members.setHouseholdRole, .user, .key),
        delete("/api/family/members/:memberId", Members.remove, .user, .key),
        delete("/api/family/members/me", Members.leave, .user, .key),
        post("/api/family/members/:memberId/approve", Members.approve, .user, .key),
        post("/api/family/members/:memberId/reject", Members.reject, .user, .key),
        post("/api/family/admin/transfer", Members.transferAdmin, .user, .key),

        get("/api/family/code/:code", Codes.preview, .user, .rate(.codes)),
        post("/api/family/code/join", Codes.join, .user, .key, .rate(.codes)),
        post("/functions/v1/family-code-join", Codes.joinByFunction, .user, .key, .rate(.codes)),
        post("/api/family/code/regenerate", Codes.regenerate, .user, .key),

        post("/api/family/invite", Invitations.create, .user, .key, .rate(.invites, .resends)),
        get("/api/family/invite/:token", ReceivedInvitations.preview, .anyone, .rate(.links)),
        post(
            "/api/family/invite/:token/accept", ReceivedInvitations.accept, .user, .key,
            .rate(.links)),
        post(
            "/api/family/invite/:token/decline", ReceivedInvitations.decline, .user, .key,
            .rate(.links)),
        get("/api/family/invitations", Invitations.list, .user, .batched),
        post(
            "/api/family/invitations/:id/resend", Invitations.resend, .user, .key, .rate(.resends)),
        delete("/api/family/invitations/:id", Invitations.revoke, .user, .key),

        post("/api/family/managed", Managed.add, .user, .key),
        get("/api/family/managed/:id", Managed.read, .user, .batched),
        patch("/api/family/managed/:id", Managed.update, .user, .key),
        delete("/api/family/managed/:id", Managed.remove, .user, .key),
        post("/api/family/managed/:id/guardian", Managed.reassign, .user, .key),
        post("/api/family/managed/:id/guardians", Guardians.add, .user, .key),
        patch("/api/family/managed/:id/guardians/:memberId", Guardians.promote, .user, .key),
        delete("/api/family/managed/:id/guardians/:memberId", Guardians.remove, .user, .key),
        delete("/api/family/managed/:id/guardians/me", Guardians.decline, .user, .key),
        post("/api/family/managed/:id/graduation", Graduation.start, .user, .key, .rate(.invites)),
        get("/api/family/managed/:id/consents", Consent.list, .user),
        get("/api/family/managed/:id/consents/:purpose", Consent.read, .user),
        put(
            "/api/family/managed/:id/consents/:purpose", Consent.give, .user, .key, .rate(.consents)
        ),
        delete("/api/family/managed/:id/consents/:purpose", Consent.withdraw, .user, .key),

        get("/groups/me", Groups.readMine, .user, .batched),
        get("/groups/:id", Groups.read, .user, .batched),
        post("/groups/:id/members/managed", Managed.addToGroup, .user, .key),
        get("/groups/:id/preferences", Groups.readPreferences, .user),
        put("/groups/:id/preferences", Groups.writePreferences, .user, .key),

        get("/api/family/player-details", PlayerDetails.read, .user),
        post("/api/family/player-details", PlayerDetails.write, .user, .key),
        get("/api/family/audit", Audit.read, .user),

        get("/api/server/families", Server.listFamilies, .server),
        get("/api/server/families/:id", Server.readFamily, .server),
        get("/api/server/families/:id/members", Server.listMembers, .server),
        post(
            "/api/server/families/:id/invitations", Server.invite, .server,
            .rate(.invites, .resends)),
        get("/api/server/people", Server.findPeople, .server),
        get("/api/server/people/:id", Server.readPerson, .server),
        get("/api/server/events", Server.listEvents, .server),

        get("/refuse-invitations", RefuseInvitations.page, .anyone, .rate(.links)),
        post("/refuse-invitations", RefuseInvitations.refuse, .anyone, .rate(.links)),
        get("/.well-known/apple-app-site-association", AppLinks.appleAppSite, .anyone),
        get("/.well-known/assetlinks.json", AppLinks.androidAssetLinks, .anyone),

        get("/passkeys.js", Passkeys.script, .anyone),

        get("/.well-known/jwks.json", Issuer.keys, .anyone),
        get("/.well-known/oauth-authorization-server", Issuer.metadata, .anyone),

        get("/healthz", Health.health, .anywhere),
        get("/readyz", Health.readiness, .operators),
        get("/metrics", Health.metrics, .operators),
        get("/openapi.json", Description.openAPI, .anyone),
        get("/client.ts", Description.typeScript, .anyone),
        get("/docs", Description.page, .anyone),
        get("/docs.css", Description.style, .anyone),
    ]

    private typealias Account = AccountEndpoints
    private typealias Address = AddressEndpoints
    private typealias AppLinks = AppLinkEndpoints
    private typealias Attributes = AttributeEndpoints
    private typealias Audit = AuditEndpoints
    private typealias Batches = BatchEndpoints
    private typealias Codes = CodeEndpoints
    private typealias Consent = ConsentEndpoints
    private typealias Description = DescriptionEndpoints
    private typealias Families = FamilyEndpoints
    private typealias Graduation = GraduationEndpoints
    private typealias Groups = GroupEndpoints
    private typealias Guardians = GuardianEndpoints
    private typealias Health = HealthEndpoints
    private typealias Identities = IdentityEndpoints
    private typealias Invitations = InvitationEndpoints
    private typealias Issuer = IssuerEndpoints
    private typealias Managed = ManagedEndpoints
    private typealias Members = MemberEndpoints
    private typealias Passkeys = PasskeyEndpoints
    private typealias Passwords = PasswordEndpoints
    private typealias PlayerDetails = PlayerDetailsEndpoints
    private typealias Profile = ProfileEndpoints
    private typealias QR = QREndpoints
    private typealias ReceivedInvitations = ReceivedInvitationEndpoints
    private typealias Server = ServerEndpoints
    private typealias Sessions = SessionEndpoints
    private typealias SignIn = SignInEndpoints
    private typealias Sync = SyncEndpoints
    private typealias RefuseInvitations = RefuseInvitationsEndpoints

    private static func get(
        _ pattern: StaticString, _ operation: Operation, _ access: RouteAccess,
        _ traits: RouteTrait...
    ) -> Endpoint {
        Endpoint(.get, pattern, operation, access, traits)
    }

    private static func post(
        _ pattern: StaticString, _ operation: Operation, _ access: RouteAccess,
        _ traits: RouteTrait...
    ) -> Endpoint {
        Endpoint(.post, pattern, operation, access, traits)
    }

    private static func put(
        _ pattern: StaticString, _ operation: Operation, _ access: RouteAccess,
        _ traits: RouteTrait...
    ) -> Endpoint {
        Endpoint(.put, pattern, operation, access, traits)
    }

    private static func patch(
        _ pattern: StaticString, _ operation: Operation, _ access: RouteAccess,
        _ traits: RouteTrait...
    ) -> Endpoint {
        Endpoint(.patch, pattern, operation, access, traits)
    }

    private static func delete(
        _ pattern: StaticString, _ operation: Operation, _ access: RouteAccess,
        _ traits: RouteTrait...
    ) -> Endpoint {
        Endpoint(.delete, pattern, operation, access, traits)
    }
}
