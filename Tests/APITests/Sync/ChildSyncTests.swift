import Domain
import JSON
import TestSupport
import Testing
import UseCases

@Suite("Following changes of children")
struct ChildSyncTests {
    static let shared = Result {
        try Site(
            consents: ConsentPurposes(
                parsing: Array(
                    #"""
                    [{"purpose": "profile", "version": "1", "required": true,
                      "title": "Profile", "text": "What is kept."}]
                    """#.utf8)))
    }
    private var site: Site { get throws { try Self.shared.get() } }

    private static let signedIn = #"{"version": "1", "method": "signed_in"}"#

    /// A family with a child that has two guardians: the adult and the admin.
    private func household() throws -> (home: FamilyFixture<Site>, child: String) {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let admin = try home.member(home.admin)
        let added = try home.adult.post(
            "/api/family/managed/\(child)/guardians", #"{"memberId": "\#(admin)"}"#)
        try #require(added.status == 200)
        return (home, child)
    }

    @Test("a graduated child stays a member in every copy, and former guardians lose private data")
    func graduation() throws {
        let (home, child) = try household()
        let bare = String(child.dropFirst("managed_".count))
        let path = "/api/family/managed/\(child)"
        #expect(try home.adult.put("\(path)/consents/profile", Self.signedIn).status == 200)
        let preferences = "/groups/\(home.id)/preferences"
        let acting = home.adult.acting(for: child)
        #expect(try acting.put(preferences, #"{"genres": ["comedy"]}"#).status == 200)
        let robin = try site.person(.player, name: nil)
        let (adult, own) = (SyncFollower(home.adult), SyncFollower(robin))
        let followers = [adult, SyncFollower(home.admin), SyncFollower(home.player), own]
        for follower in followers { try follower.requireAgreement("as a child") }
        for kind in ["member \(child) \(home.id)", "preferences \(child) \(home.id)"] {
            #expect(adult.held[kind] != nil, "\(kind)")
        }

        let link = try home.adult.startGraduation(of: child, as: .player, .kid)
        for follower in followers { try follower.requireAgreement("invited") }
        #expect(adult.held.keys.contains { $0.hasPrefix("invitation ") })
        #expect(try robin.post("/api/family/invite/\(link)/accept").status == 200)
        for follower in followers {
            try follower.requireAgreement("grown up")
            let member = follower.held["member \(bare) \(home.id)"]
            #expect(member?.contains("\(robin.id)") == true)
            #expect(!follower.held.keys.contains { $0.contains(child) })
            #expect(!follower.held.keys.contains { $0.hasPrefix("invitation ") })
        }
        #expect(own.held.keys.contains("preferences \(robin.id) \(home.id)"))
        #expect(try acting.get("/api/sync").says(403, "acting_refused"))
        // Changes by the new account are followed like those of any account.
        #expect(try robin.patch("/api/me", #"{"fullName": "Robin Grown"}"#).status == 200)
        #expect(try robin.put(preferences, #"{"genres": ["drama"]}"#).status == 200)
        for follower in followers { try follower.requireAgreement("renamed") }
    }

    @Test("a consent given or withdrawn is sent to the other guardian's devices")
    func consents() throws {
        let (home, child) = try household()
        let consent = "/api/family/managed/\(child)/consents/profile"
        let follower = SyncFollower(home.admin)
        try follower.requireAgreement("before")
        for isGiven in [true, false] {
            let cursor = try home.admin.get("/api/sync").json["cursor"].string()
            let changed =
                isGiven
                ? try home.adult.put(consent, Self.signedIn) : try home.adult.delete(consent)
            #expect(changed.status == 200)
            let changes = try home.admin.get("/api/sync?cursor=\(cursor)").json["changes"]
            let told = try changes.elements().filter {
                try $0["kind"].string() == "member" && $0["id"].string() == child
            }
            #expect(told.count == 1)
            #expect(try home.admin.get(consent).json["given"].bool() == isGiven)
            try follower.requireAgreement("consent: \(isGiven)")
            let preferences = try home.admin.acting(for: child).put(
                "/groups/\(home.id)/preferences", #"{"given": \#(isGiven)}"#)
            #expect(isGiven ? preferences.status == 200 : preferences.says(403, "consent_required"))
        }
    }
}
