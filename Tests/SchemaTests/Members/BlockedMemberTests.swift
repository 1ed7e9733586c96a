import Postgres
import TestSupport
import Testing

/// A blocked member is treated as absent where the rights of others depend on it.
@Suite("Blocked members of a family")
struct BlockedMemberTests {
    @Test(
        "members may do while another is blocked what they may do once that member is gone",
        arguments: AbsenceScene.Shape.allCases)
    func absence(shape: AbsenceScene.Shape) throws {
        let scene = try AbsenceScene(shape)
        for absent in [AbsenceScene.Cast.founder, .second, .third, .fourth] {
            let removed = try scene.outcomes(without: absent, .removed)
            let blocked = try scene.outcomes(without: absent, .blocked)
            #expect(removed.values.contains { $0.hasPrefix("allowed") })
            for (name, outcome) in removed.sorted(by: { $0.key < $1.key })
            where blocked[name] != outcome {
                Issue.record(
                    "\(absent): \(name): \(outcome) if removed, \(blocked[name] ?? "nothing")")
            }
        }
    }

    @Test(
        "a block leaves no trace in the family once it is lifted",
        arguments: AbsenceScene.Shape.allCases)
    func reversal(shape: AbsenceScene.Shape) throws {
        let scene = try AbsenceScene(shape)
        for absent in [AbsenceScene.Cast.founder, .second, .third, .fourth] {
            let before = try scene.state()
            let user = try scene.person(absent).id
            try scene.house.asOperator {
                try $0.query("SELECT app.operator_block_user(\(user), 'spam')")
            }
            try scene.house.asOperator {
                try $0.query("SELECT app.operator_unblock_user(\(user))")
            }
            #expect(try scene.state() == before)
        }
    }

    // MARK: The seat

    @Test("a claim takes the seat from a blocked Parent Admin, who becomes an adult")
    func claim() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        let own = try house.membership(scene.admin, scene.home)
        try block(scene.admin, house)
        try scene.effects(and: ["admin at home": own]).expect(
            """
            + audit_log: action=member.set_role, actor_user_id=adult, details={to: adult, from:
                parent_admin}, family_unit_id=home, subject_user_id=admin, target_id=admin at home
            + audit_log: action=member.set_role, actor_user_id=adult, details={to: parent_admin,
                from: adult}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: adult, family: home, messageId: random, recipient: adult}
            + role_changes: changed_at=now, changed_by=adult, family_unit_id=home,
                household_role=adult, member_id=admin at home, version=7
            + role_changes: changed_at=now, changed_by=adult, family_unit_id=home,
                household_role=parent_admin, member_id=adult at home, version=7
            ~ family_members admin at home: household_role=adult, updated_at=now
            ~ family_members adult at home: governs=true, household_role=parent_admin,
                updated_at=now
            """
        ) {
            try scene.call(
                scene.adult, .changeHouseholdRole(of: scene.homeAdult, to: "parent_admin"))
        }
        try unblock(scene.admin, house)
        let told = try refusal {
            try scene.call(scene.admin, .changeHouseholdRole(of: own, to: "parent_admin"))
        }
        #expect(told == "HF409 parent_admin_exists")
    }

    @Test("an operator can give a blocked Parent Admin's seat to others, and to nobody blocked")
    func operators() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        let new = try house.person()
        func asOperator(_ statement: SQL) throws -> String? {
            try refusal { _ = try house.asOperator { try $0.query(statement) } }
        }
        func add(_ person: Person) -> SQL {
            "SELECT app.operator_add_member(\(scene.home.id), \(person.id), NULL, 'parent_admin')"
        }
        let promote: SQL =
            "SELECT app.operator_set_household_role(\(scene.homeAdult), 'parent_admin', NULL)"
        #expect(try asOperator(promote) == "HF409 parent_admin_exists")
        #expect(try asOperator(add(new)) == "HF409 parent_admin_exists")
        try block(scene.adult, house)
        let transfer: SQL = "SELECT app.operator_transfer_admin(\(scene.homeAdult))"
        #expect(try asOperator(transfer) == "HF409 admin_not_adult")
        try block(scene.admin, house)
        #expect(try asOperator(promote) == "HF409 admin_not_adult")
        try block(new, house)
        #expect(try asOperator(add(new)) == "HF409 admin_not_adult")
        try unblock(new, house)
        #expect(try asOperator(add(new)) == nil)
        #expect(try seats(house, scene.home) == [try house.membership(new, scene.home)])
        try block(new, house)
        try unblock(scene.adult, house)
        #expect(try asOperator(promote) == nil)
        #expect(try seats(house, scene.home) == [scene.homeAdult])
    }

    @Test("an operator can remove a Parent Admin whose only other adult is blocked")
    func lastAdult() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        let own = try house.membership(scene.admin, scene.home)
        let removal: SQL = "SELECT app.operator_remove_member(\(own), NULL, false, 'active')"
        #expect(
            try refusal { _ = try house.asOperator { try $0.query(removal) } }
                == "HF409 transfer_admin_first")
        try block(scene.adult, house)
        #expect(try refusal { _ = try house.asOperator { try $0.query(removal) } } == nil)
    }

    // MARK: Guardians

    @Test("a child handed over while its primary guardian is blocked keeps that guardian as well")
    func handover() throws {
        let scene = try GuardianScene()
        try scene.guardians(scene.father, of: scene.child)
        try block(scene.mother, scene.house)
        let statement: SQL =
            "SELECT app.reassign_managed_member(\(scene.child), \(try scene.member(scene.uncle)))"
        try scene.call(scene.father, statement)
        #expect(try guardians(scene) == [scene.mother.id, scene.uncle.id])
        #expect(try primary(scene) == scene.uncle.id)
    }

    @Test("the longest-serving guardian who is not blocked acts for a blocked primary guardian")
    func acting() throws {
        let scene = try GuardianScene()
        try scene.guardians(scene.uncle, scene.father, of: scene.child)
        func dismissed(by person: Person) throws -> String? {
            let other = person.id == scene.father.id ? scene.uncle : scene.father
            let member = try scene.member(other)
            return try refusal {
                try scene.house.asAPI(person) {
                    try $0.query("SELECT app.remove_guardian(\(scene.child), \(member))")
                    throw Undo()
                }
            }
        }
        #expect(try dismissed(by: scene.uncle) == "HF403 standing_too_low")
        try block(scene.mother, scene.house)
        #expect(throws: Undo.self) { try dismissed(by: scene.uncle) }
        #expect(try dismissed(by: scene.father) == "HF403 standing_too_low")
        try block(scene.uncle, scene.house)
        #expect(throws: Undo.self) { try dismissed(by: scene.father) }
        try unblock(scene.mother, scene.house)
        #expect(try dismissed(by: scene.father) == "HF403 standing_too_low")
    }

    @Test("no child gets a blocked guardian, from members, from operators, or by a repair")
    func newGuardians() throws {
        let scene = try GuardianScene()
        let house = scene.house
        let father = try scene.member(scene.father)
        try scene.guardians(scene.father, of: scene.sibling)
        try block(scene.father, house)
        for statement: SQL in [
            "SELECT app.add_guardian(\(scene.child), \(father))",
            "SELECT app.reassign_managed_member(\(scene.child), \(father))",
        ] {
            let told = try refusal { try scene.call(scene.mother, statement) }
            #expect(told == "HF409 guardian_not_adult")
        }
        let promotion: SQL = "SELECT app.make_primary_guardian(\(scene.sibling), \(father))"
        #expect(
            try refusal { try scene.call(scene.mother, promotion) } == "HF404 member_not_found")
        for statement: SQL in [
            "SELECT app.operator_add_guardian(\(scene.child), \(father))",
            """
            SELECT app.operator_reassign_managed_member(
                \(scene.child), \(father), \(scene.mother.id))
            """,
            "SELECT app.operator_add_managed_member(\(father), 'New', NULL)",
        ] {
            let told = try refusal { _ = try house.asOperator { try $0.query(statement) } }
            #expect(told == "HF409 guardian_not_adult")
        }
        try block(scene.mother, house)
        let preferred = try house.owner().query("SELECT app.preferred_guardian(\(scene.family.id))")
            .scalar(UInt128.self)
        #expect(preferred == scene.uncle.id)
    }

    @Test(
        "operators replace the recorded primary guardian, and invite in the acting guardian's name")
    func operatorsAndGuardians() throws {
        let scene = try GuardianScene()
        try scene.guardians(scene.father, of: scene.child)
        try block(scene.mother, scene.house)
        let uncle = try scene.member(scene.uncle)
        try scene.house.asOperator {
            try $0.query(
                """
                SELECT FROM app.operator_start_graduation(
                    \(scene.child), NULL, 'player', 'kid', 'link')
                """)
        }
        let named = try scene.house.superuser().query(
            "SELECT invited_by FROM app.family_invitations WHERE graduate_id = \(scene.child)"
        ).scalar(UInt128.self)
        #expect(named == scene.father.id)
        try scene.house.asOperator {
            try $0.query(
                """
                SELECT app.operator_reassign_managed_member(
                    \(scene.child), \(uncle), \(scene.mother.id))
                """)
        }
        #expect(try guardians(scene) == [scene.father.id, scene.uncle.id])
    }

    @Test("a graduation by a blocked guardian is not sent, and the acting guardian can start one")
    func graduation() throws {
        let scene = try GuardianScene()
        try scene.guardians(scene.father, of: scene.child)
        _ = try scene.start(scene.child)
        let invitation = try scene.house.superuser().query(
            "SELECT id FROM app.family_invitations WHERE graduate_id = \(scene.child)"
        ).scalar(UInt128.self)
        try block(scene.mother, scene.house)
        let told = try refusal {
            try scene.call(scene.father, "SELECT FROM app.resend_invitation(\(invitation))")
        }
        #expect(told == "HF403 standing_too_low")
        _ = try scene.start(scene.child, by: scene.father)
        let named = try scene.house.superuser().query(
            "SELECT invited_by FROM app.family_invitations WHERE id = \(invitation)"
        ).scalar(UInt128.self)
        #expect(named == scene.father.id)
    }

    // MARK: Others

    @Test("a blocked member can't invite, and its invitations don't stop others from inviting")
    func invitations() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        try house.superuser().query(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '1 hour'")
        let third = try house.person()
        try house.join(third, scene.home)
        let again: SQL = """
            SELECT FROM app.create_invitation(
                \(scene.home.id), 'one@example.org', 'parent', NULL, 'email')
            """
        #expect(try refusal { try scene.call(third, again) } == "HF409 already_invited")
        try block(scene.adult, house)
        #expect(try refusal { try scene.call(third, again) } == nil)
        let told = try refusal {
            _ = try house.asOperator {
                try $0.query(
                    """
                    SELECT FROM app.operator_create_invitation(
                        \(scene.homeAdult), 'two@example.org', 'parent', NULL, 'email')
                    """)
            }
        }
        #expect(told == "HF403 standing_too_low")
    }

    @Test(
        "blocked members get no mail about requests, and a family of only blocked ones no valid code"
    )
    func waiting() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        let (first, second) = (try house.person(), try house.person())
        try house.superuser().query("UPDATE app.family_units SET approval_required = true")
        func join(_ person: Person) throws -> String {
            try house.asAPI(person) {
                try $0.query(
                    "SELECT outcome FROM app.join_family_by_code(\(scene.home.code), NULL, NULL)"
                ).scalar(String.self)
            }
        }
        try block(scene.admin, house)
        #expect(try join(first) == "waiting")
        let notified = try house.superuser().query(
            """
            SELECT array_agg((payload ->> 'recipient')::uuid) FROM jobs.live
            WHERE kind = 'mail.join_requested'
            """
        ).scalar([UInt128].self)
        #expect(notified == [scene.adult.id])
        try block(scene.adult, house)
        #expect(try join(second) == "code_unknown")
        try unblock(scene.admin, house)
        #expect(try join(second) == "waiting")
    }

    @Test("a block raises the version of a family only if others' choices depend on the block")
    func versions() throws {
        let scene = try TwoFamilies()
        let house = scene.house
        let third = try house.person()
        try house.join(third, scene.home)
        func version() throws -> Int64 {
            try house.superuser().query(
                "SELECT version FROM app.family_versions WHERE family_unit_id = \(scene.home.id)"
            ).scalar(Int64.self)
        }
        let start = try version()
        try block(third, house)
        try unblock(third, house)
        #expect(try version() == start)
        try block(scene.adult, house)
        #expect(try version() == start)
        try block(scene.admin, house)
        #expect(try version() == start + 1)
        try unblock(scene.admin, house)
        #expect(try version() == start + 2)
        try unblock(scene.adult, house)
        let own = try house.membership(scene.admin, scene.home)
        try house.setHouseholdRole("adult", of: own, by: scene.admin)
        let vacant = try version()
        try block(scene.adult, house)
        #expect(try version() == vacant)
        try unblock(scene.adult, house)
        #expect(try version() == vacant)
        try block(scene.admin, house)
        #expect(try version() == vacant + 1)
        try block(scene.adult, house)
        #expect(try version() == vacant + 2)
        try unblock(scene.adult, house)
        #expect(try version() == vacant + 3)
    }

    private func block(_ person: Person, _ house: House) throws {
        try house.asOperator {
            try $0.query("SELECT app.operator_block_user(\(person.id), 'spam')")
        }
    }

    private func unblock(_ person: Person, _ house: House) throws {
        try house.asOperator { try $0.query("SELECT app.operator_unblock_user(\(person.id))") }
    }

    private func seats(_ house: House, _ family: Family) throws -> [UInt128] {
        try house.superuser().query(
            """
            SELECT id FROM app.family_members WHERE family_unit_id = \(family.id)
                AND status = 'active' AND household_role = 'parent_admin'
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    private func guardians(_ scene: GuardianScene) throws -> Set<UInt128> {
        Set(
            try scene.house.superuser().query(
                "SELECT guardian_user_id FROM app.guardianships WHERE member_id = \(scene.child)"
            ).map { (row) throws(PostgresError) in try row.read(UInt128.self) })
    }

    private func primary(_ scene: GuardianScene) throws -> UInt128 {
        try scene.house.superuser().query(
            "SELECT parent_user_id FROM app.family_members WHERE id = \(scene.child)"
        ).scalar(UInt128.self)
    }
}

private struct Undo: Error {}
