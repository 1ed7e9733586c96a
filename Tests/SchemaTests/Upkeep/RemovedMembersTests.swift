import Postgres
import TestSupport
import Testing

@Suite("Purging of removed members")
struct RemovedMembersTests {
    @Test("a purge erases children who were removed long enough ago, and no other member")
    func forgets() throws {
        let house = try House()
        let parent = try house.person()
        let guest = try house.person()
        let family = try house.family(of: parent)
        let member = try house.join(guest, family)
        let connection = try house.superuser()
        var children: [String: UInt128] = [:]
        for name in ["oldest", "due", "young", "here", "forgotten"] {
            let child = try house.child(of: parent, in: family)
            children[name] = child
            try connection.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(family.id), \(child), '{}')
                """)
            guard name != "here" else { continue }
            try house.asAPI(parent) {
                try $0.query("SELECT app.remove_member(\(child), NULL, false, false)")
            }
        }
        try house.asAPI(guest) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
        for (name, days) in [("oldest", 30), ("due", 15), ("young", 5), ("forgotten", 15)] {
            try connection.query(
                """
                UPDATE app.family_members
                SET removed_at = now() - \(days)::integer * interval '1 day',
                    erased_at = CASE WHEN \(name == "forgotten") THEN now() - interval '1 day' END
                WHERE id = \(try #require(children[name]))
                """)
        }
        try connection.query(
            """
            UPDATE app.family_members SET removed_at = now() - interval '15 days'
            WHERE id = \(member)
            """)
        for days in [10, 8] {
            try connection.query(
                """
                INSERT INTO app.erasures (sign_ins, erased_at)
                VALUES ('{}', now() - \(days)::integer * interval '1 day')
                """)
        }
        let effects = try Effects(
            house,
            naming: children.merging(["family": family.id, "guest": guest.id]) { $1 })
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        func batch(from days: Int) throws {
            try worker.query(
                """
                SELECT changed FROM app.erase_removed_members('10 days', 10,
                    now() - \(days)::integer * interval '1 day')
                """)
        }
        let first = try effects.lines { try batch(from: 20) }
        #expect(
            first.map { $0.prefix { $0 != ":" } } == [
                "- erasures", "- member_preferences", "~ family_members due", "~ users due",
            ])
        #expect(first[1].contains("user_id=due"))
        let second = try effects.lines { try batch(from: 40) }
        #expect(
            second.map { $0.prefix { $0 != ":" } } == [
                "- member_preferences", "~ family_members oldest", "~ users oldest",
            ])
        #expect(try effects.lines { try batch(from: 40) } == [])
        #expect(try house.count("SELECT count(*) FROM app.erasures") == 1)
    }
}
