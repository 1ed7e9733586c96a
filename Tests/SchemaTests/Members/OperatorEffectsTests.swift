import Postgres
import TestSupport
import Testing

/// Operators' changes in a family with an admin, another adult, that adult's child, and a person
/// with a pending request, beside another family.
@Suite("Rows written by operators' changes")
struct OperatorEffectsTests {
    let scene: TwoFamilies
    var house: House { scene.house }
    let effects: Effects
    let connection: Connection
    let admins, child, stranger, waiting, former: UInt128
    let newcomer: Person

    init() throws {
        scene = try TwoFamilies()
        let house = scene.house
        connection = try house.superuser()
        admins = try house.membership(scene.admin, scene.home)
        child = try house.child(of: scene.adult, in: scene.home)
        stranger = try house.membership(scene.neighbour, scene.away)
        let leaver = try house.person()
        former = try house.join(leaver, scene.home)
        try scene.call(leaver, "SELECT app.leave_family(\(scene.home.id), NULL)")
        let waiter = try house.person()
        waiting = try scene.waits(waiter, at: scene.home)
        newcomer = try house.person()
        effects = try scene.effects(and: [
            "admin's": admins, "child": child, "neighbour's": stranger, "former's": former,
            "waiting's": waiting, "waiting": waiter.id, "newcomer": newcomer.id,
        ])
    }

    func asOperator(_ call: SQL) throws {
        _ = try house.asOperator { try $0.query(call) }
    }

    func does(
        _ call: SQL, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try effects.expect(text, sourceLocation: sourceLocation) { try asOperator(call) }
    }

    func refused(_ call: SQL) throws -> String? { try refusal { try asOperator(call) } }

    @Test("a seat moves to another adult of the family, vacant or not")
    func transfer() throws {
        try does(
            "SELECT FROM app.operator_transfer_admin(\(scene.homeAdult))",
            """
            + audit_log: action=admin.transfer, actor_label=operator:jo, details={from: admin's},
                family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: adult, family: home, messageId: random, recipient: admin}
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: adult, family: home, messageId: random, recipient: adult}
            + role_changes: changed_at=now, family_unit_id=home, household_role=adult,
                member_id=admin's, version=11
            + role_changes: changed_at=now, family_unit_id=home, household_role=parent_admin,
                member_id=adult at home, version=11
            ~ family_members admin's: household_role=adult, updated_at=now
            ~ family_members adult at home: governs=true, household_role=parent_admin,
                updated_at=now
            """)
        for other in [scene.homeAdult, child] {
            #expect(
                try refused("SELECT FROM app.operator_transfer_admin(\(other))")
                    == "HF409 admin_not_adult")
        }
        for nobody in [former, scene.home.id] {
            #expect(
                try refused("SELECT FROM app.operator_transfer_admin(\(nobody))")
                    == "HF404 member_not_found")
        }
        try connection.query(
            """
            UPDATE app.family_members SET household_role = 'adult'
            WHERE household_role = 'parent_admin'
            """)
        // A former member who left with the seat no longer holds it.
        try connection.query(
            """
            UPDATE app.family_members SET household_role = 'parent_admin' WHERE id = \(former)
            """)
        try does(
            "SELECT FROM app.operator_transfer_admin(\(admins))",
            """
            + audit_log: action=admin.transfer, actor_label=operator:jo, details={from: null},
                family_unit_id=home, subject_user_id=admin, target_id=admin's
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: admin, family: home, messageId: random, recipient: admin}
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: admin, family: home, messageId: random, recipient: adult}
            ~ family_members admin's: household_role=parent_admin, updated_at=now
            ~ role_changes admin's: changed_at=now, household_role=parent_admin, version=13
            """)
    }

    @Test("an operator adds an account as a member once, in the named role or the account's own")
    func add() throws {
        let (home, person) = (scene.home.id, newcomer.id)
        #expect(
            try refused(
                "SELECT FROM app.operator_add_member(\(home), \(person), NULL, 'parent_admin')")
                == "HF409 parent_admin_exists")
        #expect(
            try refused(
                "SELECT FROM app.operator_add_member(\(scene.away.id), \(person), 'player', 'parent_admin')"
            )
                == "HF409 parent_admin_exists")
        try does(
            "SELECT FROM app.operator_add_member(\(home), \(person), NULL, NULL)",
            """
            + audit_log: action=member.add, actor_label=operator:jo, details={role: parent,
                householdRole: adult}, family_unit_id=home, subject_user_id=newcomer,
                target_id=new
            + family_members: active_adult_user_id=newcomer, added_at=now, confides=true,
                family_unit_id=home, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=operator, role=parent, slot=4, status=active,
                updated_at=now, user_id=newcomer, user_kind=account, vouched=true
            """)
        #expect(
            try refused("SELECT FROM app.operator_add_member(\(home), \(person), NULL, NULL)")
                == "HF409 person_already_member")
        try does(
            "SELECT FROM app.operator_add_member(\(home), \(scene.player.id), 'player', NULL)",
            """
            + audit_log: action=member.add, actor_label=operator:jo, details={role: player,
                householdRole: kid}, family_unit_id=home, subject_user_id=player, target_id=new
            + family_members: added_at=now, confides=true, family_unit_id=home, governs=false,
                household_ceiling=kid, household_role=kid, is_creator=false, joined_via=operator,
                role=player, slot=5, status=active, updated_at=now, user_id=player,
                user_kind=account, vouched=true
            """)
        for nobody in [child, home] {
            #expect(
                try refused("SELECT FROM app.operator_add_member(\(home), \(nobody), NULL, NULL)")
                    == "HF404 user_not_found")
        }
        #expect(
            try refused("SELECT FROM app.operator_add_member(\(person), \(person), NULL, NULL)")
                == "HF404 family_not_found")
    }

    @Test("a waiting person who becomes what it asked to be is approved, in another role added")
    func approve() throws {
        let home = scene.home.id
        let person = try connection.query(
            "SELECT user_id FROM app.family_members WHERE id = \(waiting)"
        ).scalar(UInt128.self)
        try does(
            "SELECT FROM app.operator_add_member(\(home), \(person), 'parent', 'adult')",
            """
            + audit_log: action=member.approve, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=waiting, target_id=waiting's
            + live: family_unit_id=home, kind=mail.request_approved, payload={date: now,
                family: home, messageId: random, recipient: waiting}
            ~ family_members waiting's: active_adult_user_id=waiting, added_at=now, confides=true,
                slot=4, status=active, updated_at=now, vouched=true
            """)
        let other = try house.person()
        _ = try scene.waits(other, at: scene.home)
        try asOperator("SELECT FROM app.operator_add_member(\(home), \(other.id), NULL, 'visitor')")
        let ways = try connection.query(
            """
            SELECT concat_ws(' ', a.action, a.details, m.joined_via)
            FROM app.audit_log AS a JOIN app.family_members AS m ON m.id = a.target_id
            WHERE a.actor_label = 'operator:jo' AND m.user_id IN (\(person), \(other.id))
            ORDER BY a.at
            """
        ).decode(as: Scalar<String>.self).map(\.value)
        #expect(
            ways == [
                "member.approve {} code",
                "member.add {\"role\": \"parent\", \"householdRole\": \"visitor\"} operator",
            ])
    }

    @Test("an approval is refused unless the person waits with the roles that the operator saw")
    func approveOnly() throws {
        let home = scene.home.id
        let person = try connection.query(
            "SELECT user_id FROM app.family_members WHERE id = \(waiting)"
        ).scalar(UInt128.self)
        func approve(_ user: UInt128, _ household: String) throws -> String? {
            try refused(
                """
                SELECT FROM app.operator_add_member(
                    \(home), \(user), 'parent', \(household), true)
                """)
        }
        #expect(try approve(person, "visitor") == "HF409 member_is_not_waiting")
        #expect(try approve(house.person().id, "adult") == "HF409 member_is_not_waiting")
        try connection.query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE id = \(waiting)
            """)
        #expect(try approve(person, "adult") == "HF409 member_is_not_waiting")
    }

    @Test("the seat can be taken only by a parent, and only while it is vacant")
    func seat() throws {
        let home = scene.home.id
        try connection.query(
            """
            UPDATE app.family_members SET household_role = 'adult'
            WHERE household_role = 'parent_admin'
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_add_member(\(home), \(newcomer.id), 'player', 'parent_admin')"
            )
                == "HF409 admin_not_adult")
        try does(
            "SELECT FROM app.operator_add_member(\(home), \(newcomer.id), 'parent', 'parent_admin')",
            """
            + audit_log: action=member.add, actor_label=operator:jo, details={role: parent,
                householdRole: parent_admin}, family_unit_id=home, subject_user_id=newcomer,
                target_id=new
            + family_members: active_adult_user_id=newcomer, added_at=now, confides=true,
                family_unit_id=home, governs=true, household_ceiling=adult,
                household_role=parent_admin, is_creator=false, joined_via=operator, role=parent,
                slot=4, status=active, updated_at=now, user_id=newcomer, user_kind=account,
                vouched=true
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_set_household_role(\(admins), 'parent_admin', NULL)")
                == "HF409 parent_admin_exists")
    }

    @Test("removing a member can renew the code; the admin is removed only as the last adult")
    func remove() throws {
        #expect(
            try refused("SELECT FROM app.operator_remove_member(\(admins), NULL, false, NULL)")
                == "HF409 transfer_admin_first")
        #expect(
            try refused(
                "SELECT FROM app.operator_remove_member(\(scene.homeAdult), NULL, false, NULL)")
                == "HF409 guardian_has_managed_members")
        try does(
            "SELECT FROM app.operator_remove_member(\(child), NULL, NULL, NULL)",
            """
            + audit_log: action=managed.remove, actor_label=operator:jo, details={was: active,
                rotatedCode: false}, family_unit_id=home, subject_user_id=child, target_id=child
            - guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=child, since=now, slot=1
            ~ family_members child: active_guardian_id=null, removed_at=now, slot=null,
                status=removed, updated_at=now
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_remove_member(\(scene.homeAdult), NULL, false, 'invited')"
            )
                == "HF409 member_is_not_waiting")
        try does(
            "SELECT FROM app.operator_remove_member(\(waiting), NULL, false, 'invited')",
            """
            + audit_log: action=member.remove, actor_label=operator:jo, details={was: invited,
                rotatedCode: false}, family_unit_id=home, subject_user_id=waiting,
                target_id=waiting's
            + live: family_unit_id=home, kind=mail.request_rejected, payload={date: now, family: home,
                messageId: random, recipient: waiting}
            ~ family_members waiting's: barred_at=now, rejected_at=now, removed_at=now,
                status=removed, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_remove_member(\(scene.homeAdult), NULL, true, NULL)",
            """
            + audit_log: action=member.remove, actor_label=operator:jo, details={was: active,
                rotatedCode: true}, family_unit_id=home, subject_user_id=adult, target_id=adult at
                home
            + family_code_usage_log: action=regenerated, family_unit_id=home
            + family_codes: code=drawn, family_unit_id=home, generated_at=now
            + live: family_unit_id=home, kind=mail.member_removed, payload={date: now, family: home,
                messageId: random, recipient: adult}
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_codes home: reason=regenerated, retired_at=now
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, barred_at=now, confides=false,
                removed_at=now, slot=null, status=removed, updated_at=now, vouched=false
            ~ family_units home: code_generated_at=now, family_code=drawn, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_remove_member(\(admins), NULL, false, NULL)",
            """
            + audit_log: action=member.remove, actor_label=operator:jo, details={was: active,
                rotatedCode: false}, family_unit_id=home, subject_user_id=admin, target_id=admin's
            + family_code_usage_log: action=retired, family_unit_id=home
            + live: family_unit_id=home, kind=mail.member_removed, payload={date: now, family: home,
                messageId: random, recipient: admin}
            - invitation_secrets: generation=1, invitation_id=by the admin, token_hash=random
            ~ family_codes home: reason=given_up, retired_at=now
            ~ family_invitations by the admin: closed_at=now, status=revoked
            ~ family_members admin's: active_adult_user_id=null, barred_at=now, confides=false,
                governs=false, removed_at=now, slot=null, status=removed, updated_at=now
            ~ family_units home: code_state=null, emptied_at=now, family_code=null, updated_at=now
            """)
    }

    @Test(
        "a demotion hands over children and ends invitations that the new role doesn't allow")
    func role() throws {
        func set(_ member: UInt128, _ role: String, _ heir: UInt128? = nil) -> SQL {
            "SELECT FROM app.operator_set_household_role(\(member), \(role), \(heir as UInt128?))"
        }
        #expect(try refused(set(scene.homeAdult, "king")) == "HF400 invalid_field")
        #expect(try refused(set(child, "adult")) == "HF403 standing_too_low")
        #expect(try refused(set(waiting, "adult")) == "HF409 member_is_waiting")
        #expect(try refused(set(former, "adult")) == "HF404 member_not_found")
        #expect(
            try refused(set(scene.homeAdult, "kid")) == "HF409 guardian_has_managed_members")
        try does(
            set(scene.homeAdult, "visitor", admins),
            """
            + audit_log: action=managed.reassign, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=child, target_id=admin's
            + audit_log: action=member.set_role, actor_label=operator:jo, details={to: visitor,
                from: adult}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + guardianships: family_unit_id=home, guardian_user_id=admin, member_id=child,
                since=now, slot=1
            + live: family_unit_id=home, kind=mail.guardian_replaced, payload={date: now,
                other: admin, family: home, messageId: random, recipient: adult}
            + role_changes: changed_at=now, family_unit_id=home, household_role=visitor,
                member_id=adult at home, version=11
            - guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=child, since=now, slot=1
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, confides=false,
                household_ceiling=visitor, household_role=visitor, updated_at=now
            ~ family_members child: active_guardian_id=admin, parent_user_id=admin, updated_at=now
            """)
        try does(
            set(admins, "parent_admin"),
            """
            + audit_log: action=member.set_role, actor_label=operator:jo, details={to:
                parent_admin, from: parent_admin}, family_unit_id=home, subject_user_id=admin,
                target_id=admin's
            ~ family_members admin's: updated_at=now
            """)
    }

    /// The lines of the e-mails that a call enqueues.
    private func mails(_ call: SQL) throws -> [String] {
        try effects.lines { try asOperator(call) }.filter { $0.contains("kind=mail.") }
    }

    private func mail(_ kind: String, to recipient: String, about other: String) -> String {
        "+ live: family_unit_id=home, kind=mail.\(kind), payload={date: now, other: \(other), "
            + "family: home, messageId: random, recipient: \(recipient)}"
    }

    private func enters(_ person: Person) throws -> UInt128 {
        try asOperator(
            "SELECT app.operator_add_member(\(scene.home.id), \(person.id), NULL, NULL)")
        return try house.membership(person, scene.home)
    }

    @Test("an operator's new Parent Admin is announced to each adult who is not blocked, once")
    func newAdmin() throws {
        let promote: SQL =
            "SELECT FROM app.operator_set_household_role(\(admins), 'parent_admin', NULL)"
        #expect(try mails(promote) == [])
        _ = try enters(newcomer)
        try asOperator("SELECT app.operator_block_user(\(newcomer.id), 'spam')")
        let told = [
            mail("admin_changed", to: "admin", about: "admin"),
            mail("admin_changed", to: "adult", about: "admin"),
        ]
        try asOperator("SELECT FROM app.operator_transfer_admin(\(scene.homeAdult))")
        #expect(try mails("SELECT FROM app.operator_transfer_admin(\(admins))") == told)
        try connection.query(
            """
            UPDATE app.family_members SET household_role = 'adult'
            WHERE household_role = 'parent_admin' AND family_unit_id = \(scene.home.id)
            """)
        #expect(try mails(promote) == told)
    }

    @Test(
        "an operator's change mails a guardian about a new guardian only if it hands over a child",
        arguments: ["remove", "demote"])
    func replaced(way: String) throws {
        func end(_ member: UInt128, _ heir: UInt128) -> SQL {
            way == "remove"
                ? "SELECT FROM app.operator_remove_member(\(member), \(heir), false, 'active')"
                : "SELECT FROM app.operator_set_household_role(\(member), 'visitor', \(heir))"
        }
        let replaced = mail("guardian_replaced", to: "adult", about: "admin")
        let told = try mails(end(scene.homeAdult, admins)).filter { $0.contains("guardian") }
        #expect(told == [replaced])
        // A member without children, and one whose child has another guardian.
        let (newcomers, other) = (try enters(newcomer), try enters(try house.person()))
        try asOperator("SELECT FROM app.operator_add_guardian(\(child), \(newcomers))")
        for member in [other, newcomers] {
            let told = try mails(end(member, admins)).filter { $0.contains("guardian") }
            #expect(told == [])
        }
    }

    @Test("a child is added with one guardian, and guardians can be added, promoted and removed")
    func children() throws {
        let (adult, adults) = (scene.homeAdult, scene.adult.id)
        try does(
            "SELECT FROM app.operator_add_managed_member(\(adult), 'Bo', 'fox')",
            """
            + audit_log: action=managed.create, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=new, target_id=new
            + family_members: active_guardian_id=adult, added_at=now, confides=false,
                family_unit_id=home, governs=false, household_ceiling=kid, household_role=kid,
                is_creator=false, joined_via=operator, parent_user_id=adult, role=player, slot=4,
                status=active, updated_at=now, user_id=new, user_kind=managed, vouched=false
            + guardianships: family_unit_id=home, guardian_user_id=adult, member_id=new,
                since=now, slot=1
            + users: avatar_key=fox, email_verified=false, full_name=Bo, kind=managed,
                role=player, role_is_default=false, updated_at=now
            """)
        for nobody in [child, waiting] {
            #expect(
                try refused("SELECT FROM app.operator_add_managed_member(\(nobody), 'Bo', NULL)")
                    == "HF409 guardian_not_adult")
        }
        try does(
            "SELECT FROM app.operator_add_guardian(\(child), \(admins))",
            """
            + audit_log: action=guardian.add, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=child, target_id=admin's
            + guardianships: family_unit_id=home, guardian_user_id=admin, member_id=child,
                since=now, slot=2
            + live: family_unit_id=home, kind=mail.guardian_named, payload={date: now,
                other: child, family: home, messageId: random, recipient: admin}
            """)
        try does("SELECT FROM app.operator_add_guardian(\(child), \(admins))", "")
        try does(
            "SELECT FROM app.operator_promote_guardian(\(child), \(admins))",
            """
            + audit_log: action=guardian.promote, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=child, target_id=admin's
            ~ family_members child: active_guardian_id=admin, parent_user_id=admin, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_remove_guardian(\(child), \(adult))",
            """
            + audit_log: action=guardian.remove, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=child, target_id=adult at home
            + live: family_unit_id=home, kind=mail.guardian_removed, payload={date: now,
                other: child, family: home, messageId: random, recipient: adult}
            - guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=child, since=now, slot=1
            """)
        try does(
            reassign(child, to: adult, seen: scene.admin.id),
            """
            + audit_log: action=managed.reassign, actor_label=operator:jo, details={},
                family_unit_id=home, subject_user_id=child, target_id=adult at home
            + guardianships: family_unit_id=home, guardian_user_id=adult, member_id=child,
                since=now, slot=1
            + live: family_unit_id=home, kind=mail.guardian_replaced, payload={date: now, other:
                adult, family: home, messageId: random, recipient: admin}
            - guardianships: family_unit_id=home, guardian_user_id=admin, member_id=child,
                since=now, slot=2
            ~ family_members child: active_guardian_id=adult, parent_user_id=adult, updated_at=now
            """)
        for call in [
            "app.operator_add_guardian", "app.operator_remove_guardian",
            "app.operator_promote_guardian",
        ] {
            for nobody in [adult, adults, waiting] {
                #expect(
                    try refused("SELECT FROM \(unsafe: call)(\(nobody), \(adult))")
                        == "HF404 member_not_found", "\(call)")
            }
            #expect(
                try refused("SELECT FROM \(unsafe: call)(\(child), \(stranger))")
                    == "HF404 member_not_found",
                "\(call)")
        }
        try scene.call(scene.adult, "SELECT FROM app.remove_member(\(child), NULL, false, false)")
        #expect(
            try refused("SELECT FROM app.operator_add_guardian(\(child), \(adult))")
                == "HF404 member_not_found")
    }

    private func reassign(_ member: UInt128, to guardian: UInt128, seen: UInt128?) -> SQL {
        """
        SELECT FROM app.operator_reassign_managed_member(
            \(member), \(guardian), \(seen as UInt128?))
        """
    }

    @Test("a reassignment has no effect if the operator has not seen the primary guardian")
    func reassignment() throws {
        let seen = scene.adult.id
        try effects.expect("") { () throws in
            for unseen in [scene.admin.id, nil] {
                #expect(
                    try refused(reassign(child, to: admins, seen: unseen))
                        == "HF409 guardian_changed")
            }
            for nobody in [scene.homeAdult, seen, waiting] {
                #expect(
                    try refused(reassign(nobody, to: admins, seen: seen))
                        == "HF404 member_not_found", "\(nobody)")
            }
            #expect(
                try refused(reassign(child, to: stranger, seen: seen)) == "HF404 member_not_found")
            #expect(
                try refused(reassign(child, to: scene.homeAdult, seen: seen))
                    == "HF409 guardian_not_adult")
        }
    }

    @Test("a full family can't get another child")
    func full() throws {
        try connection.query(
            """
            UPDATE app.family_units AS f SET member_limit = (
                SELECT max(slot) FROM app.family_members AS m WHERE m.family_unit_id = f.id)
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_add_managed_member(\(scene.homeAdult), 'Bo', NULL)")
                == "HF409 family_full")
    }
}
