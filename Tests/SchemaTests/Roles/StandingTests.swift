import Postgres
import TestSupport
import Testing

@Suite("Household roles in a family")
struct StandingTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private func met(_ person: Person, _ statement: SQL) throws -> String? {
        try refusal { try house.asAPI(person) { try $0.query(statement) } }
    }

    private func setRole(
        _ member: UInt128, _ role: String, by person: Person, handingTo other: UInt128? = nil
    ) throws -> String? {
        try met(
            person,
            .changeHouseholdRole(of: member, to: role, heir: other))
    }

    private func role(_ member: UInt128) throws -> String {
        try house.superuser().query(
            "SELECT household_role FROM app.family_members WHERE id = \(member)"
        ).scalar(String.self)
    }

    @Test("a member who joined by code can't claim a vacant seat while the creator is active")
    func vacantSeat() throws {
        let house = try house
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        let joined = try house.person()
        let byCode = try house.join(joined, family)
        #expect(try setRole(byCode, "parent_admin", by: joined) == "HF403 standing_too_low")
        // The creator names it; then the seat is taken for everybody.
        let other = try house.person()
        let second = try house.join(other, family)
        #expect(try setRole(second, "parent_admin", by: joined) == "HF403 standing_too_low")
        #expect(try setRole(byCode, "parent_admin", by: creator) == nil)
        #expect(try setRole(second, "parent_admin", by: other) == "HF409 parent_admin_exists")
        #expect(try setRole(second, "parent_admin", by: joined) == "HF409 parent_admin_exists")
        #expect(try role(second) == "adult")
        // A member named by the creator may step down and return; the others' way in does not
        // matter.
        #expect(try setRole(byCode, "adult", by: joined) == nil)
        for way in ["created", "code", "invitation"] {
            try house.owner().query(
                "UPDATE app.family_members SET joined_via = \(way) WHERE id = \(second)")
            let met = try setRole(second, "parent_admin", by: other)
            #expect(met == "HF403 standing_too_low", "\(way)")
        }
        // With the creator gone, the vouched one still comes before the others.
        #expect(try met(creator, "SELECT app.leave_family(\(family.id), NULL)") == nil)
        #expect(try setRole(second, "parent_admin", by: other) == "HF403 standing_too_low")
        #expect(try setRole(byCode, "parent_admin", by: joined) == nil)
        #expect(try setRole(byCode, "visitor", by: joined) == nil)
        #expect(try setRole(second, "parent_admin", by: other) == nil)
    }

    @Test("members choose roles up to their ceiling; the admin sets others' roles and ceilings")
    func raising() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        let member = try house.join(parent, family)
        let adminMember = try house.membership(admin, family)
        #expect(try setRole(adminMember, "visitor", by: parent) == "HF403 standing_too_low")
        for role in ["kid", "visitor", "adult", "visitor"] {
            #expect(try setRole(member, role, by: parent) == nil)
        }
        #expect(try setRole(member, "parent_admin", by: parent) == "HF409 parent_admin_exists")
        #expect(try role(member) == "visitor")
        #expect(try setRole(member, "kid", by: admin) == nil)
        #expect(try setRole(member, "visitor", by: parent) == nil)
        #expect(try setRole(member, "kid", by: parent) == nil)
        #expect(try setRole(member, "adult", by: parent) == "HF403 standing_too_low")
        #expect(try setRole(member, "visitor", by: admin) == nil)
        #expect(try setRole(member, "visitor", by: parent) == nil)
        #expect(try setRole(member, "kid", by: parent) == "HF403 standing_too_low")
        #expect(try setRole(member, "king", by: admin) == "HF400 invalid_field")
        #expect(try setRole(member, "adult", by: try house.person()) == "HF404 member_not_found")
        let child = try house.child(of: admin, in: family)
        #expect(try setRole(child, "visitor", by: admin) == "HF403 standing_too_low")
    }

    @Test("no row has a household role above its ceiling, and no ceiling is above adult")
    func constraint() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let member = try house.join(house.person("player"), family)
        let own = try house.membership(admin, family)
        for (statement, refused): (SQL, String) in [
            (
                "UPDATE app.family_members SET household_role = 'adult' WHERE id = \(member)",
                "23514 family_members_within_ceiling"
            ),
            (
                "UPDATE app.family_members SET household_ceiling = 'visitor' WHERE id = \(member)",
                "23514 family_members_within_ceiling"
            ),
            (
                "UPDATE app.family_members SET household_ceiling = 'parent_admin' WHERE id = \(own)",
                "23514 family_members_household_ceiling_known"
            ),
        ] {
            #expect(try refusal { try house.owner().query(statement) } == refused)
        }
    }

    @Test("leaving and rejoining by code keeps the ceiling set by others")
    func comingBack() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        let member = try house.join(parent, family)
        #expect(try setRole(member, "kid", by: admin) == nil)
        #expect(try met(parent, "SELECT app.leave_family(\(family.id), NULL)") == nil)
        try house.join(parent, family)
        #expect(try role(member) == "kid")
        #expect(try setRole(member, "adult", by: admin) == nil)
        #expect(try met(admin, "SELECT app.remove_member(\(member), NULL, false, false)") == nil)
        let outcome = try house.asAPI(parent) {
            try $0.query("SELECT outcome FROM app.join_family_by_code(\(family.code), NULL, NULL)")
                .scalar(String.self)
        }
        #expect(outcome == "waiting")
    }

    @Test("a reader sees exactly one Parent Admin while the seat changes hands repeatedly")
    func transfer() throws {
        let house = try house
        let people = [try house.person(), try house.person()]
        let family = try house.family(of: people[0])
        let members = [
            try house.membership(people[0], family), try house.join(people[1], family),
        ]
        let watching = inBackground {
            let reader = try house.superuser()
            var counts: Set<Int> = []
            for _ in 0..<400 {
                counts.insert(
                    try reader.query(
                        """
                        SELECT count(*) FROM app.family_members WHERE status = 'active'
                        AND family_unit_id = \(family.id) AND household_role = 'parent_admin'
                        """
                    ).scalar(Int.self))
            }
            return counts
        }
        for round in 0..<20 {
            let outcome = try met(
                people[round % 2],
                "SELECT app.transfer_admin(\(family.id), \(members[(round + 1) % 2]))")
            #expect(outcome == nil)
        }
        #expect(try watching.wait() == [1])
        #expect(
            try met(people[1], "SELECT app.transfer_admin(\(family.id), \(members[0]))")
                == "HF403 standing_too_low")
    }

    @Test("the admin can leave if no other adult could take over; a guardian only without children")
    func leaving() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        let member = try house.join(parent, family)
        let child = try house.child(of: parent, in: family)
        let leave = { (person: Person, heir: UInt128?) in
            try met(
                person, "SELECT app.leave_family(\(family.id), \(heir as UInt128?))")
        }
        let adminMember = try house.membership(admin, family)
        #expect(try leave(admin, nil) == "HF409 transfer_admin_first")
        #expect(try leave(parent, nil) == "HF409 guardian_has_managed_members")
        #expect(try leave(parent, member) == "HF409 guardian_not_adult")
        #expect(try leave(parent, child) == "HF409 guardian_not_adult")
        #expect(try leave(parent, 1) == "HF404 member_not_found")
        #expect(try leave(parent, adminMember) == nil)
        #expect(try leave(parent, nil) == "HF404 family_not_found")
        #expect(try leave(admin, nil) == "HF409 guardian_has_managed_members")
        #expect(try met(admin, "SELECT app.remove_member(\(child), NULL, false, false)") == nil)
        #expect(try leave(admin, nil) == nil)
    }

    @Test("removing a member requires the right role, and a successor for a guardian's children")
    func removing() throws {
        let house = try house
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        let admin = try house.person()
        let adminMember = try house.join(admin, family)
        #expect(try setRole(adminMember, "parent_admin", by: creator) == nil)
        let guardian = try house.person()
        let guarding = try house.join(guardian, family)
        let child = try house.child(of: guardian, in: family)
        let remove = { (person: Person, member: UInt128, heir: UInt128?) in
            try met(
                person,
                "SELECT app.remove_member(\(member), \(heir as UInt128?), false, false)")
        }
        let creatorMember = try house.membership(creator, family)
        #expect(try remove(creator, adminMember, nil) == "HF403 standing_too_low")
        #expect(try remove(creator, child, nil) == "HF403 standing_too_low")
        #expect(try remove(creator, creatorMember, nil) == "HF400 oneself")
        #expect(try remove(guardian, creatorMember, nil) == "HF403 standing_too_low")
        #expect(try remove(try house.person(), child, nil) == "HF404 member_not_found")
        #expect(try remove(creator, guarding, nil) == "HF409 guardian_has_managed_members")
        #expect(try remove(creator, guarding, adminMember) == "HF403 standing_too_low")
        #expect(try remove(admin, guarding, adminMember) == nil)
        // Handed over: the new guardian alone looks after the child.
        #expect(
            try met(creator, "SELECT app.update_managed_member(\(child), 'X', NULL)")
                == "HF403 standing_too_low")
        #expect(try met(admin, "SELECT app.update_managed_member(\(child), 'X', NULL)") == nil)
        #expect(try remove(admin, child, nil) == nil)
        #expect(try remove(admin, creatorMember, nil) == nil)
    }

    @Test(
        "a pending request sees nothing, takes no slot, and is visible to members who can approve")
    func approval() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        try house.join(parent, family)
        #expect(
            try met(
                admin, "SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
                == nil)
        let waiting = try house.person()
        let member = try house.join(waiting, family)
        let listed = { (person: Person) in
            try house.asAPI(person) {
                try $0.query("SELECT count(*) FROM app.member_list").scalar(Int.self)
            }
        }
        #expect(try listed(waiting) == 0)
        #expect(try listed(parent) == 2)
        #expect(try listed(admin) == 3)
        let approve: SQL = "SELECT app.approve_member(\(member))"
        #expect(try met(waiting, approve) == "HF404 member_not_found")
        #expect(try met(parent, approve) == "HF404 member_not_found")
        let approvals = onThreads(4) { _ in try met(admin, approve) }
        let outcomes = try approvals.map { try $0.get() }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == "HF409 member_is_not_waiting" } == 3)
        #expect(try listed(waiting) == 3)
    }
}
