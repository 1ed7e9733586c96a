import Postgres
import TestSupport
import Testing

@Suite("Rows written by a graduation, for one child")
struct GraduationEffectsTests {
    private let scene: GuardianScene
    init() throws { scene = try GuardianScene() }

    private func start(
        _ email: String? = nil, _ role: String? = "player", _ householdRole: String? = "kid",
        _ delivery: String? = "link"
    ) throws {
        try scene.call(
            scene.mother,
            """
            SELECT app.start_graduation(\(scene.child), \(email as String?), \(role as String?),
                \(householdRole as String?), \(delivery as String?))
            """)
    }

    private func accept(_ token: PostgresBytes, _ person: Person) throws -> String {
        try scene.call(
            person, "SELECT outcome FROM app.join_by_invitation(\(token), NULL)"
        ).scalar()
    }

    /// Starts graduations of other children, whose invitations must stay.
    private func startOthers() throws {
        _ = try scene.start(scene.sibling)
        try scene.guardians(scene.father, scene.uncle, of: scene.sibling)
        try scene.guardians(scene.father, scene.uncle, of: scene.child)
    }

    @Test("a graduation's invitation is created once, then renewed, and created anew after expiry")
    func started() throws {
        try startOthers()
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=managed.graduate, actor_user_id=mother, details={role: player,
                delivery: link, householdRole: kid}, family_unit_id=family,
                subject_user_id=child, target_id=new
            + family_invitations: delivery=link, expires_at=in 7 days, family_unit_id=family,
                generation=1, graduate_id=child, household_role=kid, invited_by=mother,
                kind=graduation, last_sent_at=now, role=player, sent_count=1, status=pending,
                vouched=true
            + live: family_unit_id=family, kind=mail.graduation_started, payload={date: now,
                other: child, family: family, messageId: random, recipient: father}
            + live: family_unit_id=family, kind=mail.graduation_started, payload={date: now,
                other: child, family: family, messageId: random, recipient: uncle}
            """
        ) { try start() }
        try effects.expect(
            """
            + audit_log: action=managed.graduate, actor_user_id=mother, details={role: parent,
                delivery: email, householdRole: adult}, family_unit_id=family,
                subject_user_id=child, target_id=new
            ~ family_invitations child family: delivery=email, expires_at=in 7 days,
                generation=2, household_role=adult, invited_email=robin@example.org,
                last_sent_at=now, role=parent, sent_count=2
            """
        ) { try start(" Robin@Example.org ", "parent", "adult", "email") }
        try scene.house.superuser().query(
            """
            UPDATE app.family_invitations SET created_at = created_at - interval '9 days',
                expires_at = now() - interval '1 day'
            """)
        try effects.expect(
            """
            + audit_log: action=managed.graduate, actor_user_id=mother, details={role: player,
                delivery: email, householdRole: kid}, family_unit_id=family,
                subject_user_id=child, target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=family,
                generation=1, graduate_id=child, household_role=kid, invited_by=mother,
                invited_email=robin@example.org, kind=graduation, last_sent_at=now, role=player,
                sent_count=1, status=pending, vouched=true
            + live: family_unit_id=family, kind=mail.graduation_started, payload={date: now,
                other: child, family: family, messageId: random, recipient: father}
            + live: family_unit_id=family, kind=mail.graduation_started, payload={date: now,
                other: child, family: family, messageId: random, recipient: uncle}
            ~ family_invitations child family robin@example.org: closed_at=now, status=expired
            """
        ) { try start("robin@example.org", "player", "kid", "email") }
    }

    @Test("an expired invitation to the same address is replaced, one to another address is not")
    func expiredAddress() throws {
        let robin = try scene.house.actor(Person(role: "player", email: "robin@example.org"))
        let declined = try scene.house.invitation(
            of: scene.mother, to: scene.family, email: robin.email)
        try scene.call(robin, "SELECT app.decline_invitation(\(declined.token), NULL)")
        for (email, family, sender) in [
            (robin.email, scene.family, scene.mother),
            ("sam@example.org", scene.family, scene.mother),
            (robin.email, scene.other, scene.neighbour),
        ] {
            _ = try scene.house.invite(email, to: family, by: sender)
        }
        try scene.house.superuser().query(
            """
            UPDATE app.family_invitations SET created_at = created_at - interval '9 days',
                expires_at = now() - interval '1 day'
            """)
        let effects = try scene.effects()
        try effects.expect(
            """
            + audit_log: action=managed.graduate, actor_user_id=mother, details={role: player,
                delivery: email, householdRole: kid}, family_unit_id=family,
                subject_user_id=child, target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=family,
                generation=1, graduate_id=child, household_role=kid, invited_by=mother,
                invited_email=robin@example.org, kind=graduation, last_sent_at=now, role=player,
                sent_count=1, status=pending, vouched=true
            ~ family_invitations family robin@example.org: closed_at=now, status=expired
            """
        ) { try start("robin@example.org", "player", "kid", "email") }
    }

    @Test("an invalid graduation invitation is refused with the name of the invalid field")
    func refused() throws {
        _ = try scene.house.invite("taken@example.org", to: scene.family, by: scene.mother)
        _ = try scene.house.invite("free@example.org", to: scene.other, by: scene.neighbour)
        let effects = try scene.effects()
        func attempts() throws {
            func told(
                _ email: String?, _ role: String?, _ householdRole: String?, _ delivery: String?
            ) throws -> String? {
                try refusal { try start(email, role, householdRole, delivery) }
            }
            func field(
                _ email: String?, _ role: String?, _ householdRole: String?, _ delivery: String?
            ) throws -> String? {
                try fieldRefused { try start(email, role, householdRole, delivery) }
            }
            #expect(try field(nil, nil, "kid", "link") == "role")
            #expect(try field(nil, "coach", "kid", "link") == "role")
            #expect(try field(nil, "player", "adult", "link") == "householdRole")
            #expect(try field(nil, "player", nil, "link") == "householdRole")
            #expect(try field(nil, "parent", "kid", "link") == "householdRole")
            #expect(try field(nil, "parent", nil, "link") == "householdRole")
            #expect(try field(nil, "parent", "parent_admin", "link") == "householdRole")
            #expect(try field(nil, "player", "kid", nil) == "delivery")
            #expect(try field(nil, "player", "kid", "pigeon") == "delivery")
            #expect(try field("robin@example.org", "player", "kid", "link") == "email")
            #expect(try field("no address", "player", "kid", "link") == "email")
            #expect(try field("no address", "player", "kid", "email") == "email")
            #expect(try field(nil, "player", "kid", "email") == "email")
            #expect(
                try told(scene.father.email, "player", "kid", "email")
                    == "HF409 person_already_member")
            #expect(
                try told("taken@example.org", "player", "kid", "email")
                    == "HF409 already_invited")
        }
        try effects.expect("", attempts)
        // Members and invitations of another family are no obstacle.
        try start("free@example.org", "player", "kid", "email")
        try start(scene.neighbour.email, "player", "kid", "email")
        // Nor are former members, or an invitation of this child's own.
        try start(scene.neighbour.email, "player", "kid", "email")
        let uncle = try scene.member(scene.uncle)
        try scene.call(scene.mother, "SELECT app.remove_member(\(uncle), NULL, false, false)")
        try start(scene.uncle.email, "player", "kid", "email")
    }

    @Test(
        "accepting makes the account the member and notifies the guardians; other members are unchanged"
    )
    func graduated() throws {
        try startOthers()
        let robin = Person(role: "player", name: nil)
        _ = try scene.house.actor(robin)
        let token = try scene.start(scene.child)
        let effects = try scene.effects(and: ["robin": robin.id])
        var outcome = ""
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=robin, details={outcome:
                graduated, memberId: child}, family_unit_id=family, subject_user_id=robin,
                target_id=new
            + live: family_unit_id=family, kind=mail.graduated, payload={date: now, other:
                child, family: family, messageId: random, recipient: father}
            + live: family_unit_id=family, kind=mail.graduated, payload={date: now, other:
                child, family: family, messageId: random, recipient: mother}
            + live: family_unit_id=family, kind=mail.graduated, payload={date: now, other:
                child, family: family, messageId: random, recipient: uncle}
            + user_aliases: account_id=robin, account_kind=account, alias_id=child,
                alias_kind=managed, since=now
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=father,
                member_id=child, since=now, slot=2
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=mother,
                member_id=child, since=now, slot=1
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=uncle,
                member_id=child, since=now, slot=3
            ~ family_invitations child family: accepted_at=now, accepted_by=robin,
                closed_at=now, status=accepted
            ~ family_members child: active_guardian_id=null, confides=true, parent_user_id=null,
                updated_at=now, user_id=robin, user_kind=account, vouched=true
            ~ users child: deleted_at=now, full_name=null, updated_at=now
            ~ users robin: full_name=Kid, updated_at=now
            """
        ) { outcome = try accept(token, robin) }
        #expect(outcome == "joined")
        try effects.expect { outcome = try accept(token, robin) }
        #expect(outcome == "already_accepted")
    }

    @Test(
        "a graduate keeps its name; its join request and its family without other members end")
    func givenWay() throws {
        let robin = try scene.house.person("player")
        let own = try scene.house.family(of: robin)
        try scene.call(
            scene.mother,
            "SELECT app.update_family(\(scene.family.id), NULL, NULL, NULL, false, true)")
        let another = try scene.house.person()
        for person in [robin, another] { try scene.house.join(person, scene.family) }
        let token = try scene.start(scene.child)
        let effects = try scene.effects(and: ["robin": robin.id, "own": own.id])
        var outcome = ""
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=robin, details={outcome:
                graduated, memberId: child}, family_unit_id=family, subject_user_id=robin,
                target_id=new
            + audit_log: action=member.leave, actor_user_id=robin, details={was: active,
                gaveWayTo: family}, family_unit_id=own, subject_user_id=robin, target_id=new
            + family_code_usage_log: action=retired, family_unit_id=own, user_id=robin
            + live: family_unit_id=family, kind=mail.graduated, payload={date: now, other:
                child, family: family, messageId: random, recipient: mother}
            + user_aliases: account_id=robin, account_kind=account, alias_id=child,
                alias_kind=managed, since=now
            - family_members: added_at=now, confides=false, family_unit_id=family,
                governs=false, household_ceiling=kid, household_role=kid, is_creator=false,
                joined_via=code, role=player, status=invited, updated_at=now, user_id=robin,
                user_kind=account, vouched=false
            - guardianships: added_by=mother, family_unit_id=family, guardian_user_id=mother,
                member_id=child, since=now, slot=1
            ~ family_codes own: reason=given_up, retired_at=now
            ~ family_invitations child family: accepted_at=now, accepted_by=robin,
                closed_at=now, status=accepted
            ~ family_members child: active_guardian_id=null, confides=true, parent_user_id=null,
                updated_at=now, user_id=robin, user_kind=account, vouched=true
            ~ family_members own: confides=false, governs=false, removed_at=now,
                removed_by=robin, slot=null, status=removed, updated_at=now
            ~ family_units own: code_state=null, emptied_at=now, family_code=null,
                updated_at=now
            ~ users child: deleted_at=now, full_name=null, updated_at=now
            ~ users robin: updated_at=now
            """
        ) { outcome = try accept(token, robin) }
        #expect(outcome == "joined")
    }

    @Test("a graduate is vouched for if the sender is, or if an operator added the child")
    func vouched() throws {
        let uncle = try scene.member(scene.uncle)
        try scene.call(
            scene.mother, "SELECT app.reassign_managed_member(\(scene.child), \(uncle))")
        let brought: UInt128 = try scene.house.asOperator {
            try $0.query("SELECT app.operator_add_managed_member(\(uncle), 'Bo', 'avatars/bo')")
                .scalar()
        }
        for (child, expected) in [(scene.child, false), (brought, true), (scene.sibling, true)] {
            let robin = Person(role: "player", name: nil)
            let token = try scene.start(
                child, by: child == scene.sibling ? scene.mother : scene.uncle)
            #expect(try accept(token, robin) == "joined")
            let isVouched: Bool = try scene.house.superuser().query(
                "SELECT vouched FROM app.family_members WHERE id = \(child)"
            ).scalar()
            #expect(isVouched == expected)
        }
    }

    @Test("the sender's membership in the child's family, and in no other, vouches for a graduate")
    func sender() throws {
        let parent = try scene.house.person()
        _ = try scene.house.family(of: parent)
        let membership = try scene.house.join(parent, scene.family)
        try scene.call(
            scene.mother, "SELECT app.reassign_managed_member(\(scene.child), \(membership))")
        _ = try scene.start(scene.child, by: parent)
        let isVouched: Bool = try scene.house.superuser().query(
            "SELECT vouched FROM app.family_invitations WHERE graduate_id = \(scene.child)"
        ).scalar()
        #expect(!isVouched)
    }

    @Test("the account takes the child's name and picture where it has none of its own")
    func nameAndPicture() throws {
        let mother = try scene.member(scene.mother)
        for (name, taken) in [(nil, "avatar_key=avatars/bo, full_name=Bo, "), ("Robin", "")] {
            let child: UInt128 = try scene.house.asOperator {
                try $0.query(
                    "SELECT app.operator_add_managed_member(\(mother), 'Bo', 'avatars/bo')"
                ).scalar()
            }
            let robin = try scene.house.actor(Person(role: "player", name: name))
            let picture = name.map { _ in "avatars/robin" }
            try scene.house.superuser().query(
                "UPDATE app.users SET avatar_key = \(picture as String?) WHERE id = \(robin.id)")
            let token = try scene.start(child)
            let effects = try scene.effects(and: ["robin": robin.id, "bo": child])
            try effects.expect(
                """
                + audit_log: action=invitation.accept, actor_user_id=robin, details={outcome:
                    graduated, memberId: bo}, family_unit_id=family, subject_user_id=robin,
                    target_id=new
                + live: family_unit_id=family, kind=mail.graduated, payload={date: now, other: bo,
                    family: family, messageId: random, recipient: mother}
                + user_aliases: account_id=robin, account_kind=account, alias_id=bo,
                    alias_kind=managed, since=now
                - guardianships: family_unit_id=family, guardian_user_id=mother, member_id=bo,
                    since=now, slot=1
                ~ family_invitations bo family: accepted_at=now, accepted_by=robin, closed_at=now,
                    status=accepted
                ~ family_members bo: active_guardian_id=null, confides=true, parent_user_id=null,
                    updated_at=now, user_id=robin, user_kind=account, vouched=true
                ~ users bo: avatar_key=null, deleted_at=now, full_name=null, updated_at=now
                ~ users robin: \(taken)updated_at=now
                """
            ) { _ = try accept(token, robin) }
        }
    }
}
