import Postgres
import TestSupport
import Testing

/// Tests that an account has one role, player or parent, in all families that it is in or has asked
/// to join.
@Suite("The role of an account")
struct RoleOfAccountTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    private func role(of person: Person) throws -> String {
        try house.superuser().query("SELECT role FROM app.users WHERE id = \(person.id)").scalar()
    }

    /// Accepts an invitation by the admin to the first family and returns the outcome.
    private func accept(_ person: Person, as role: String) throws -> String {
        let link = try house.invitation(of: scene.admin, to: scene.home, as: role)
        return try scene.call(
            person, "SELECT outcome FROM app.join_by_invitation(\(link.token), NULL)"
        ).scalar()
    }

    @Test("a person waiting as a player can't create a family as a parent, on any path")
    func createsNone() throws {
        let asking = try house.person("player")
        _ = try scene.waits(asking, at: scene.home)
        for isAnother in [false, true] {
            let told = try refusal {
                try scene.call(
                    asking, "SELECT FROM app.create_family('Own', 'parent', \(isAnother))")
            }
            #expect(told == "HF409 role_mismatch")
        }
        let byOperator = try refusal {
            try house.asOperator {
                try $0.query("SELECT app.operator_create_family(\(asking.id), 'Own', 'parent')")
            }
        }
        #expect(byOperator == "HF409 role_mismatch")
        let family = UInt128.random(in: 0...UInt128.max)
        _ = try DirectQueries.insertFamily(family, code: "FAM-ROLE01", by: asking)
            .send(to: house)
        let direct = try refusal {
            try DirectQueries.insertMember(asking, as: "parent", into: family).send(to: house)
        }
        #expect(direct == "23503 family_members_role_of_account")
        _ = try DirectQueries.insertMember(asking, as: "player", into: family).send(to: house)
        #expect(try role(of: asking) == "player")
    }

    @Test("the role in a first family becomes the account's role, even by a direct insert")
    func firstFamily() throws {
        let person = try house.person("parent")
        let family = UInt128.random(in: 0...UInt128.max)
        _ = try DirectQueries.insertFamily(family, code: "FAM-ROLE02", by: person)
            .send(to: house)
        _ = try DirectQueries.insertMember(person, as: "player", into: family).send(to: house)
        #expect(try role(of: person) == "player")
    }

    @Test(
        "an operator can't add an account in its other role unless the account is alone in its family"
    )
    func byOperator() throws {
        func add(_ person: Person, as role: String) throws -> String? {
            try refusal {
                try house.asOperator {
                    try $0.query(
                        """
                        SELECT app.operator_add_member(
                            \(scene.home.id), \(person.id), \(role), NULL)
                        """)
                }
            }
        }
        #expect(try add(scene.neighbour, as: "player") == "HF409 role_mismatch")
        #expect(try role(of: scene.neighbour) == "parent")
        // An account alone in its family leaves that family, as for an invitation.
        let alone = try house.person("parent")
        let own = try house.family(of: alone)
        #expect(try add(alone, as: "player") == nil)
        #expect(try role(of: alone) == "player")
        let left = try house.count(
            """
            SELECT count(*) FROM app.family_members
            WHERE family_unit_id = \(own.id) AND status = 'active'
            """)
        #expect(left == 0)
    }

    @Test("changing the role of only the account or only the membership is refused at commit")
    func statements() throws {
        let owner = try house.owner()
        let changes: [SQL] = [
            "UPDATE app.users SET role = 'player' WHERE id = \(scene.adult.id)",
            """
            UPDATE app.family_members SET role = 'player', household_role = 'kid'
            WHERE id = \(scene.homeAdult)
            """,
        ]
        for change in changes {
            #expect(
                try refusal { try owner.query(change) } == "23503 family_members_role_of_account")
        }
    }

    @Test("an earlier request in the other role can't be approved, and its sender is notified")
    func leftFromBefore() throws {
        let asking = try house.person("player")
        let request = try scene.waits(asking, at: scene.home)
        let superuser = try house.superuser()
        try superuser.execute(
            script: """
                SET session_replication_role = replica;
                UPDATE app.users SET role = 'parent' WHERE id = '\(asking.id.uuid)';
                RESET session_replication_role
                """)
        let effects = try scene.effects(and: ["asking": asking.id])
        func approve() throws -> String {
            try scene.call(scene.admin, "SELECT app.approve_member(\(request))").scalar()
        }
        var outcomes: [String] = []
        let lines = try effects.lines { outcomes = [try approve(), try approve()] }
        #expect(outcomes == ["role_mismatch", "role_mismatch"])
        // One e-mail, and the counter that limits it to one.
        #expect(lines.count { $0.contains("mail.request_in_other_role") } == 1)
        #expect(lines.count { !$0.contains("rate_limits") } == 1)
        let found = try house.owner().query(
            "SELECT kind, mendable FROM app.find_faults_of('roles', 10)"
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(Bool.self))
        }
        #expect(found.map(\.0) == ["role_differs"] && found.map(\.1) == [true])
    }

    @Test("an account alone in its family takes the invitation's role, in both directions")
    func givesWay() throws {
        for (before, after) in [("parent", "player"), ("player", "parent")] {
            let person = try house.person(before)
            let own = try house.family(of: person)
            #expect(try accept(person, as: after) == "joined")
            #expect(try role(of: person) == after)
            let families = try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE user_id = \(person.id) AND status = 'active'
                    AND family_unit_id <> \(own.id)
                """)
            #expect(families == 1)
        }
    }

    @Test("an account keeps its role if it has other members, a child or a request of either kind")
    func keepsRole() throws {
        func alone() throws -> (Person, Family) {
            let person = try house.person("parent")
            return (person, try house.family(of: person))
        }
        let (withCompany, first) = try alone()
        try house.join(house.person(), first)
        let (withChild, second) = try alone()
        _ = try house.child(of: withChild, in: second)
        let (awaited, third) = try alone()
        try scene.call(
            awaited, "SELECT app.update_family(\(third.id), NULL, NULL, NULL, false, true)")
        try scene.call(
            house.person(), "SELECT FROM app.join_family_by_code(\(third.code), NULL, NULL)")
        let (asking, _) = try alone()
        _ = try scene.waits(asking, at: scene.away)
        for person in [withCompany, withChild, awaited, asking] {
            #expect(try accept(person, as: "player") == "role_mismatch")
            let told = try refusal {
                try scene.call(person, "SELECT app.update_profile(NULL, NULL, NULL, 'player')")
            }
            #expect(told == "HF409 role_fixed_in_family")
            #expect(try role(of: person) == "parent")
        }
    }

    @Test("a person waiting to join a family can enter by its invitation in the other role")
    func invitedWhileWaiting() throws {
        let asking = try house.person("player")
        let request = try scene.waits(asking, at: scene.home)
        #expect(try accept(asking, as: "parent") == "joined")
        #expect(try role(of: asking) == "parent")
        #expect(try house.membership(asking, scene.home) == request)
    }

    @Test(
        "changing the role of an account alone in its family also changes its role there, and back")
    func changesInFamily() throws {
        let person = try house.person("parent")
        let own = try house.family(of: person)
        func become(_ role: String) throws -> String {
            try scene.call(person, "SELECT app.update_profile(NULL, NULL, NULL, \(role))")
            return try house.superuser().query(
                """
                SELECT concat_ws(' ', u.role, m.role, m.household_role, m.household_ceiling)
                FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
                WHERE m.user_id = \(person.id) AND m.family_unit_id = \(own.id)
                """
            ).scalar()
        }
        #expect(try become("player") == "player player kid adult")
        #expect(try become("parent") == "parent parent parent_admin adult")
    }

    @Test("a parent who was made a kid, left and became a player rejoins as a visitor")
    func noMoreThanBefore() throws {
        let person = try house.person("parent")
        let member = try house.join(person, scene.home)
        try scene.call(
            scene.admin, .changeHouseholdRole(of: member, to: "kid"))
        try scene.call(person, "SELECT app.leave_family(\(scene.home.id), NULL)")
        try scene.call(person, "SELECT app.update_profile(NULL, NULL, NULL, 'player')")
        try scene.call(
            person, "SELECT FROM app.join_family_by_code(\(scene.home.code), NULL, NULL)")
        let standing: String = try house.superuser().query(
            """
            SELECT concat_ws(' ', role, household_role, household_ceiling)
            FROM app.family_members WHERE id = \(member)
            """
        ).scalar()
        #expect(standing == "player visitor visitor")
    }

    @Test("a request in the earlier role is refused if the role changes during the request")
    func race() throws {
        let person = try house.person("player")
        let own = try house.family(of: person)
        let told = try house.race(
            { body in try house.asAPI(person) { try body($0) } },
            early: { try $0.query("SELECT app.update_profile(NULL, NULL, NULL, 'parent')") },
            late: { [scene] in
                try scene.call(person, "SELECT FROM app.create_family('Second', 'player', true)")
            })
        #expect(told == "HF409 role_mismatch")
        let roles = try house.count(
            """
            SELECT count(DISTINCT role) FROM app.family_members
            WHERE user_id = \(person.id) AND status = 'active'
            """)
        #expect(roles == 1 && own.id != scene.home.id)
    }
}
