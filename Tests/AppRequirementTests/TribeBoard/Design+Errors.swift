import Foundation
import Testing

extension TribeBoardDesign {
    static let errorTypes = Section("Error Handling: error types") {
        Needs("authenticationFailed: 401, with a text") {
            var phone = try Phone.apple()
            phone.token = try phone.backend.token(
                of: phone.person, from: .apple, lifetimeSeconds: 60, ageSeconds: 600)
            let refused = try await phone.get("/api/me", expect: 401)
            #expect(refused.json.message.text?.isEmpty == false)
        }
        Needs("familyCodeExists never reaches the user: another code is generated") {
            let family = try await FamilyScene.tribe()
            let phone = try Phone.parent()
            try phone.insertFamily(code: family.code)
            let own = try await phone.get("/api/family").json.families[0].familyCode.text
            #expect(own != family.code && own?.hasPrefix("FAM-") == true)
        }
        Needs("familyNotFound: 404, \"... Please check ...\"") {
            try await Phone.apple().get(
                "/api/family/code/FAM-ZZZZZ0", expect: 404,
                saying: "Family code not found. Please check and try again.")
        }
        Needs("parentAdminExists: \"A Parent Admin already exists for this family.\"") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            _ = try await family.joiner.setRole(
                "parent_admin", of: member, expect: 409,
                saying: "A Parent Admin already exists for this family.")
        }
        Needs("syncFailed: each refusal has a description to show and a code to branch on") {
            let family = try await FamilyScene.tribe()
            let refused = try await family.joiner.post(
                "/api/family/code/regenerate", ["familyId": family.id], expect: 403)
            #expect(refused.json.detail.text?.isEmpty == false)
            #expect(refused.json.code.text == "standing_too_low")
        }
    }

    static let strategy = Section("Error Handling: strategy") {
        Needs("Queued operations are sent later; sent twice, they take effect once") {
            let (family, phone) = (try await FamilyScene.tribe(), try Phone.apple())
            let body = #"{"familyCode": "\#(family.code)"}"#
            let key = ["Idempotency-Key": UUID().uuidString]
            let path = "/api/family/code/join"
            let first = try await phone.send("POST", path, json: body, headers: key)
            let again = try await phone.send("POST", path, json: body, headers: key)
            #expect(first.text == again.text)
            #expect(again.headers["idempotency-replayed"] == "true")
        }
        Needs("Exponential backoff: a temporary refusal states how long to wait") {
            let family = try await FamilyScene.tribe()
            let id = try await family.invite("one@example.com")
            let refused = try await family.creator.post(
                "/api/family/invitations/\(id)/resend", expect: 429)
            #expect((1...60).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
        }
    }

    static let integration = Section("Testing Strategy: what the tests cover") {
        Needs("Family code generation and validation") {
            let code = try await Phone.apple().post("/api/family/create").json.familyCode.text ?? ""
            #expect(code.wholeMatch(of: /FAM-[A-HJKMNP-Z2-9]{6}/) != nil)
            try await Phone.apple().post(
                "/api/family/code/join", ["familyCode": "FAM-!!!!!!"], expect: 400)
        }
        Needs("Role constraints: one Parent Admin, even when two claim the seat at once") {
            let family = try await FamilyScene.tribe()
            let invited = try Phone.parent("Third")
            let token = try await family.inviteToken(for: invited)
            try await invited.post("/api/family/invite/\(token)/accept")
            let own = try await family.memberID(of: family.creator)
            _ = try await family.creator.setRole("adult", of: own)
            let other = try await family.memberID(of: invited)
            async let one = family.creator.claim(as: own)
            async let two = invited.claim(as: other)
            let answers = try await [one, two].sorted { $0.status < $1.status }
            #expect(answers.map(\.status) == [200, 409])
            #expect(answers[1].json.code.text == "parent_admin_exists")
            let members = try await invited.get("/api/family/members").json.members.items
            #expect(members.filter { $0.household_role.text == "parent_admin" }.count == 1)
        }
        Needs("Status changes: waiting, active, removed, and back") {
            let family = try await FamilyScene.tribe()
            try await family.creator.send(
                "PATCH", "/api/family/\(family.id)", json: #"{"approvalRequired": true}"#)
            let waiting = try Phone.apple("Wendy")
            try await waiting.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 202)
            let member =
                try await family.creator.get(
                    "/api/family/members?status=invited"
                ).json.members[0].id.text ?? ""
            let path = "/api/family/members/\(member)/approve"
            #expect(try await family.creator.post(path).json.status.text == "active")
            try await waiting.delete("/api/family/members/me?familyId=\(family.id)")
            let gone = try await family.creator.get("/api/family/members?status=removed").json
            #expect(gone.members.items.map(\.id.text) == [member])
            try await waiting.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 202)
            #expect(try await family.creator.post(path).json.status.text == "active")
        }
        Needs("Profile creation and validation") {
            let phone = try Phone.apple("Jo")
            #expect(try await phone.get("/api/me").json.fullName.text == "Jo")
            let long = String(repeating: "n", count: 81)
            try await phone.patch("/api/me", ["fullName": long], expect: 400)
            try await phone.patch("/api/me", ["avatarUrl": "http://plain.example"], expect: 400)
            // An empty field counts as omitted.
            let kept = try await phone.patch("/api/me", ["fullName": ""]).json
            #expect(kept.fullName.text == "Jo")
        }
        Needs("FamilyFlowTests: creating and joining from end to end") {
            let (one, other) = (try Phone.apple("Ada"), try Phone.apple("Pat"))
            let code = try await one.post("/api/family/create").json.familyCode.text ?? ""
            try await other.get("/api/family/code/\(code)")
            try await other.post("/api/family/code/join", ["familyCode": code])
            #expect(try await one.get("/api/family/members").json.count.number == 2)
        }
    }

    static let security = Section("Security Considerations") {
        Needs("Private data: people outside the family see nothing of it") {
            let (family, stranger) = (try await FamilyScene.tribe(), try Phone.apple())
            for path in ["", "/qr.png"] {
                try await stranger.get("/api/family/\(family.id)\(path)", expect: 404)
            }
            try await stranger.get("/api/family/members?familyId=\(family.id)", expect: 404)
        }
        Needs("Minimal PII: name, address, avatar and language are stored, never the token") {
            let phone = try Phone.apple()
            try await phone.get("/api/me")
            let others = try phone.backend.count(
                """
                SELECT count(*) FROM information_schema.columns
                WHERE table_schema = 'app' AND table_name = 'users' AND column_name NOT IN (
                    'id', 'kind', 'role', 'created_at', 'updated_at', 'deleted_at',
                    'full_name', 'email', 'email_verified', 'avatar_key', 'avatar_url', 'locale',
                    -- The address as it is compared, and whether anybody has said the role.
                    'email_domain', 'mailbox', 'role_is_default',
                    -- When, by which operator and why the account was blocked.
                    'blocked_at', 'blocked_by', 'blocked_reason')
                """)
            #expect(others == 0)
            let pattern = "%\(phone.token ?? "")%"
            let tokens = try phone.backend.count(
                """
                SELECT count(*) FROM (
                    SELECT u::text FROM app.users AS u
                    UNION ALL SELECT i::text FROM app.user_identities AS i) AS kept (row)
                WHERE kept.row LIKE \(pattern)
                """)
            #expect(tokens == 0)
        }
        Needs("Sign in with Apple: tokens for another app are refused") {
            var phone = try Phone.apple()
            phone.token = try phone.backend.appleToken(of: phone.person, audience: "com.other.app")
            try await phone.get("/api/me", expect: 401)
        }
        Needs("Session management: an expired token is refused") {
            var phone = try Phone.apple()
            phone.token = try phone.backend.token(
                of: phone.person, from: .apple, lifetimeSeconds: 60, ageSeconds: 600)
            try await phone.get("/api/me", expect: 401)
        }
    }

    static let performance = Section("Performance Optimizations") {
        Needs("Members are loaded on demand, separately from the families") {
            let family = try await FamilyScene.tribe()
            #expect(try await family.joiner.get("/api/family").json.families[0].members.isMissing)
            try await family.joiner.get("/api/family/members")
        }
        Needs("Pagination: lists that grow have a cursor") {
            let family = try await FamilyScene.tribe()
            let page = try await family.creator.get(
                "/api/family/audit?familyId=\(family.id)&limit=1"
            ).json
            #expect(page.entries.items.count == 1)
            let cursor = page.nextCursor.text ?? ""
            let next = try await family.creator.get(
                "/api/family/audit?familyId=\(family.id)&limit=1&cursor=\(cursor)"
            ).json
            #expect(next.entries[0].id.text != page.entries[0].id.text)
        }
    }
}

extension Phone {
    /// Claims the Parent Admin's seat for one's own membership.
    fileprivate func claim(as member: String) async throws -> Answer {
        let url = try #require(URL(string: "\(backend.url)/api/family/members/\(member)"))
        return try await exchange("PATCH", url, json: #"{"householdRole": "parent_admin"}"#)
    }
}
