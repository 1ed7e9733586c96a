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

    @Test("the description is OpenAPI 3.1 and has every route once, with a unique operationId")
    func complete() throws {
        let document = try Self.document.get()
        #expect(try document["openapi"].string() == "3.1.0")
        let names = try operations().map { try $0.operation["operationId"].string() }
        #expect(Set(names).count == names.count)
        let routes = try operations().map { "\($0.method.uppercased()) \($0.path)" }
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
                || path == "/refuse-invitations"
                || (path == "/api/me/password" && method == "put")
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
        GET /api/me
        PATCH /api/me
        DELETE /api/me
        POST /api/me/deletion-code
        GET /api/me/export
        GET /api/me/profiles
        GET /api/me/invitations
        GET /api/sync
        GET /api/live
        POST /api/batch
        POST /api/me/invitations/{id}/accept
        POST /api/me/invitations/{id}/decline
        DELETE /api/me/requests/{id}
        GET /api/me/sessions
        DELETE /api/me/sessions
        DELETE /api/me/sessions/{id}
        GET /api/me/identities
        POST /api/me/identities
        DELETE /api/me/identities/{id}
        PUT /api/me/password
        GET /api/me/consents
        PUT /api/me/consents/{purpose}
        DELETE /api/me/consents/{purpose}
        POST /api/delegations
        POST /api/auth/exchange
        POST /api/auth/refresh
        POST /api/auth/sign-out
        POST /api/auth/page-ticket
        POST /api/auth/email
        POST /api/auth/email/verify
        POST /api/auth/sign-up
        POST /api/auth/sign-in
        POST /api/auth/passkeys/options
        POST /api/auth/passkeys/register
        POST /api/auth/passkeys/assert
        GET /api/me/passkeys
        DELETE /api/me/passkeys/{id}
        POST /api/auth/password/forgot
        POST /api/auth/password/reset
        GET /passkeys.js
        GET /.well-known/jwks.json
        GET /.well-known/oauth-authorization-server
        POST /api/family/create
        POST /api/families
        GET /api/family
        GET /api/family/{id}
        PATCH /api/family/{id}
        GET /api/family/{id}/qr.svg
        GET /api/family/{id}/qr.png
        GET /api/family/members
        GET /api/family/members/{memberId}
        PATCH /api/family/members/{memberId}
        DELETE /api/family/members/{memberId}
        DELETE /api/family/members/me
        POST /api/family/members/{memberId}/approve
        POST /api/family/members/{memberId}/reject
        POST /api/family/admin/transfer
        GET /api/family/code/{code}
        POST /api/family/code/join
        POST /functions/v1/family-code-join
        POST /api/family/code/regenerate
        POST /api/family/invite
        GET /api/family/invite/{token}
        POST /api/family/invite/{token}/accept
        POST /api/family/invite/{token}/decline
        GET /api/family/invitations
        POST /api/family/invitations/{id}/resend
        DELETE /api/family/invitations/{id}
        POST /api/family/player-details
        GET /api/family/player-details
        POST /api/family/managed
        POST /groups/{id}/members/managed
        GET /api/family/managed/{id}
        PATCH /api/family/managed/{id}
        DELETE /api/family/managed/{id}
        POST /api/family/managed/{id}/guardian
        POST /api/family/managed/{id}/guardians
        PATCH /api/family/managed/{id}/guardians/{memberId}
        DELETE /api/family/managed/{id}/guardians/{memberId}
        DELETE /api/family/managed/{id}/guardians/me
        POST /api/family/managed/{id}/graduation
        GET /api/family/managed/{id}/consents
        GET /api/family/managed/{id}/consents/{purpose}
        PUT /api/family/managed/{id}/consents/{purpose}
        DELETE /api/family/managed/{id}/consents/{purpose}
        GET /groups/me
        GET /groups/{id}
        GET /api/family/{id}/attributes
        PATCH /api/family/{id}/attributes
        GET /groups/{id}/preferences
        PUT /groups/{id}/preferences
        GET /api/family/audit
        GET /healthz
        GET /readyz
        GET /metrics
        GET /openapi.json
        GET /client.ts
        GET /docs
        GET /docs.css
        GET /.well-known/apple-app-site-association
        GET /.well-known/assetlinks.json
        GET /sign-in
        GET /join
        GET /reset-password
        GET /account
        GET /continue
        GET /
        GET /family
        GET /family/new
        GET /family/join
        GET /family/invite
        GET /family/child
        GET /family/activity
        GET /family/settings
        GET /refuse-invitations
        POST /refuse-invitations
        """
}
