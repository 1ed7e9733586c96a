import Domain
import Foundation
import JSON
import TestSupport
import Testing
import UseCases

@Suite("Routes of consent")
struct ConsentRoutesTests {
    static let shared = Result {
        try Site(
            consents: ConsentPurposes(
                parsing: Array(
                    #"""
                    [{"purpose": "profile", "version": "2", "required": true,
                      "title": {"en": "Profile", "de": "Profil"}, "text": "What is kept."},
                     {"purpose": "news", "version": "1", "title": "News", "text": "Letters."},
                     {"purpose": "terms", "version": "5", "for": "account",
                      "refuses": ["managed.create", "profile.update", "player_details.write"],
                      "title": "Terms", "text": "What we agree on."},
                     {"purpose": "letters", "version": "1", "for": "account",
                      "title": "Letters", "text": "What we send."}]
                    """#.utf8)))
    }
    private var site: Site { get throws { try Self.shared.get() } }

    private func path(_ child: String) -> String { "/api/family/managed/\(child)/consents" }

    /// Creates a family whose adult has accepted the terms and can add children.
    private func home() throws -> FamilyFixture<Site> {
        let home = try site.home()
        #expect(try agree(home.adult).status == 200)
        return home
    }

    private static let signedIn = #"{"version": "2", "method": "signed_in"}"#

    @Test("writing a child's preferences requires consent, and a withdrawal applies at once")
    func required() throws {
        let home = try self.home()
        let child = try home.child(of: home.adult)
        let preferences = "/groups/\(home.id)/preferences"
        let acting = home.adult.acting(for: child)
        let ofChild = "\(preferences)?member_id=\(child)"
        for answer in [try acting.put(preferences, "{}"), try home.adult.put(ofChild, "{}")] {
            #expect(answer.says(403, "consent_required"))
        }
        #expect(try acting.get(preferences).status == 200)
        #expect(try home.adult.put(preferences, "{}").status == 200)
        let listed = try home.adult.get(path(child)).json["consents"].elements()
        #expect(try listed.map { try $0["purpose"].string() } == ["profile", "news"])
        #expect(try listed.map { try $0["given"].bool() } == [false, false])
        #expect(try listed.map { try $0["required"].bool() } == [true, false])
        #expect(try listed[0]["currentVersion"].string() == "2")
        #expect(
            try listed[0]["title"].elements().map { try $0["language"].string() } == ["en", "de"])

        let one = "\(path(child))/profile"
        let given = try home.adult.put(one, Self.signedIn)
        #expect(try given.status == 200 && given.json["given"].bool())
        #expect(given.text("givenBy") == "\(home.adult.id)" && given.text("method") == "signed_in")
        #expect(try acting.put(preferences, #"{"a": 1}"#).status == 200)
        // Any guardian may withdraw the consent.
        let admin = try home.member(home.admin)
        _ = try home.adult.post(
            "/api/family/managed/\(child)/guardians", #"{"memberId": "\#(admin)"}"#)
        let withdrawn = try home.admin.delete(one)
        #expect(try withdrawn.status == 200 && !withdrawn.json["given"].bool())
        #expect(try acting.put(preferences, "{}").says(403, "consent_required"))
        #expect(try home.admin.delete(one).status == 200)
        let trail = try home.admin.get("/api/family/audit").json["entries"].elements()
        let actions = try trail.map { try $0["action"].string() }.filter {
            $0.hasPrefix("consent.")
        }
        #expect(actions == ["consent.withdraw", "consent.give"])
    }

    /// Accepts the terms.
    private func agree(_ person: APIClient) throws -> Answer {
        try person.put("/api/me/consents/terms", #"{"version": "5", "method": "self"}"#)
    }

    @Test("actions that require an account's own consent get 403 until it is given")
    func ofAccount() throws {
        let person = try site.person(.parent)
        let me = { try person.get("/api/me") }
        #expect(try person.post("/api/family/create").status == 200)
        let missing = try me().json["consentsMissing"].elements()
        #expect(try missing.map { try $0["purpose"].string() } == ["terms"])
        #expect(try missing.map { try $0["version"].string() } == ["5"])
        let add = #"{"displayName": "Robin"}"#
        let rename = #"{"fullName": "Ada"}"#
        #expect(try person.post("/api/family/managed", add).says(403, "consent_missing"))
        #expect(try person.patch("/api/me", rename).says(403, "consent_missing"))
        let details = try person.post("/api/family/player-details", #"{"sport": "rowing"}"#)
        #expect(details.says(403, "consent_missing"))

        let listed = try person.get("/api/me/consents").json["consents"].elements()
        #expect(try listed.map { try $0["purpose"].string() } == ["terms", "letters"])
        #expect(try listed.map { try $0["given"].bool() } == [false, false])
        #expect(
            try listed[0]["refuses"].elements().map { try $0.string() }
                == ["managed.create", "profile.update", "player_details.write"])
        let tag = try me().headers["etag"]
        let given = try agree(person)
        #expect(try given.status == 200 && given.json["given"].bool())
        #expect(given.text("method") == "self" && given.text("version") == "5")
        #expect(try agree(person).status == 200)
        #expect(try me().json["consentsMissing"].elements().isEmpty)
        #expect(try me().headers["etag"] != tag)
        #expect(try person.post("/api/family/managed", add).status == 201)
        #expect(try person.patch("/api/me", rename).status == 200)

        let withdrawn = try person.delete("/api/me/consents/terms")
        #expect(try withdrawn.status == 200 && !withdrawn.json["given"].bool())
        #expect(try person.patch("/api/me", rename).says(403, "consent_missing"))
        #expect(try person.delete("/api/me/consents/terms").status == 200)
        let exported = try person.get("/api/me/export").json["ownConsents"].elements()
        #expect(exported.count == 1)
    }

    @Test("an account consents for itself only to the current version of purposes for accounts")
    func refusalsOfAccount() throws {
        let home = try site.home()
        let one = "/api/me/consents/terms"
        let body = #"{"version": "5", "method": "self"}"#
        #expect(
            try home.adult.put(one, #"{"version": "4", "method": "self"}"#)
                .says(409, "consent_outdated"))
        #expect(
            try home.adult.put(one, #"{"version": "5", "method": "signed_in"}"#)
                .says(400, "invalid_field"))
        for purpose in ["profile", "unknown"] {
            let path = "/api/me/consents/\(purpose)"
            #expect(try home.adult.put(path, body).says(404, "purpose_not_found"))
            #expect(try home.adult.delete(path).says(404, "purpose_not_found"))
        }
        #expect(try agree(home.adult).status == 200)
        let child = try home.child(of: home.adult)
        let acting = home.adult.acting(for: child)
        #expect(try acting.get("/api/me/consents").says(403, "not_while_acting"))
        #expect(try acting.put(one, body).says(403, "not_while_acting"))
        #expect(try acting.get("/api/me").json["consentsMissing"].elements().isEmpty)
        // A purpose of accounts is not a purpose of children.
        #expect(
            try home.adult.put("\(path(child))/terms", Self.signedIn)
                .says(404, "purpose_not_found"))
        let ofChild = try home.adult.get(path(child)).json["consents"].elements()
        #expect(try ofChild.map { try $0["purpose"].string() } == ["profile", "news"])
    }

    @Test("consenting for a child requires a guardian and the current version of a known purpose")
    func refusals() throws {
        let home = try self.home()
        let child = try home.child(of: home.adult)
        let one = "\(path(child))/profile"
        for other in [home.admin, home.player] {
            #expect(try other.get(path(child)).says(403, "standing_too_low"))
            #expect(try other.put(one, Self.signedIn).says(403, "standing_too_low"))
            #expect(try other.delete(one).says(403, "standing_too_low"))
        }
        #expect(try home.adult.acting(for: child).get(one).says(403, "not_while_acting"))
        let stranger = try site.home("Others")
        #expect(try stranger.admin.put(one, Self.signedIn).says(404, "member_not_found"))
        let unknown = "\(path(child))/unknown"
        #expect(try home.adult.get(unknown).says(404, "purpose_not_found"))
        #expect(try home.adult.put(unknown, Self.signedIn).says(404, "purpose_not_found"))
        #expect(try home.adult.delete(unknown).says(404, "purpose_not_found"))
        #expect(
            try home.adult.put(one, #"{"version": "1", "method": "signed_in"}"#)
                .says(409, "consent_outdated"))
        #expect(
            try home.adult.put(one, #"{"version": "2", "method": "shouted"}"#)
                .says(400, "invalid_field"))
    }

    @Test("the stored response of a consent is not replayed to a former guardian or member")
    func replays() throws {
        let home = try self.home()
        let child = try home.child(of: home.adult)
        let one = "\(path(child))/profile"
        let mailed = #"{"version": "2", "method": "email_code"}"#
        let requests: [(method: String, body: String?, status: Int)] = [
            ("PUT", mailed, 202), ("PUT", Self.signedIn, 200), ("DELETE", nil, 200),
        ]
        func send(_ number: Int) throws -> Answer {
            try home.adult.send(
                requests[number].method, one, requests[number].body,
                headers: ["Idempotency-Key": "consent \(number)"])
        }
        for number in requests.indices {
            let first = try send(number)
            #expect(first.status == requests[number].status, "\(first)")
            let again = try send(number)
            #expect(again.status == first.status && again.body == first.body, "\(again)")
            #expect(again.headers["idempotency-replayed"] == "true")
        }
        let (admin, adult) = (try home.member(home.admin), try home.member(home.adult))
        let guardians = "/api/family/managed/\(child)/guardians"
        #expect(
            try home.adult.post(guardians, #"{"memberId": "\#(admin)"}"#).status == 200)
        #expect(try home.adult.delete("\(guardians)/me").status == 200)
        for number in requests.indices {
            #expect(try send(number).says(403, "standing_too_low"), "\(requests[number])")
        }
        #expect(try home.admin.delete("/api/family/members/\(adult)").status == 200)
        for number in requests.indices {
            #expect(try send(number).says(404, "member_not_found"), "\(requests[number])")
        }
    }

    @Test("a mailed code proves a consent only to its purpose, and attempts are limited")
    func mailedCode() throws {
        let home = try self.home()
        let child = try home.child(of: home.adult)
        let one = "\(path(child))/profile"
        let asked = try home.adult.put(one, #"{"version": "2", "method": "email_code"}"#)
        #expect(try asked.status == 202 && asked.json["expiresIn"].integer() == 600)
        #expect(try !home.adult.get(one).json["given"].bool())
        func code(_ purpose: String) throws -> String {
            let user = try #require(UserID(String(child.dropFirst("managed_".count))))
            return try Site.keys().consentCodes.code(
                for: .init(
                    guardian: home.adult.id, child: user, purpose: purpose, version: "2",
                    generation: 0),
                at: home.adult.email,
                secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
        func give(_ code: String) throws -> Answer {
            try home.adult.put(
                one, #"{"version": "2", "method": "email_code", "code": "\#(code)"}"#)
        }
        let right = try code("profile")
        let wrong = try code("news")
        if wrong != right { #expect(try give(wrong).says(400, "code_wrong")) }
        #expect(try give("12-34").says(400, "code_malformed"))
        let given = try give("\(right.prefix(3))-\(right.suffix(3))")
        #expect(try given.status == 200 && given.json["given"].bool())
        #expect(given.text("method") == "email_code")
        for _ in 0..<4 { _ = try give("000000") }
        #expect(try give(right).says(429, "too_many_attempts"))
    }

    @Test("a newer version of a required purpose needs a new consent")
    func versions() throws {
        func purposes(_ version: String) throws -> ConsentPurposes {
            try ConsentPurposes(
                parsing: Array(
                    #"""
                    [{"purpose": "profile", "version": "\#(version)", "required": true,
                      "title": "Profile", "text": "What is kept."}]
                    """#.utf8))
        }
        let earlier = try Site(consents: purposes("1"))
        let home = try earlier.home()
        let child = try home.child(of: home.adult)
        let one = "\(path(child))/profile"
        let preferences = "/groups/\(home.id)/preferences"
        #expect(
            try home.adult.put(one, #"{"version": "1", "method": "signed_in"}"#).status == 200)
        #expect(try home.adult.acting(for: child).put(preferences, "{}").status == 200)

        // A process with the new text starts beside the first one.
        let later = try Site(
            databaseURL: earlier.test.url(as: "hearth_api"), consents: purposes("2"))
        let adult = APIClient(site: later, person: home.adult.person, token: home.adult.token)
        let listed = try adult.get(one)
        #expect(try !listed.json["given"].bool() && listed.text("version") == "1")
        #expect(listed.text("currentVersion") == "2")
        for phone in [adult, home.adult] {
            let acting = phone.acting(for: child)
            #expect(try acting.put(preferences, "{}").says(403, "consent_required"))
        }
        #expect(
            try adult.put(one, #"{"version": "1", "method": "signed_in"}"#)
                .says(409, "consent_outdated"))
        #expect(try adult.put(one, Self.signedIn).status == 200)
        #expect(try adult.acting(for: child).put(preferences, "{}").status == 200)
    }

    @Test("delegations for a child, new or earlier, are refused without the required consent")
    func delegations() throws {
        let home = try self.home()
        let child = try home.child(of: home.adult)
        let one = "\(path(child))/profile"
        let guardian = try site.session(of: home.adult)
        func delegate() throws -> Answer {
            try guardian.send(
                "POST", "/api/delegations",
                #"{"memberId": "\#(child)", "audience": "hearth"}"#)
        }
        #expect(try delegate().says(403, "consent_required"))
        #expect(try home.adult.put(one, Self.signedIn).status == 200)
        let token = try #require(try delegate().text("access_token"))
        #expect(try site.send("GET", "/api/me", token: token).text("id") == child)
        #expect(try home.adult.delete(one).status == 200)
        #expect(try site.send("GET", "/api/me", token: token).says(403, "consent_required"))
        #expect(try delegate().says(403, "consent_required"))
        // The guardian can still act for the child.
        #expect(try home.adult.acting(for: child).get("/api/me").status == 200)
    }
}
