import Postgres
import TestSupport
import Testing

/// Two concurrent sessions, with plain SQL as the role that owns the tables.
@Suite("Invariants of membership")
struct MembershipTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// Runs the statements concurrently, each in a session of its own, and returns their refusals.
    private func atOnce(_ statements: [SQL]) throws -> [String?] {
        let house = try house
        let gate = Gate(statements.count)
        return try onThreads(statements.count) { index in
            let connection = try house.owner()
            return try refusal {
                try connection.transaction { transaction in
                    try transaction.query("SELECT 1")
                    gate.arriveAndWait()
                    try transaction.query(statements[index])
                }
            }
        }.map { try $0.get() }
    }

    @Test("two concurrent claims of a vacant seat leave one Parent Admin")
    func oneParentAdmin() throws {
        let house = try house
        let player = try house.person("player")
        let family = try house.family(of: player)
        let claims: [SQL] = try (0..<2).map { _ in
            let member = try house.join(try house.person(), family)
            return
                "UPDATE app.family_members SET household_role = 'parent_admin' WHERE id = \(member)"
        }
        let met = try atOnce(claims)
        #expect(met.count { $0 == nil } == 1)
        #expect(met.contains("23505 family_members_one_parent_admin"))
    }

    @Test("a Parent Admin is a parent with an account")
    func adminIsParent() throws {
        let house = try house
        let player = try house.person("player")
        let family = try house.family(of: player)
        let parent = try house.person()
        try house.join(parent, family)
        let child = try house.child(of: parent, in: family)
        let owner = try house.owner()
        for member in [try house.membership(player, family), child] {
            let met = try refusal {
                try owner.query(
                    """
                    UPDATE app.family_members SET household_role = 'parent_admin'
                    WHERE id = \(member)
                    """)
            }
            #expect(
                met == "23514 family_members_admin_is_parent_with_account"
                    || met == "23514 family_members_managed_form")
        }
    }

    @Test("eight members is the limit, for an INSERT of twenty rows and for twenty concurrent ones")
    func limit() throws {
        let house = try house
        let people = try (0..<20).map { _ in try house.person() }
        let family = try house.family(of: try house.person("player"))
        let all = people.map { "'\($0.subject)'" }.joined(separator: ", ")
        #expect(
            try refusal {
                try house.owner().query(
                    """
                    INSERT INTO app.family_members (family_unit_id, user_id, role, household_role)
                    SELECT \(family.id), id, 'parent', 'adult' FROM app.users
                    WHERE id IN (\(unsafe: all))
                    """)
            } == "23514 family_members_active_has_slot")
        let met = try atOnce(
            people.map { person in
                """
                INSERT INTO app.family_members (family_unit_id, user_id, role, household_role)
                VALUES (\(family.id), \(person.id), 'parent', 'adult')
                """
            })
        #expect(met.count { $0 == nil } == 7)
        #expect(met.count { $0 == "23514 family_members_active_has_slot" } == 13)
        let slots = try house.count(
            """
            SELECT count(DISTINCT slot) FROM app.family_members
            WHERE family_unit_id = \(family.id) AND status = 'active' AND slot BETWEEN 1 AND 8
            """)
        #expect(slots == 8)
    }

    @Test("a slot can't be taken twice or chosen, and a freed slot is assigned again")
    func slots() throws {
        let house = try house
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        let parent = try house.person()
        let member = try house.join(parent, family)
        let owner = try house.owner()
        try owner.query("UPDATE app.family_members SET slot = 7 WHERE id = \(member)")
        #expect(
            try house.count("SELECT slot::int8 FROM app.family_members WHERE id = \(member)") == 2)
        try house.asAPI(parent) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
        let other = try house.join(try house.person(), family)
        #expect(
            try house.count("SELECT slot::int8 FROM app.family_members WHERE id = \(other)") == 2)
    }

    @Test("the limit can't be lowered below a slot that is taken")
    func loweringLimit() throws {
        let house = try house
        let family = try house.family(of: try house.person("player"))
        try house.join(try house.person(), family)
        #expect(
            try refusal {
                try house.owner().query(
                    "UPDATE app.family_units SET member_limit = 1 WHERE id = \(family.id)")
            } == "23514 family_units_limit_holds_members")
    }

    @Test("a player enters one of two families by concurrent direct inserts")
    func playerInOneFamily() throws {
        let house = try house
        let player = try house.person("player")
        let families = [UInt128.random(in: 0...UInt128.max), UInt128.random(in: 0...UInt128.max)]
        for family in families {
            try house.asDirect(player) {
                try $0.query(
                    """
                    INSERT INTO api.family_units (id, created_by_user_id)
                    VALUES (\(family), \(player.id))
                    """)
            }
        }
        let gate = Gate(2)
        let met = try onThreads(2) { index in
            try refusal {
                try house.asDirect(player) { transaction in
                    gate.arriveAndWait()
                    try transaction.query(
                        """
                        INSERT INTO api.family_members (family_unit_id, user_id, role)
                        VALUES (\(families[index]), \(player.id), 'player')
                        """)
                }
            }
        }.map { try $0.get() }
        #expect(met.count { $0 == nil } == 1)
        #expect(met.contains("23505 family_members_player_in_one_family"))
    }

    @Test("a guardian can't leave its children: every such statement is refused at commit")
    func guardianLeaves() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let other = try house.person()
        try house.join(other, family)
        let child = try house.child(of: parent, in: family)
        let member = try house.membership(parent, family)
        let ways: [SQL] = [
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE id = \(member)
            """,
            "UPDATE app.family_members SET household_role = 'kid' WHERE id = \(member)",
            "UPDATE app.family_members SET parent_user_id = gen_random_uuid() WHERE id = \(child)",
        ]
        for way in ways {
            let met = try refusal { try house.owner().transaction { try $0.query(way) } }
            #expect(met == "23503 family_members_guardian_is_active_adult", "\(way.text)")
        }
        // It succeeds with a reassignment in the same transaction, even a later one.
        try house.owner().transaction { transaction in
            try transaction.query(ways[0])
            try transaction.query(
                "UPDATE app.family_members SET parent_user_id = \(other.id) WHERE id = \(child)")
        }
    }

    @Test("a guardian's leaving and a concurrent addition of a child can't both succeed")
    func leaveAgainstChild() throws {
        let house = try house
        for _ in 0..<10 {
            let parent = try house.person()
            let family = try house.family(of: try house.person("player"))
            let member = try house.join(parent, family)
            let child = UInt128.random(in: 0...UInt128.max)
            try house.owner().query(
                """
                INSERT INTO app.users (id, kind, full_name, role)
                VALUES (\(child), 'managed', 'Kid', 'player')
                """)
            _ = try atOnce([
                """
                UPDATE app.family_members SET status = 'removed', removed_at = now()
                WHERE id = \(member)
                """,
                """
                INSERT INTO app.family_members
                    (id, family_unit_id, user_id, role, household_role, parent_user_id)
                VALUES (\(child), \(family.id), \(child), 'player', 'kid', \(parent.id))
                """,
            ])
            let orphans = try house.count(
                """
                SELECT count(*) FROM app.family_members AS c
                WHERE c.family_unit_id = \(family.id) AND c.status = 'active'
                    AND c.user_kind = 'managed' AND NOT EXISTS (
                        SELECT FROM app.family_members AS g
                        WHERE g.family_unit_id = c.family_unit_id
                            AND g.user_id = c.parent_user_id AND g.status = 'active')
                """)
            #expect(orphans == 0)
        }
    }

    @Test("a managed child has nothing but name and avatar, and can't sign in")
    func managed() throws {
        let house = try house
        let parent = try house.person()
        let child = try house.child(of: parent, in: try house.family(of: parent))
        let owner = try house.owner()
        for assignment in [
            "email = 'kid@example.com'", "avatar_url = 'https://example.com/a'", "role = 'parent'",
            "full_name = repeat('n', 31)", "full_name = NULL",
        ] {
            let met = try refusal {
                try owner.query(
                    "UPDATE app.users SET \(unsafe: assignment) WHERE id = \(child)")
            }
            #expect(met == "23514 users_managed_has_only_name_and_avatar", "\(assignment)")
        }
        #expect(
            try refusal {
                try owner.query(
                    """
                    INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                    VALUES ('x', sha256('x'), \(child), 0)
                    """)
            } == "23503 user_identities_user_fkey")
    }

    @Test("nothing can delete members or families, move a member, or change a family's creator")
    func neverDeleted() throws {
        let house = try house
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        for statement in [
            "DELETE FROM app.family_members", "DELETE FROM app.family_units",
            "DELETE FROM app.users", "TRUNCATE app.family_members CASCADE",
            "UPDATE app.family_members SET household_role = 'parent_admin'",
            "UPDATE app.family_units SET created_by_user_id = gen_random_uuid()",
        ] {
            let met = try refusal {
                try house.asAPI(creator) { try $0.query(SQL(unsafe: statement)) }
            }
            #expect(met == "42501", "\(statement)")
        }
        #expect(
            try refusal {
                try house.owner().query(
                    """
                    UPDATE app.family_members SET family_unit_id = gen_random_uuid()
                    WHERE family_unit_id = \(family.id)
                    """)
            } == "23514 family_members_identity_fixed")
        #expect(
            try refusal {
                try house.owner().query(
                    """
                    UPDATE app.family_units SET created_by_user_id = gen_random_uuid()
                    WHERE id = \(family.id)
                    """)
            } == "23514 family_units_creator_fixed")
    }
}
