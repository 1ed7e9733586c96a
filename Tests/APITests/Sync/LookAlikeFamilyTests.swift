import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// Cursors of a person in two families whose ids have the same beginning. A cursor contains only
/// the beginning of each id, and direct clients choose the ids of families.
@Suite("Following families whose ids begin alike")
struct LookAlikeFamilyTests {
    @Test("two families whose ids begin alike are followed separately and without a reset")
    func follows() throws {
        let site = try Site()
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        try Connection(site.test.settings()).execute(
            script: """
                CREATE FUNCTION public.look_alike() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    NEW.id := substr('\(home.id)', 1, 18) || substr(NEW.id::text, 19);
                    RETURN NEW;
                END $$;
                CREATE TRIGGER a_look_alike BEFORE INSERT ON app.family_units FOR EACH ROW
                    WHEN (NEW.family_name = 'Twin') EXECUTE FUNCTION public.look_alike();
                """)
        let made = try home.adult.post("/api/families", #"{"familyName": "Twin"}"#)
        let twin = try #require(made.text("familyId"), "\(made)")
        #expect(twin.prefix(18) == "\(home.id)".prefix(18) && twin != "\(home.id)")
        try follower.requireAgreement("in both")
        let resets = follower.resets
        for id in [twin, "\(home.id)"] {
            _ = try home.adult.patch("/api/family/\(id)/attributes", #"{"n": "\#(id)"}"#)
            try follower.requireAgreement("after a change in one")
        }
        #expect(follower.resets == resets)
        let cursor = try #require(follower.cursor)
        let quiet = try home.adult.get("/api/sync?wait=1&cursor=\(cursor)").json
        #expect(try !quiet["reset"].bool() && quiet["changes"].elements().isEmpty)
        let stream = try EventStream(home.adult)
        let id = try stream.begin()
        _ = try home.adult.patch("/api/family/\(twin)/attributes", #"{"n": 1}"#)
        let again = try EventStream(home.adult, lastEventID: id)
        _ = try again.next()
        let event = try #require(try again.next())
        #expect(event.contains(twin) && !event.contains("\(home.id)"), "\(event)")
        // The adult leaves one of them.
        #expect(try home.adult.delete("/api/family/members/me?familyId=\(twin)").status == 200)
        try follower.requireAgreement("left one")
        #expect(!follower.held.keys.contains { $0.hasSuffix(" \(twin)") })
        #expect(follower.resets == resets)
    }
}
