import Domain
import JSON
import Testing
import UseCases

@Suite("The life of a managed child")
struct ChildhoodTests {
    static let shared = Result {
        try Site(
            consents: ConsentPurposes(
                parsing: Array(
                    #"""
                    [{"purpose": "profile", "version": "1", "required": true,
                      "title": "Profile", "text": "What is kept."}]
                    """#.utf8)))
    }

    @Test("a child is added, gets two guardians and consents, graduates and becomes independent")
    func life() throws {
        let site = try Self.shared.get()
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let bare = String(child.dropFirst("managed_".count))
        let preferences = "/groups/\(home.id)/preferences"

        // Two guardians act for the child.
        let admin = try home.member(home.admin)
        let guardians = "/api/family/managed/\(child)/guardians"
        #expect(try home.adult.post(guardians, #"{"memberId": "\#(admin)"}"#).status == 200)
        let (first, second) = (home.adult.acting(for: child), home.admin.acting(for: child))
        for acting in [first, second] {
            #expect(try acting.get("/api/me").text("id") == child)
            #expect(
                try acting.put(preferences, #"{"genres": []}"#).says(403, "consent_required"))
        }

        // Consent, then preferences written by either guardian.
        let consent = "/api/family/managed/\(child)/consents/profile"
        #expect(
            try home.admin.put(consent, #"{"version": "1", "method": "signed_in"}"#).status == 200)
        #expect(try first.put(preferences, #"{"genres": ["animation"]}"#).status == 200)
        #expect(try second.put(preferences, #"{"genres": ["comedy"]}"#).status == 200)

        // Graduation by mail: the child leaves its own family, which has no other members.
        let robin = try site.person(.player, name: nil)
        #expect(
            try robin.post("/api/family/create", #"{"familyName": "Mine"}"#).status == 201
                || robin.get("/api/family").json["families"].elements().count == 1)
        let started = try home.adult.post(
            "/api/family/managed/\(child)/graduation",
            #"{"email": "\#(robin.email)", "role": "player", "householdRole": "kid"}"#)
        #expect(started.status == 200)
        let received = try robin.get("/api/me/invitations").json["invitations"].elements()
        let invitation = try #require(received.first)
        #expect(try invitation["kind"].string() == "graduation")
        let accepted = try robin.post(
            "/api/me/invitations/\(try invitation["id"].string())/accept")
        #expect(accepted.status == 200 && accepted.text("familyUnitId") == "\(home.id)")
        #expect(accepted.text("leftFamilyId") != nil)

        // The signed-in child has everything that belonged to it.
        let me = try robin.get("/api/me")
        #expect(me.text("id") == "\(robin.id)")
        #expect(try me.json["families"].elements().count == 1)
        let kept = try robin.get(preferences)
        #expect(try kept.json["preferences"]["genres"].elements()[0].string() == "comedy")
        #expect(try robin.put(preferences, #"{"genres": ["drama"]}"#).status == 200)
        let members = try robin.get("/api/family/members").json["members"].elements()
        let row = try #require(try members.first { try $0["id"].string() == bare })
        #expect(try row["user_id"].string() == "\(robin.id)")

        // Its former guardians are refused.
        for guardian in [home.adult, home.admin] {
            #expect(
                try guardian.acting(for: child).get(preferences).says(403, "acting_refused"))
            #expect(
                try guardian.get("\(preferences)?member_id=\(child)")
                    .says(403, "preferences_of_another"))
            #expect(try guardian.delete(consent).says(404, "member_not_found"))
            #expect(try guardian.get("/api/me/profiles").json["profiles"].elements().count == 1)
        }

        // The export includes what guardians did for the child.
        let export = try robin.get("/api/me/export").json["account"]
        #expect(try export["memberships"].elements().count == 2)
        let consents = try export["consents"].elements()
        #expect(try consents.count == 1 && consents[0]["isSubject"].bool())
        #expect(try consents[0]["givenBy"].string() == "\(home.admin.id)")
        let trail = try export["audit"].elements().map { try $0["action"].string() }
        for action in ["managed.create", "guardian.add", "consent.give", "managed.graduate"] {
            #expect(trail.contains(action), "\(action) is part of its history")
        }

        // The family's audit log names the child by its account, even in earlier entries.
        let entries = try home.admin.get("/api/family/audit?familyId=\(home.id)").json["entries"]
        let creation = try #require(
            try entries.elements().first { try $0["action"].string() == "managed.create" })
        #expect(try creation["subjectUserId"].string() == "\(robin.id)")
    }
}
