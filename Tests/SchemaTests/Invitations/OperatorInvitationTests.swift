import Postgres
import TestSupport
import Testing

@Suite("Invitations that operators send in a member's name")
struct OperatorInvitationTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let effects: Effects
    private let admins, child: UInt128

    init() throws {
        scene = try TwoFamilies()
        admins = try scene.house.membership(scene.admin, scene.home)
        child = try scene.house.child(of: scene.adult, in: scene.home)
        effects = try scene.effects(and: ["child": child])
    }

    private func invite(
        _ email: String?, by member: UInt128? = nil, as role: String = "parent",
        _ householdRole: String? = nil, delivery: String = "email"
    ) throws {
        _ = try house.asOperator {
            try $0.query(
                """
                SELECT FROM app.operator_create_invitation(\(member ?? scene.homeAdult),
                    \(email as String?), \(role), \(householdRole as String?), \(delivery))
                """)
        }
    }

    private func refused(_ body: () throws -> Void) throws -> String? { try refusal(body) }

    @Test("an operator invites in a member's name, and renews an invitation only if the member may")
    func made() throws {
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_label=operator:jo, details={role: parent,
                delivery: email, householdRole: adult}, family_unit_id=home,
                subject_user_id=adult, target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=adult, invited_by=adult,
                invited_email=new@example.org, kind=member, last_sent_at=now, role=parent,
                sent_count=1, status=pending, vouched=true
            """
        ) { try invite("New@Example.org") }
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_label=operator:jo, details={role: player,
                delivery: email, householdRole: kid}, family_unit_id=home, subject_user_id=adult,
                target_id=by the adult
            ~ family_invitations by the adult: expires_at=in 7 days, generation=2,
                household_role=kid, last_sent_at=now, role=player, sent_count=2
            """
        ) { try invite("one@example.org", as: "player") }
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_label=operator:jo, details={role: parent,
                delivery: link, householdRole: visitor}, family_unit_id=home,
                subject_user_id=adult, target_id=new
            + family_invitations: delivery=link, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=visitor, invited_by=adult, kind=member,
                last_sent_at=now, role=parent, sent_count=1, status=pending, vouched=true
            """
        ) { try invite(nil, as: "parent", "visitor", delivery: "link") }
    }

    @Test("an invalid address, too high a role, and exceeding the member's rights are refused")
    func refusals() throws {
        #expect(try refused { try invite("nowhere") } == "HF400 invalid_field")
        #expect(try refused { try invite(nil) } == "HF400 invalid_field")
        #expect(
            try refused { try invite("x@example.org", delivery: "link") } == "HF400 invalid_field")
        #expect(try refused { try invite("nowhere", delivery: "link") } == "HF400 invalid_field")
        #expect(
            try refused { try invite("x@example.org", as: "parent", "parent_admin") }
                == "HF403 role_too_high")
        #expect(
            try refused { try invite("x@example.org", by: child) } == "HF403 standing_too_low")
        #expect(
            try refused { try invite("x@example.org", by: scene.home.id) }
                == "HF404 member_not_found")
        let player = try house.person("player")
        let players = try house.join(player, scene.home)
        #expect(try refused { try invite("x@example.org", by: players) } == nil)
        #expect(
            try refused { try invite("y@example.org", by: players, as: "player") }
                == "HF403 standing_too_low")
    }

    @Test("a member can't be invited; a former member and a member elsewhere can")
    func members() throws {
        #expect(try refused { try invite(scene.admin.email) } == "HF409 person_already_member")
        let leaver = try house.person()
        try house.join(leaver, scene.home)
        try scene.call(leaver, "SELECT app.leave_family(\(scene.home.id), NULL)")
        #expect(try refused { try invite(leaver.email) } == nil)
        #expect(try refused { try invite(scene.neighbour.email) } == nil)
    }

    @Test("a child's graduation invitation can't be renewed")
    func graduation() throws {
        try house.superuser().query(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                household_role, delivery, kind, graduate_id)
            VALUES (\(scene.home.id), \(scene.adult.id), 'kid@example.org', 'player', 'kid',
                'email', 'graduation', \(child))
            """)
        #expect(try refused { try invite("kid@example.org") } == "HF409 already_invited")
    }

    @Test("another member's pending invitation blocks a new one in that family until it expires")
    func pending() throws {
        let address = "two@example.org"
        let other = try house.invite(address, to: scene.home, by: scene.admin)
        let others = try house.join(try house.person(), scene.home)
        #expect(
            try refused { try invite(address, by: others) } == "HF409 already_invited")
        _ = try house.invite(address, to: scene.away, by: scene.neighbour)
        try house.superuser().query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE id = \(other)
            """)
        // Expired invitations to other addresses or elsewhere are left to the worker.
        for (family, email) in [
            (scene.home, "three@example.org"), (scene.away, address),
            (scene.home, scene.player.email),
        ] {
            try house.superuser().query(
                """
                INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                    household_role, delivery, expires_at)
                VALUES (\(family.id), \(scene.adult.id), \(email), 'parent', 'adult', 'email',
                    now() - interval '1 s')
                ON CONFLICT DO NOTHING
                """)
        }
        try house.superuser().query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE invited_email = \(address)
            """)
        try scene.effects(and: ["other": other]).expect(
            """
            + audit_log: action=invitation.create, actor_label=operator:jo, details={role: parent,
                delivery: email, householdRole: adult}, family_unit_id=home, subject_user_id=new,
                target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=adult, invited_by=new, invited_email=two@example.org,
                kind=member, last_sent_at=now, role=parent, sent_count=1, status=pending,
                vouched=false
            ~ family_invitations other: closed_at=now, status=expired
            """
        ) { try invite(address, by: others) }
    }
}
