import JSON
import Testing

@Suite("The OpenAPI description")
struct DescriptionTests {
    static let document = Result { try Site().exchange("GET", "/openapi.json").json }

    /// Every operation with its path and method.
    private func operations() throws -> [(path: String, method: String, operation: JSONField)] {
        let paths = try Self.document.get()["paths"]
        return try paths.object().members.flatMap { path in
            try paths[path.name].object().members.map { method in
                (path.name, method.name, try paths[path.name][method.name])
            }
        }
    }

    @Test("the description is OpenAPI 3.1 and has every route once, with its own operationId")
    func complete() throws {
        let document = try Self.document.get()
        #expect(try document["openapi"].string() == "3.1.0")
        let names = try operations().map { try $0.operation["operationId"].string() }
        #expect(Set(names).count == names.count)
        let routes = try operations().map {
            "\($0.method.uppercased()) \($0.path) \(try $0.operation["operationId"].string())"
        }
        #expect(routes.sorted() == Self.routes.split(separator: "\n").map(String.init).sorted())
    }

    @Test("path parameters and declared parameters are the same")
    func parameters() throws {
        for (path, method, operation) in try operations() {
            let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { String($0.dropFirst().dropLast()) }
            let declared = try operation["parameters"].elements().filter {
                try $0["in"].ifPresent?.string() == "path"
            }.map { try $0["name"].string() }
            #expect(inPath == declared, "\(method) \(path)")
        }
    }

    @Test("every reference resolves")
    func references() throws {
        let document = try Self.document.get()
        func follow(_ field: JSONField) throws {
            switch field.value {
            case .array?: for element in try field.elements() { try follow(element) }
            case .object(let object)?:
                if let target = try field["$ref"].ifPresent?.string() {
                    var place = document
                    for step in target.split(separator: "/").dropFirst() {
                        place = try place[String(step)]
                    }
                    #expect(place.value != nil, "\(target)")
                }
                for member in object.members { try follow(field[member.name]) }
            default: break
            }
        }
        try follow(document)
    }

    @Test("operations declare their security and whether they take an idempotency key")
    func security() throws {
        let open = [
            "/healthz", "/readyz", "/metrics", "/openapi.json", "/client.ts", "/docs",
            "/docs.css", "/passkeys.js", "/refuse-invitations", "/sign-in", "/join",
            "/reset-password", "/account", "/", "/continue",
        ]
        for (path, method, operation) in try operations() {
            let isOpen =
                open.contains(path) || path.hasPrefix("/.well-known")
                || path.hasPrefix("/family")
                || (path.hasPrefix("/api/auth/")
                    && !["/api/auth/passkeys/register", "/api/auth/page-ticket"].contains(path))
                || (path == "/api/family/invite/{token}" && method == "get")
            // Operations whose responses are never stored: they contain tokens, depend on a
            // password, are the same when repeated, are stored one by one, or belong to no account.
            let keepsNothing =
                path.hasPrefix("/api/auth/") || path == "/api/delegations"
                || path.hasPrefix("/api/server/")
                || path == "/refuse-invitations"
                || (path == "/api/me/password" && method == "put")
                || path.hasPrefix("/api/me/email")
                || (path == "/api/me" && method == "delete")
                || (path == "/api/me/identities" && method == "post")
                || path == "/api/batch"
            let ways = try operation["security"].elements().count
            #expect(ways == (isOpen ? 2 : 1), "\(method) \(path)")
            let references = try operation["parameters"].elements().compactMap {
                try $0["$ref"].ifPresent?.string()
            }
            let hasKey = references.contains("#/components/parameters/idempotencyKey")
            #expect(hasKey == (method != "get" && !keepsNothing), "\(method) \(path)")
        }
    }

    private static let routes = """
        GET /api/me readProfile
        PATCH /api/me updateProfile
        DELETE /api/me eraseAccount
        POST /api/me/deletion-code sendDeletionCode
        POST /api/me/email requestAddressChange
        POST /api/me/email/verify changeAddress
        GET /api/me/export exportAccount
        GET /api/me/profiles listProfiles
        GET /api/me/invitations listMyInvitations
        GET /api/sync sync
        GET /api/live live
        POST /api/batch batch
        POST /api/me/invitations/{id}/accept acceptMyInvitation
        POST /api/me/invitations/{id}/decline declineMyInvitation
        DELETE /api/me/requests/{id} withdrawRequest
        GET /api/me/sessions listSessions
        DELETE /api/me/sessions endOtherSessions
        DELETE /api/me/sessions/{id} endSession
        GET /api/me/identities listIdentities
        POST /api/me/identities addIdentity
        DELETE /api/me/identities/{id} removeIdentity
        PUT /api/me/password changePassword
        GET /api/me/consents listOwnConsents
        PUT /api/me/consents/{purpose} giveOwnConsent
        DELETE /api/me/consents/{purpose} withdrawOwnConsent
        POST /api/delegations delegate
        POST /api/auth/exchange exchangeToken
        POST /api/auth/refresh refreshSession
        POST /api/auth/sign-out signOut
        POST /api/auth/page-ticket createPageTicket
        POST /api/auth/email sendSignInCode
        POST /api/auth/email/verify verifySignInCode
        POST /api/auth/sign-up signUp
        POST /api/auth/sign-in signIn
        POST /api/auth/passkeys/options makePasskeyOptions
        POST /api/auth/passkeys/register addPasskey
        POST /api/auth/passkeys/assert signInByPasskey
        GET /api/me/passkeys listPasskeys
        DELETE /api/me/passkeys/{id} removePasskey
        POST /api/auth/password/forgot forgotPassword
        POST /api/auth/password/reset resetPassword
        GET /passkeys.js readPasskeyScript
        GET /.well-known/jwks.json readKeySet
        GET /.well-known/oauth-authorization-server readIssuerMetadata
        POST /api/family/create createFamily
        POST /api/families createAnotherFamily
        GET /api/family listFamilies
        GET /api/family/{id} readFamily
        PATCH /api/family/{id} updateFamily
        GET /api/family/{id}/qr.svg readQRCodeSVG
        GET /api/family/{id}/qr.png readQRCodePNG
        GET /api/family/members listMembers
        GET /api/family/members/{memberId} readMember
        PATCH /api/family/members/{memberId} setHouseholdRole
        DELETE /api/family/members/{memberId} removeMember
        DELETE /api/family/members/me leaveFamily
        POST /api/family/members/{memberId}/approve approveMember
        POST /api/family/members/{memberId}/reject rejectMember
        POST /api/family/admin/transfer transferAdmin
        GET /api/family/code/{code} previewFamilyCode
        POST /api/family/code/join joinFamily
        POST /functions/v1/family-code-join joinFamilyByFunction
        POST /api/family/code/regenerate regenerateFamilyCode
        POST /api/family/invite createInvitation
        GET /api/family/invite/{token} previewInvitation
        POST /api/family/invite/{token}/accept acceptInvitation
        POST /api/family/invite/{token}/decline declineInvitation
        GET /api/family/invitations listInvitations
        POST /api/family/invitations/{id}/resend resendInvitation
        DELETE /api/family/invitations/{id} revokeInvitation
        POST /api/family/player-details writePlayerDetails
        GET /api/family/player-details readPlayerDetails
        POST /api/family/managed addManagedMember
        POST /groups/{id}/members/managed addManagedMemberToGroup
        GET /api/family/managed/{id} readManagedMember
        PATCH /api/family/managed/{id} updateManagedMember
        DELETE /api/family/managed/{id} removeManagedMember
        POST /api/family/managed/{id}/guardian reassignManagedMember
        POST /api/family/managed/{id}/guardians addGuardian
        PATCH /api/family/managed/{id}/guardians/{memberId} promoteGuardian
        DELETE /api/family/managed/{id}/guardians/{memberId} removeGuardian
        DELETE /api/family/managed/{id}/guardians/me declineGuardianship
        POST /api/family/managed/{id}/graduation startGraduation
        GET /api/family/managed/{id}/consents listConsents
        GET /api/family/managed/{id}/consents/{purpose} readConsent
        PUT /api/family/managed/{id}/consents/{purpose} giveConsent
        DELETE /api/family/managed/{id}/consents/{purpose} withdrawConsent
        GET /groups/me readMyGroup
        GET /groups/{id} readGroup
        GET /api/family/{id}/attributes readAttributes
        PATCH /api/family/{id}/attributes patchAttributes
        GET /groups/{id}/preferences readPreferences
        PUT /groups/{id}/preferences writePreferences
        GET /api/family/audit readAudit
        GET /api/server/families listServerFamilies
        GET /api/server/families/{id} readServerFamily
        GET /api/server/families/{id}/members listServerMembers
        POST /api/server/families/{id}/invitations createServerInvitation
        GET /api/server/people findServerPeople
        GET /api/server/people/{id} readServerPerson
        GET /api/server/events listServerEvents
        GET /healthz checkHealth
        GET /readyz checkReadiness
        GET /metrics readMetrics
        GET /openapi.json describeAPI
        GET /client.ts readTypeScriptClient
        GET /docs showRoutes
        GET /docs.css readRoutesStyle
        GET /.well-known/apple-app-site-association readAppleAppSiteAssociation
        GET /.well-known/assetlinks.json readAndroidAssetLinks
        GET /sign-in showSignInPage
        GET /join showJoinPage
        GET /reset-password showResetPage
        GET /account showAccountPage
        GET /continue showContinuePage
        GET / showHomePage
        GET /family showFamilyMainPage
        GET /family/new showNewFamilyPage
        GET /family/join showJoinFamilyPage
        GET /family/invite showInvitePage
        GET /family/child showChildPage
        GET /family/activity showActivityPage
        GET /family/settings showSettingsPage
        GET /refuse-invitations showRefusePage
        POST /refuse-invitations refuseInvitations
        """
}
