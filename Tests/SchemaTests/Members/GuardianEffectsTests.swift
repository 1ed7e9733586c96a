import Postgres
import TestSupport
import Testing

@Suite("Rows written by changes of a child's guardians, for one child")
struct GuardianEffectsTests {
    private let scene: GuardianScene
    init() throws { scene = try GuardianScene() }

    private func add(
        _ person: Person, to child: UInt128? = nil, by guardian: Person? = nil
    ) throws -> Bool {
        try scene.call(
            guardian ?? scene.mother,
            "SELECT app.add_guardian(\(child ?? scene.child), \(try scene.member(person)))"
        ).scalar()
    }

    private func remove(_ person: Person, by guardian: Person) throws {
        try scene.call(
            guardian,
            "SELECT app.remove_guardian(\(scene.child), \(try scene.member(person)))")
    }

    private func promote(_ person: Person, by guardian: Person) throws {
        try scene.call(
            guardian,
            "SELECT app.make_primary_guardian(\(scene.child), \(try scene.member(person)))")
    }

    private func leave(_ person: Person) throws {
        try scene.call(
            scene.mother,
            "SELECT app.remove_member(\(try scene.member(person)), NULL, false, false)")
    }

    @Test("a further guardian is added once, in the lowest free slot")
    func named() throws {
        try scene.guardians(scene.uncle, of: scene.sibling)
        var made = false
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=guardian.add, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=father's membership
            + guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=2
            + live: family_unit_id=family, kind=mail.guardian_named, payload={date: now,
                other: child, family: family, messageId: random, recipient: father}
            """
        ) { made = try add(scene.father) }
        #expect(made)
        try effects.expect { made = try add(scene.father) }
        #expect(!made)
        try effects.expect(
            """
            + audit_log: action=guardian.add, actor_user_id=father, details={},
                family_unit_id=family, subject_user_id=child, target_id=uncle's membership
            + guardianships: added_by=father, family_unit_id=family, guardian_user_id=uncle,
                member_id=child, since=now, slot=3
            + live: family_unit_id=family, kind=mail.guardian_named, payload={date: now,
                other: child, family: family, messageId: random, recipient: uncle}
            """
        ) { made = try add(scene.uncle, by: scene.father) }
        #expect(made)
        try remove(scene.father, by: scene.father)
        try effects.expect(
            """
            + audit_log: action=guardian.add, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=father's membership
            + guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=2
            + live: family_unit_id=family, kind=mail.guardian_named, payload={date: now,
                other: child, family: family, messageId: random, recipient: father}
            """
        ) { made = try add(scene.father) }
        #expect(made)
    }

    @Test("a child has four guardians at most, who are adults of the family with an account")
    func refused() throws {
        let player = try scene.house.person("player")
        try scene.house.join(player, scene.family)
        let outside = try scene.house.membership(scene.neighbour, scene.other)
        var others: [Person] = []
        for _ in 0..<2 {
            others.append(try scene.house.person())
            try scene.house.join(others[others.count - 1], scene.family)
        }
        try scene.guardians(scene.father, scene.uncle, others[0], of: scene.child)
        let effects = try scene.effects()
        func attempts() throws {
            #expect(try refusal { try add(player) } == "HF409 guardian_not_adult")
            #expect(try refusal { try add(others[1]) } == "HF409 too_many_guardians")
            #expect(
                try refusal {
                    try scene.call(
                        scene.mother, "SELECT app.add_guardian(\(scene.child), \(scene.sibling))")
                } == "HF409 guardian_not_adult")
            #expect(
                try refusal {
                    try scene.call(
                        scene.mother, "SELECT app.add_guardian(\(scene.child), \(outside))")
                } == "HF404 member_not_found")
            #expect(
                try refusal { try add(scene.father, by: others[1]) } == "HF403 standing_too_low")
            #expect(
                try refusal { try remove(scene.uncle, by: scene.father) }
                    == "HF403 standing_too_low")
            #expect(
                try refusal { try remove(others[1], by: scene.mother) }
                    == "HF404 member_not_found")
            #expect(
                try refusal { try promote(scene.uncle, by: scene.father) }
                    == "HF403 standing_too_low")
            #expect(
                try refusal { try promote(others[1], by: scene.mother) }
                    == "HF404 member_not_found")
            try promote(scene.mother, by: scene.mother)
        }
        try effects.expect("", attempts)
    }

    @Test("the only guardian can't resign")
    func only() throws {
        let told = try refusal { try remove(scene.mother, by: scene.mother) }
        #expect(told == "HF409 guardian_has_managed_members")
    }

    @Test("a guardian can resign, be removed, or become the primary one")
    func changed() throws {
        try scene.guardians(scene.father, scene.uncle, of: scene.child)
        try scene.guardians(scene.father, scene.uncle, of: scene.sibling)
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=guardian.promote, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=uncle's membership
            ~ family_members child: active_guardian_id=uncle, parent_user_id=uncle,
                updated_at=now
            """
        ) { try promote(scene.uncle, by: scene.mother) }
        try effects.expect(
            """
            + audit_log: action=guardian.remove, actor_user_id=uncle, details={},
                family_unit_id=family, subject_user_id=child, target_id=uncle's membership
            + audit_log: action=managed.reassign, actor_user_id=uncle, details={},
                family_unit_id=family, subject_user_id=child, target_id=mother's membership
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=uncle,
                member_id=child, since=now, slot=3
            ~ family_members child: active_guardian_id=mother, parent_user_id=mother,
                updated_at=now
            """
        ) { try remove(scene.uncle, by: scene.uncle) }
        try effects.expect(
            """
            + audit_log: action=guardian.remove, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=father's membership
            + live: family_unit_id=family, kind=mail.guardian_removed, payload={date: now,
                other: child, family: family, messageId: random, recipient: father}
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=2
            """
        ) { try remove(scene.father, by: scene.mother) }
    }

    @Test("an adult who leaves is succeeded by the longest-standing guardian")
    func gone() throws {
        try scene.guardians(scene.uncle, scene.father, of: scene.child)
        try scene.guardians(scene.father, of: scene.sibling)
        try promote(scene.father, by: scene.mother)
        // He stays a guardian in the other family.
        let elsewhere = try scene.house.join(scene.father, scene.other)
        try scene.call(
            scene.neighbour, "SELECT app.add_guardian(\(scene.stranger), \(elsewhere))")
        try scene.house.superuser().query(
            """
            UPDATE app.guardianships SET since = since - interval '1 day'
            WHERE guardian_user_id = \(scene.uncle.id)
            """)
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=managed.reassign, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=uncle's membership
            + audit_log: action=member.remove, actor_user_id=mother, details={was: active,
                rotatedCode: false}, family_unit_id=family, subject_user_id=father,
                target_id=father's membership
            + live: family_unit_id=family, kind=mail.member_removed, payload={date: now, family: family,
                messageId: random, recipient: father}
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=3
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=sibling, since=now, slot=2
            ~ family_members child: active_guardian_id=uncle, parent_user_id=uncle,
                updated_at=now
            ~ family_members father's membership: active_adult_user_id=null, barred_at=now,
                confides=false, removed_at=now, removed_by=mother, slot=null, status=removed, updated_at=now
            """
        ) { try leave(scene.father) }
        try effects.expect(
            """
            + audit_log: action=managed.reassign, actor_user_id=mother, details={},
                family_unit_id=family, subject_user_id=child, target_id=mother's membership
            + audit_log: action=member.remove, actor_user_id=mother, details={was: active,
                rotatedCode: false}, family_unit_id=family, subject_user_id=uncle,
                target_id=uncle's membership
            + live: family_unit_id=family, kind=mail.member_removed, payload={date: now, family: family,
                messageId: random, recipient: uncle}
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=uncle,
                member_id=child, since=in -1 days, slot=2
            ~ family_members child: active_guardian_id=mother, parent_user_id=mother,
                updated_at=now
            ~ family_members uncle's membership: active_adult_user_id=null, barred_at=now,
                confides=false, removed_at=now, removed_by=mother, slot=null, status=removed, updated_at=now
            """
        ) { try leave(scene.uncle) }
    }

    @Test("a guardian is mailed about a new guardian, except one who gave up the children")
    func replaced() throws {
        let uncle = try scene.member(scene.uncle)
        let father = try scene.member(scene.father)
        let effects = try scene.effects()
        func mails(_ person: Person, _ statement: SQL) throws -> [String] {
            try effects.lines { try scene.call(person, statement) }
                .filter { $0.contains("kind=mail.guardian") }
        }
        func set(_ role: String, heir: UInt128? = nil) -> SQL {
            .changeHouseholdRole(of: father, to: role, heir: heir)
        }
        let told = [
            "+ live: family_unit_id=family, kind=mail.guardian_replaced, payload={date: now, "
                + "other: uncle, family: family, messageId: random, recipient: father}"
        ]
        _ = try scene.house.child(of: scene.father, in: scene.family)
        #expect(try mails(scene.father, set("visitor", heir: uncle)) == [])
        for removes in [false, true] {
            try scene.call(scene.mother, set("adult"))
            _ = try scene.house.child(of: scene.father, in: scene.family)
            let statement: SQL =
                removes
                ? "SELECT app.remove_member(\(father), \(uncle), false, false)"
                : set("visitor", heir: uncle)
            #expect(try mails(scene.mother, statement) == told)
        }
    }

    @Test(
        "a graduation's invitation ends when its sender is no longer the primary guardian",
        arguments: ["promote", "reassign", "stop"])
    func otherPrimary(way: String) throws {
        let uncle = try scene.member(scene.uncle)
        try scene.guardians(scene.uncle, of: scene.child)
        try scene.guardians(scene.uncle, of: scene.sibling)
        _ = try scene.start(scene.child)
        let kept = try scene.start(scene.sibling)
        let effects = try scene.effects()
        let statement: SQL =
            switch way {
            case "promote": "SELECT app.make_primary_guardian(\(scene.child), \(uncle))"
            case "reassign": "SELECT app.reassign_managed_member(\(scene.child), \(uncle))"
            default:
                "SELECT app.remove_guardian(\(scene.child), \(try scene.member(scene.mother)))"
            }
        let ended = try effects.lines { try scene.call(scene.mother, statement) }
            .filter { $0.contains("invitation") }
        #expect(
            ended == [
                "- invitation_secrets: generation=1, invitation_id=new, token_hash=random",
                "~ family_invitations child family: closed_at=now, status=revoked",
            ])
        let robin = try scene.house.person("player")
        let outcome: String = try scene.call(
            robin, "SELECT outcome FROM app.join_by_invitation(\(kept), NULL)"
        ).scalar()
        #expect(outcome == "joined")
    }

    @Test("a child that is removed loses its guardians, and its graduation's invitation ends")
    func childGone() throws {
        try scene.guardians(scene.father, of: scene.child)
        try scene.guardians(scene.father, of: scene.sibling)
        for child in [scene.child, scene.sibling] {
            _ = try scene.start(child)
        }
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=managed.remove, actor_user_id=mother, details={was: active,
                rotatedCode: false}, family_unit_id=family, subject_user_id=child,
                target_id=child
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=2
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=mother,
                member_id=child, since=now, slot=1
            - invitation_secrets: generation=1, invitation_id=new,
                token_hash=random
            ~ family_invitations child family: closed_at=now, status=revoked
            ~ family_members child: active_guardian_id=null, removed_at=now, removed_by=mother,
                slot=null, status=removed, updated_at=now
            """
        ) {
            try scene.call(
                scene.mother, "SELECT app.remove_member(\(scene.child), NULL, false, false)")
        }
    }
}
