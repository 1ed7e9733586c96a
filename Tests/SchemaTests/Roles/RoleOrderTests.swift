import Postgres
import TestSupport
import Testing

/// Order of several changes of household roles, and notices of conflicts.
@Suite("Conflicting changes of household roles")
struct RoleOrderTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let other: UInt128
    init() throws {
        scene = try TwoFamilies()
        other = try scene.house.join(try scene.house.person(), scene.home)
    }

    /// Changes a household role as the admin, dated `minutes` ago.
    private func change(
        _ member: UInt128, to role: String, minutesAgo minutes: Int32 = 0, isLate: Bool = false,
        base version: Int64? = nil
    ) throws -> [String] {
        try scene.call(
            scene.admin,
            """
            SELECT concat_ws(' ', kept, household_role) FROM app.change_household_role(
                \(member), \(role), NULL, now() - make_interval(mins => \(minutes)),
                \(version as Int64?), \(isLate))
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    private func lines(_ body: () throws -> Void) throws -> [String] {
        try scene.effects(and: ["other": other]).lines(body)
    }

    @Test("a change comes too late only after a later change of the same member")
    func anotherMember() throws {
        #expect(try change(other, to: "kid") == [])
        #expect(try change(scene.homeAdult, to: "kid", minutesAgo: 5) == [])
        #expect(try change(scene.homeAdult, to: "visitor", minutesAgo: 4) == [])
        let state = try refusal { try change(scene.homeAdult, to: "kid", minutesAgo: 6) }
        #expect(state == "40001")
    }

    @Test("a change dated by a clock that was ahead does not block later ones")
    func clockBehind() throws {
        #expect(try change(other, to: "kid") == [])
        try house.superuser().query(
            "UPDATE app.role_changes SET changed_at = now() + interval '1 hour'")
        // Neither a change of now nor one dated in the future comes too late.
        for minutes: Int32 in [0, -30, -120] {
            let late = try scene.call(
                scene.admin,
                """
                SELECT app.role_was_changed_later(\(other), now() - make_interval(mins => \(minutes)))
                """
            ).scalar(Bool.self)
            #expect(late == (minutes == 0))
        }
        #expect(try change(other, to: "visitor", minutesAgo: -120) == [])
    }

    @Test("an author who has left the family gets no notice of an undone change")
    func formerAuthor() throws {
        #expect(try change(other, to: "kid") == [])
        try scene.call(
            scene.admin, "SELECT app.transfer_admin(\(scene.home.id), \(scene.homeAdult))")
        try scene.call(scene.admin, "SELECT app.leave_family(\(scene.home.id), NULL)")
        try scene.call(
            scene.adult,
            "SELECT FROM app.change_household_role(\(other), 'visitor', NULL, NULL, 0, false)")
        #expect(try house.count("SELECT count(*) FROM app.role_conflicts") == 0)
    }

    @Test("setting the current role again records a confirmation and no conflict")
    func again() throws {
        try scene.call(
            scene.adult, .changeHouseholdRole(of: scene.homeAdult, to: "kid"))
        let versions = try lines {
            // The same role undoes nobody's change, whatever the author had seen.
            let told = try change(scene.homeAdult, to: "kid", base: 0)
            #expect(told == [])
        }
        // The change remains that of its first author.
        let dated = versions.filter { $0.hasPrefix("~ role_changes") }
        #expect(dated.count == 1 && dated.allSatisfy { $0.contains("confirmed_at=now") })
        #expect(dated.allSatisfy { $0.contains("confirmed_by=admin") }, "\(dated)")
        #expect(
            dated.allSatisfy { !$0.contains("changed_") && !$0.contains("version") }, "\(dated)")
        #expect(!versions.contains { $0.contains("role_conflicts") })
        // The trigger records another role; its version is known after the commit.
        let other = try lines {
            let told = try change(scene.homeAdult, to: "visitor", base: 0)
            #expect(told == ["yours kid"])
        }
        #expect(
            other.count { $0.hasPrefix("~ role_changes") && $0.contains("household_role=visitor") }
                == 1)
        #expect(
            try house.count("SELECT count(*) FROM app.role_changes WHERE version IS NULL") == 0)
    }

    @Test(
        "an author gets one notice of an undone change that it has not seen, with the family's version"
    )
    func conflicts() throws {
        func undo(_ member: UInt128, of person: Person, by admin: Person) throws {
            try scene.call(
                person, .changeHouseholdRole(of: member, to: "kid"))
            try scene.call(
                admin,
                """
                SELECT FROM app.change_household_role(
                    \(member), 'visitor', NULL, NULL, 0, false)
                """)
        }
        let away = try house.membership(scene.adult, scene.away)
        // The two families have different versions.
        for name in ["A", "B", "C"] {
            try scene.call(
                scene.admin,
                "SELECT app.update_family(\(scene.home.id), \(name), NULL, NULL, false, NULL)")
        }
        try undo(scene.homeAdult, of: scene.adult, by: scene.admin)
        let before = try dates()
        try undo(away, of: scene.adult, by: scene.neighbour)
        // Dates recorded before stay as they were.
        let after = try dates().filter { line in
            before.contains { $0.prefix(36) == line.prefix(36) }
        }
        #expect(before.count == 2 && after == before)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.role_conflicts AS c
                JOIN app.role_changes AS r USING (member_id, version)
                JOIN app.family_versions AS v ON v.family_unit_id = c.family_unit_id
                WHERE c.version = v.version
                """) == 2)
        // Nor does the date change when the same role changes once more.
        let dated: SQL = "SELECT version FROM app.role_conflicts WHERE member_id = \(away)"
        let version = try house.count(dated)
        try scene.call(
            scene.neighbour, .changeHouseholdRole(of: away, to: "adult"))
        #expect(try house.count(dated) == version)
    }

    private func dates() throws -> [String] {
        try house.superuser().query(
            """
            SELECT family_unit_id || ' ' || version FROM app.role_conflicts
            UNION ALL SELECT family_unit_id || ' ' || version FROM app.role_changes ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("whether a role was changed later is shown only to members of the family")
    func later() throws {
        #expect(try change(scene.homeAdult, to: "kid", minutesAgo: 5) == [])
        func wasChanged(_ member: UInt128, _ person: Person, minutesAgo minutes: Int32) throws
            -> Bool
        {
            try scene.call(
                person,
                """
                SELECT app.role_was_changed_later(
                    \(member), now() - make_interval(mins => \(minutes)))
                """
            ).scalar(Bool.self)
        }
        #expect(try wasChanged(scene.homeAdult, scene.admin, minutesAgo: 10))
        #expect(try !wasChanged(scene.homeAdult, scene.admin, minutesAgo: 1))
        #expect(try !wasChanged(other, scene.admin, minutesAgo: 10))
        #expect(try !wasChanged(scene.homeAdult, scene.neighbour, minutesAgo: 10))
        try scene.call(
            scene.admin, "SELECT app.remove_member(\(other), NULL, false, false)")
        #expect(try wasChanged(scene.homeAdult, scene.adult, minutesAgo: 10))
    }
}
