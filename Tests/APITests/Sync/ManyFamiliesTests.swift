import JSON
import Postgres
import TestSupport
import Testing

@Suite("An account in the maximum number of families")
struct ManyFamiliesTests {
    /// Makes an account a member of `count` families of others.
    private func enter(_ person: APIClient, _ count: Int, _ site: Site) throws {
        try Connection(site.test.settings()).execute(
            script: """
                DO $$
                DECLARE
                    v_owner uuid;
                    v_family uuid;
                BEGIN
                    FOR i IN 1 .. \(count) LOOP
                        INSERT INTO app.users (full_name) VALUES ('Owner') RETURNING id INTO v_owner;
                        INSERT INTO app.family_units (created_by_user_id, family_name, emptied_at)
                            VALUES (v_owner, 'Family', NULL) RETURNING id INTO v_family;
                        INSERT INTO app.family_members
                            (family_unit_id, user_id, role, household_role, joined_via)
                            VALUES (v_family, '\(person.person.subject)', 'parent', 'adult', 'code');
                    END LOOP;
                END $$;
                UPDATE app.family_versions SET version = version + 1000000;
                """)
    }

    @Test("an account at the limit of families follows them with one cursor and can't join another")
    func follows() throws {
        let site = try Site()
        let person = try site.person(.parent)
        _ = try person.get("/api/me")
        let connection = try Connection(site.test.settings())
        let limit: Int = try connection.query("SELECT app.max_families()::int8").scalar()
        try enter(person, limit, site)
        #expect(try person.get("/api/family").json["families"].elements().count == limit)
        var families: Set<String> = []
        var cursor = ""
        var hasMore = true
        while hasMore {
            let page = try person.get("/api/sync" + (cursor.isEmpty ? "" : "?cursor=\(cursor)"))
                .json
            #expect(try page["reset"].bool() == cursor.isEmpty)
            for change in try page["changes"].elements()
            where try change["kind"].string() == "family" {
                families.insert(try change["id"].string())
            }
            cursor = try page["cursor"].string()
            #expect(cursor.utf8.count <= 2_048)
            hasMore = try page["hasMore"].bool()
        }
        #expect(families.count == limit)
        // Every family is followed, from the first id to the last.
        try connection.query("UPDATE app.family_units SET family_name = 'Next'")
        let page = try person.get("/api/sync?cursor=\(cursor)").json
        #expect(try !page["reset"].bool())
        let told = try page["changes"].elements().filter { try $0["kind"].string() == "family" }
        #expect(told.count == limit)
        let host = try site.person(.parent)
        let family = try site.createFamily(by: host, named: "One more")
        let join = try person.post(
            "/api/family/code/join", #"{"familyCode": "\#(family.code)"}"#)
        #expect(
            join.says(
                409, "too_many_families", "This account has as many families as it can have."))
        let invitation = try site.invite(person.email, to: family.id, by: host)
        #expect(
            try person.post("/api/me/invitations/\(invitation)/accept")
                .says(409, "too_many_families"))
    }
}
