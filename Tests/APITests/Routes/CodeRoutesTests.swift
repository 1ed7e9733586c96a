import Domain
import Foundation
import JSON
import Postgres
import Testing
import UseCases

@Suite("Routes of family codes")
struct CodeRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("a code in any typed form shows the family's name and size before joining")
    func preview() throws {
        let home = try site.home("Terns")
        let stranger = try site.person(.parent)
        for typed in [
            home.code, home.code.lowercased(), String(home.code.dropFirst(4)), "%20\(home.code)",
        ] {
            let preview = try stranger.get("/api/family/code/\(typed)")
            #expect(preview.status == 200 && preview.text("familyName") == "Terns")
            #expect(try preview.json["memberCount"].integer() == 3)
            #expect(try !preview.json["approvalRequired"].bool())
        }
        #expect(
            try stranger.get("/api/family/code/no.code").says(
                400, "code_malformed", "Invalid family code format. Codes look like FAM-XXXXXX"))
        #expect(
            try stranger.get("/api/family/code/FAM-222222").says(
                404, "code_unknown", "Family code not found. Please check and try again."))
    }

    @Test("a pasted code is accepted bare, broken up or as the link of its QR code")
    func pasted() throws {
        let home = try site.home("Knots")
        let code = home.code
        let (middle, bare) = (code.index(code.startIndex, offsetBy: 7), code.dropFirst(4))
        let link = "\(Site.publicURL)/join?code=\(code)"
        for typed in [
            "FAM\(bare)", " \(code.lowercased()) ", "\(code[..<middle]) \(code[middle...])",
            "\(code[..<middle])-\(code[middle...])", "\(bare.lowercased())",
            link, link.uppercased(), " \(link)\n", link + "&utm_source=mail", link + "#top",
            "\(Site.publicURL)/join?from=qr&code=\(bare)&x=%2F", "family.test/join/?code=\(code)",
            "HTTP://Family.Test:80/Join?Code=fam%2D\(bare)",
            "https://family.test:443/join?code=FAM+\(bare)",
        ] {
            let stranger = try site.person(.parent)
            let body = String(decoding: JSONValue.string(typed).text().utf8, as: UTF8.self)
            let escaped = try #require(
                typed.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let preview = try stranger.get("/api/family/code/\(escaped)")
            #expect(preview.text("familyName") == "Knots", "\(typed)")
            let joined = try stranger.post("/api/family/code/join", #"{"familyCode": \#(body)}"#)
            #expect(joined.text("familyId") == home.id, "\(typed)")
            #expect(try stranger.delete("/api/family/members/me").status == 200)
        }
    }

    @Test("new codes have the configured length; shorter and longer ones stay valid")
    func longer() throws {
        let site = try Site(codes: CodeSettings(length: 8))
        let home = try site.home("Knots")
        let bare = home.code.dropFirst(4)
        #expect(bare.count == 8)
        let malformed = try home.admin.get("/api/family/code/FAM-1")
        #expect(malformed.text("message")?.hasSuffix("Codes look like FAM-XXXXXXXX") == true)
        let old = "FAM-K7Q2XM"
        try Connection(site.test.settings()).execute(
            script: """
                BEGIN;
                UPDATE app.family_codes SET code = '\(old)';
                UPDATE app.family_units SET family_code = '\(old)';
                COMMIT;
                """)
        let other = try site.home("Ruffs")
        for (code, name) in [(old, "Knots"), (other.code, "Ruffs")] {
            for typed in [code, code.lowercased(), String(code.dropFirst(4))] {
                let stranger = try site.person(.parent)
                let preview = try stranger.get("/api/family/code/\(typed)")
                #expect(preview.text("familyName") == name, "\(typed)")
                let link = "\(Site.publicURL)/join?code=\(typed)"
                let joined = try stranger.post(
                    "/api/family/code/join", #"{"familyCode": "\#(link)"}"#)
                #expect(joined.text("familyName") == name, "\(typed)")
                #expect(try stranger.delete("/api/family/members/me").status == 200)
            }
        }
        let renewed = try home.player.post(
            "/api/family/code/regenerate", #"{"familyId": "\#(home.id)"}"#)
        #expect(renewed.text("familyCode")?.count == 12)
        let stranger = try site.person(.parent)
        #expect(try stranger.get("/api/family/code/FAM-K7Q2XM234").says(400, "code_malformed"))
    }

    @Test("while wrong codes make approval required, a join waits as if the family required it")
    func automatic() throws {
        let site = try Site()
        let home = try site.home("Knots")
        let owner = try Connection(site.test.settings())
        try owner.query(
            """
            INSERT INTO app.automatic_approval (began_at, lasts_until)
            VALUES (now(), now() + interval '5 minutes')
            """)
        let body = #"{"familyCode": "\#(home.code)"}"#
        let joiner = try site.person(.parent)
        let keyed = ["Idempotency-Key": "join"]
        let asked = try joiner.send("POST", "/api/family/code/join", body, headers: keyed)
        #expect(asked.status == 202 && asked.text("status") == "invited")
        #expect(asked.text("message") == "Your request to join is waiting for approval")
        #expect(
            try joiner.send("POST", "/api/family/code/join", body, headers: keyed).body
                == asked.body)
        #expect(try site.person(.parent).post("/functions/v1/family-code-join", body).status == 202)
        #expect(
            site.services.metrics.text().contains("\nhearth_code_joins_held_total 2\n"))
        #expect(try home.admin.get("/api/family/\(home.id)").text("approvalRequired") == nil)
        let shown = try home.admin.get("/api/family/\(home.id)").json["approvalRequired"].bool()
        #expect(!shown)
        // The family's own approval applies to invited people as well.
        let aunt = try site.person(.parent)
        func waits(_ person: APIClient) throws -> Bool {
            try person.get("/api/family/code/\(home.code)").json["approvalRequired"].bool()
        }
        #expect(try waits(aunt))
        _ = try home.admin.post(
            "/api/family/invite", #"{"email": "\#(aunt.email)", "role": "parent"}"#)
        #expect(try !waits(aunt))
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        #expect(try aunt.post("/api/family/code/join", body).status == 202)
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": false}"#)
        #expect(try aunt.post("/api/family/code/join", body).status == 200)
        // Nobody waits where nobody could approve.
        let creator = try site.person(.parent)
        let empty = try creator.post("/api/family/create").text("familyCode") ?? ""
        #expect(try creator.delete("/api/family/members/me").status == 200)
        let alone = try site.person(.parent).post(
            "/api/family/code/join", #"{"familyCode": "\#(empty)"}"#)
        #expect(alone.says(404, "code_unknown"), "\(alone)")
        #expect(try joiner.post("/api/family/code/join", body).status == 202)
        try owner.query("DELETE FROM app.automatic_approval")
        #expect(try joiner.post("/api/family/code/join", body).status == 200)
    }

    @Test(
        "a link to another site or page, or an incomplete code, is refused as malformed",
        arguments: [
            "https://elsewhere.test/join?code=FAM-K7Q2XM",
            "https://family.test@elsewhere.test/join?code=FAM-K7Q2XM",
            "https://family.test.elsewhere.test/join?code=FAM-K7Q2XM",
            "https://family.test:8080/join?code=FAM-K7Q2XM",
            "https://family.test/joined?code=FAM-K7Q2XM",
            "https://family.test/join?token=FAM-K7Q2XM",
            "https://family.test/join?code=FAM-K7Q2XM&code=FAM-K7Q2XN",
            "https://family.test/join?code=%ZZ", "https://family.test/join?code=",
            "https://family.test/join", "FAM-ABC",
        ])
    func elsewhere(typed: String) throws {
        let stranger = try site.person(.parent)
        #expect(
            try stranger.post("/api/family/code/join", #"{"familyCode": "\#(typed)"}"#)
                .says(400, "code_malformed"))
    }

    @Test("the route of the edge function joins like the API's route")
    func edgeFunction() throws {
        let home = try site.home("Ruffs")
        let path = "/functions/v1/family-code-join"
        let parent = try site.person(.parent)
        let joined = try parent.post(path, #"{"familyCode": "\#(home.code)"}"#)
        #expect(joined.status == 200)
        #expect(joined.text("message") == "Successfully joined family")
        #expect(joined.text("familyId") == home.id)
        let again = try parent.post(path, #"{"familyCode": "\#(home.code)"}"#)
        #expect(again.says(400, "already_member", "You are already a member of this family."))
        #expect(try parent.post(path, #"{"familyCode": "FAM-222222"}"#).says(404, "code_unknown"))
        #expect(try parent.post(path, "{}").says(400, "missing_field"))
        #expect(try site.send("POST", path, body: "{}").says(401, "not_signed_in"))
    }

    @Test("a new code replaces the old one at once, and an expired one gets 410 everywhere")
    func regenerate() throws {
        let home = try site.home()
        let fresh = try home.player.post(
            "/api/family/code/regenerate", #"{"familyId": "\#(home.id)", "expiresInDays": 2}"#)
        let code = try #require(fresh.text("familyCode"))
        #expect(fresh.status == 200 && code != home.code)
        #expect(fresh.text("codeGeneratedAt")?.hasSuffix("Z") == true)
        #expect(fresh.text("codeExpiresAt") != nil)
        let stranger = try site.person(.parent)
        let join = "/api/family/code/join"
        #expect(
            try stranger.post(join, #"{"familyCode": "\#(home.code)"}"#).says(404, "code_unknown"))
        try site.expireCode(of: home.id)
        #expect(try stranger.post(join, #"{"familyCode": "\#(code)"}"#).says(410, "code_expired"))
        #expect(try stranger.get("/api/family/code/\(code)").says(410, "code_expired"))
        #expect(
            try home.admin.get("/api/family/\(home.id)/qr.svg").says(410, "code_expired"))
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyCode") == "")
    }

    @Test("creator, admin and players may renew the code")
    func mayRegenerate() throws {
        let home = try site.home()
        let path = "/api/family/code/regenerate"
        let body = #"{"familyId": "\#(home.id)"}"#
        #expect(try home.adult.post(path, body).says(403, "standing_too_low"))
        #expect(try home.admin.post(path, body).status == 200)
        let stranger = try site.person(.parent)
        #expect(try stranger.post(path, body).says(404, "family_not_found", "Family not found."))
        #expect(try home.admin.post(path).says(400, "missing_field"))
        for days in ["0", "366", "1.5", "\"2\""] {
            let odd = #"{"familyId": "\#(home.id)", "expiresInDays": \#(days)}"#
            #expect(try home.admin.post(path, odd).says(400, "invalid_field"))
        }
    }

    @Test("a player alone in a family leaves it by joining; the response has the old family's id")
    func leavesSolitaryFamily() throws {
        let home = try site.home()
        let player = try site.person(.player)
        let own = try player.post("/api/family/create").text("familyId")
        let join = #"{"familyCode": "\#(home.code)"}"#
        let key = ["Idempotency-Key": "move"]
        let joined = try player.send("POST", "/api/family/code/join", join, headers: key)
        #expect(joined.status == 200 && joined.text("leftFamilyId") == own)
        let again = try player.send("POST", "/api/family/code/join", join, headers: key)
        #expect(again.status == 200 && again.text("leftFamilyId") == own)
        #expect(try player.post("/api/family/create").text("familyId") == home.id)
    }

    @Test("a family of eight is full, and a player who shares a family stays in it")
    func full() throws {
        let home = try site.home()
        let join = #"{"familyCode": "\#(home.code)"}"#
        for _ in 0..<5 {
            #expect(try site.person(.parent).post("/api/family/code/join", join).status == 200)
        }
        let late = try site.person(.parent).post("/api/family/code/join", join)
        #expect(late.says(409, "family_full", "This family is full (maximum 8 members)."))
        let other = try site.home()
        let key = ["Idempotency-Key": "busy"]
        for _ in 0..<2 {
            let busy = try home.player.send(
                "POST", "/api/family/code/join", #"{"familyCode": "\#(other.code)"}"#, headers: key)
            #expect(busy.says(409, "player_has_family"))
            #expect(busy.text("familyId") == home.id && busy.text("familyName") == "Gulls")
        }
    }

    @Test("a removed person who joins with the code waits each time for creator or admin")
    func removed() throws {
        let home = try site.home()
        let former = try home.formerMember()
        let join = #"{"familyCode": "\#(home.code)"}"#
        for _ in 0..<3 {
            let asked = try former.post("/api/family/code/join", join)
            #expect(asked.status == 202 && asked.text("status") == "invited")
            #expect(try former.delete("/api/me/requests/\(home.id)").status == 200)
        }
        #expect(try former.post("/api/family/code/join", join).status == 202)
        let approve = "/api/family/members/\(try home.member(former))/approve"
        #expect(try home.adult.post(approve).says(404, "member_not_found"))
        #expect(try home.admin.post(approve).status == 200)
        #expect(try former.get("/api/family/\(home.id)").status == 200)
    }

    @Test("an approval resets the count of rejections, and an invitation admits a rejected person")
    func rejections() throws {
        let home = try site.home()
        let former = try home.formerMember()
        let join = #"{"familyCode": "\#(home.code)"}"#
        func ask() throws -> Int { try former.post("/api/family/code/join", join).status }
        #expect(try ask() == 202)
        let member = "/api/family/members/\(try home.member(former))"
        #expect(try home.admin.post("\(member)/reject").status == 200)
        #expect(try ask() == 202)
        #expect(try home.admin.post("\(member)/approve").status == 200)
        #expect(try home.admin.delete(member).status == 200)
        for _ in 0..<2 {
            #expect(try ask() == 202)
            #expect(try home.admin.post("\(member)/reject").status == 200)
        }
        #expect(
            try former.post("/api/family/code/join", join).says(403, "removed_from_family"))
        let link = try home.link()
        #expect(try former.post("/api/family/invite/\(link.token)/accept").status == 200)
        #expect(try former.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        #expect(try ask() == 200)
    }
}

extension Site {
    /// Makes a family's code expire.
    func expireCode(of family: String) throws {
        try Connection(test.settings()).execute(
            script: """
                SET session_replication_role = replica;
                UPDATE app.family_units SET code_generated_at = now() - interval '3 days',
                    code_expires_at = now() - interval '1 second' WHERE id = '\(family)';
                """)
    }
}
