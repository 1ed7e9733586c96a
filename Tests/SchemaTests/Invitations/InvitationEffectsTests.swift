import Postgres
import TestSupport
import Testing

@Suite("Changes of one invitation affect no other")
struct InvitationEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    private func make(
        by person: Person? = nil, _ email: String?, _ role: String? = "parent",
        _ householdRole: String? = nil, _ delivery: String? = "email"
    ) throws {
        try scene.call(
            person ?? scene.admin,
            """
            SELECT app.create_invitation(\(scene.home.id), \(email as String?), \(role as String?),
                \(householdRole as String?), \(delivery as String?))
            """)
    }

    private func enter(_ token: PostgresBytes, _ person: Person) throws -> String {
        try scene.call(
            person, "SELECT outcome FROM app.join_by_invitation(\(token), NULL)"
        ).scalar()
    }

    private func enters(_ token: PostgresBytes, _ person: Person, _ outcome: String) throws {
        let told = try enter(token, person)
        #expect(told == outcome)
    }

    /// Moves the sending of all invitations back by an hour.
    private func waitAnHour() throws {
        try house.superuser().query(
            "UPDATE app.family_invitations SET last_sent_at = last_sent_at - interval '1 hour'")
    }

    @Test("a new invitation closes only the expired one from the same family to the same address")
    func made() throws {
        let old = try house.invitation(of: scene.admin, to: scene.home, email: "old@example.org").id
        let other = try house.invitation(of: scene.admin, to: scene.home, email: "b@example.org").id
        let away = try house.invitation(
            of: scene.neighbour, to: scene.away, email: "old@example.org"
        ).id
        try house.superuser().query(
            """
            UPDATE app.family_invitations SET created_at = created_at - interval '9 days',
                expires_at = now() - interval '1 day' WHERE id IN (\(old), \(other), \(away))
            """)
        let effects = try scene.effects(and: ["old": old, "other": other, "old away": away])
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_user_id=admin, details={role: player,
                delivery: email, householdRole: kid}, family_unit_id=home, subject_user_id=admin,
                target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=kid, invited_by=admin, invited_email=old@example.org,
                kind=member, last_sent_at=now, role=player, sent_count=1, status=pending,
                vouched=true
            ~ family_invitations old: closed_at=now, status=expired
            """
        ) { try make(" Old@Example.org ", "player") }
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_user_id=admin, details={role: parent,
                delivery: link, householdRole: visitor}, family_unit_id=home, subject_user_id=admin,
                target_id=new
            + family_invitations: delivery=link, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=visitor, invited_by=admin, kind=member,
                last_sent_at=now, role=parent, sent_count=1, status=pending, vouched=true
            """
        ) { try make(nil, "parent", "visitor", "link") }
    }

    @Test("a renewed invitation belongs to its new sender, and the old link ends")
    func renewed() throws {
        try waitAnHour()
        try scene.effects().expect(
            """
            + audit_log: action=invitation.create, actor_user_id=admin, details={role: player,
                delivery: email, householdRole: visitor}, family_unit_id=home,
                subject_user_id=admin, target_id=by the adult
            ~ family_invitations by the adult: expires_at=in 7 days, generation=2,
                household_role=visitor, invited_by=admin, last_sent_at=now, role=player,
                sent_count=2
            """
        ) { try make("one@example.org", "player", "visitor") }
    }

    @Test("an invalid invitation is refused with the name of the invalid field")
    func refusedForms() throws {
        func field(
            _ email: String?, _ role: String?, _ householdRole: String?, _ delivery: String?
        ) throws -> String? {
            try fieldRefused { try make(email, role, householdRole, delivery) }
        }
        #expect(try field("a@example.org", nil, "adult", "email") == "role")
        #expect(try field("a@example.org", "visitor", "adult", "email") == "role")
        #expect(try field("a@example.org", "parent", "adult", nil) == "delivery")
        #expect(try field("a@example.org", "parent", "adult", "pigeon") == "delivery")
        #expect(try field("no address", "parent", "adult", "email") == "email")
        #expect(try field(nil, "parent", "adult", "email") == "email")
        #expect(try field("a@example.org", "parent", "adult", "link") == "email")
        #expect(try field("no address", "parent", "adult", "link") == "email")
        #expect(
            try refusal { try make("a@example.org", "parent", "parent_admin") }
                == "HF403 role_too_high")
        #expect(try refusal { try make(scene.adult.email) } == "HF409 person_already_member")
        #expect(try refusal { try make("one@example.org") } == "HF429 invitation_just_sent")
    }

    @Test("people with a pending request and former members can be invited")
    func others() throws {
        let effects = try scene.effects(and: [
            "waiting": scene.waits(scene.player, at: scene.home)
        ])
        try scene.call(scene.adult, "SELECT app.leave_family(\(scene.home.id), NULL)")
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_user_id=admin, details={role: player,
                delivery: email, householdRole: kid}, family_unit_id=home, subject_user_id=admin,
                target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=kid, invited_by=admin,
                invited_email=player@example.com, kind=member, last_sent_at=now, role=player,
                sent_count=1, status=pending, vouched=true
            """
        ) { try make(scene.player.email, "player") }
        try effects.expect(
            """
            + audit_log: action=invitation.create, actor_user_id=admin, details={role: parent,
                delivery: email, householdRole: adult}, family_unit_id=home, subject_user_id=admin,
                target_id=new
            + family_invitations: delivery=email, expires_at=in 7 days, family_unit_id=home,
                generation=1, household_role=adult, invited_by=admin,
                invited_email=adult@example.com, kind=member, last_sent_at=now, role=parent,
                sent_count=1, status=pending, vouched=true
            """
        ) { try make(scene.adult.email) }
    }

    @Test("resending creates a new generation, unless it is too soon or the invitation is answered")
    func resent() throws {
        func resend(_ person: Person) throws {
            try scene.call(person, "SELECT app.resend_invitation(\(scene.byAdult.id))")
        }
        #expect(try refusal { try resend(scene.adult) } == "HF429 invitation_just_sent")
        try waitAnHour()
        #expect(try refusal { try resend(scene.neighbour) } == "HF404 invitation_not_found")
        #expect(try refusal { try resend(scene.player) } == "HF404 invitation_not_found")
        try scene.effects().expect(
            """
            + audit_log: action=invitation.resend, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=adult, target_id=by the adult
            ~ family_invitations by the adult: expires_at=in 7 days, generation=2, last_sent_at=now,
                sent_count=2
            """
        ) { try resend(scene.adult) }
        try waitAnHour()
        try scene.call(scene.admin, "SELECT app.revoke_invitation(\(scene.byAdult.id))")
        #expect(try refusal { try resend(scene.adult) } == "HF404 invitation_not_found")
    }

    @Test(
        "revoking an invitation removes its secret, once; a visitor's attempt finds no invitation")
    func revoked() throws {
        func revoke(_ person: Person) throws {
            try scene.call(person, "SELECT app.revoke_invitation(\(scene.byAdmin.id))")
        }
        let visitor = try house.person()
        let member = try house.join(visitor, scene.home)
        try scene.call(
            scene.admin, .changeHouseholdRole(of: member, to: "visitor"))
        #expect(try refusal { try revoke(visitor) } == "HF404 invitation_not_found")
        #expect(try refusal { try revoke(scene.neighbour) } == "HF404 invitation_not_found")
        #expect(try refusal { try revoke(scene.adult) } == "HF403 standing_too_low")
        try scene.effects(and: ["visitor": visitor.id]).expect(
            """
            + audit_log: action=invitation.revoke, actor_user_id=admin, details={},
                family_unit_id=home, subject_user_id=admin, target_id=by the admin
            - invitation_secrets: generation=1, invitation_id=by the admin, token_hash=random
            ~ family_invitations by the admin: closed_at=now, status=revoked
            """
        ) { try revoke(scene.admin) }
        #expect(try refusal { try revoke(scene.admin) } == "HF404 invitation_not_found")
    }

    @Test(
        "accepting sets the role of a person without a family, and gives a player the recorded name"
    )
    func accepted() throws {
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}'
            """)
        let (new, nameless) = (
            try house.person("player"), try house.actor(Person(role: "parent", name: nil))
        )
        let asPlayer = try house.invitation(of: scene.admin, to: scene.home, as: "player")
        let effects = try scene.effects(and: [
            "new": new.id, "nameless": nameless.id, "as a player": asPlayer.id,
        ])
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=new, details={outcome: joined},
                family_unit_id=home, subject_user_id=new, target_id=by the admin
            + family_members: active_adult_user_id=new, added_at=now, confides=true,
                family_unit_id=home, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=invitation, role=parent, slot=3, status=active,
                updated_at=now, user_id=new, user_kind=account, vouched=true
            ~ family_invitations by the admin: accepted_at=now, accepted_by=new, closed_at=now,
                status=accepted
            ~ users new: role=parent, updated_at=now
            """
        ) { try enters(scene.byAdmin.token, new, "joined") }
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=nameless, details={outcome:
                joined}, family_unit_id=home, subject_user_id=nameless, target_id=as a player
            + family_members: added_at=now, confides=true, family_unit_id=home, governs=false,
                household_ceiling=kid, household_role=kid, is_creator=false, joined_via=invitation,
                role=player, slot=4, status=active, updated_at=now, user_id=nameless,
                user_kind=account, vouched=true
            ~ family_invitations as a player: accepted_at=now, accepted_by=nameless, closed_at=now,
                status=accepted
            ~ users nameless: full_name=Kim, role=player, updated_at=now
            """
        ) { try enters(asPlayer.token, nameless, "joined") }
        try effects.expect { try enters(scene.byAdmin.token, new, "already_accepted") }
        let another = try house.invitation(of: scene.admin, to: scene.home)
        let third = try scene.effects(and: ["new": new.id, "another": another.id])
        try third.expect { try enters(another.token, new, "already_member") }
        #expect(
            try refusal { try enter(scene.byAdmin.token, nameless) } == "HF409 invitation_answered")
    }

    @Test("an invitation to an address can be answered only by the address's account, even by id")
    func addressed() throws {
        let (one, two) = (
            try house.actor(Person(email: "one@example.org")), try house.person()
        )
        #expect(try refusal { try enter(scene.byAdult.token, two) } == "HF403 not_the_addressee")
        let byID: SQL = "SELECT app.decline_invitation(NULL, \(scene.byAdult.id))"
        #expect(try refusal { try scene.call(two, byID) } == "HF404 invitation_not_found")
        try scene.effects(and: ["one": one.id]).expect(
            """
            + audit_log: action=invitation.decline, actor_user_id=one, details={},
                family_unit_id=home, subject_user_id=one, target_id=by the adult
            ~ family_invitations by the adult: closed_at=now, status=declined
            """
        ) { try scene.call(one, byID) }
        #expect(try refusal { try scene.call(one, byID) } == "HF409 invitation_answered")
    }

    @Test(
        "an acceptance refused because of a player's shared family names it and changes no role")
    func obstacles() throws {
        let (settled, guest) = (try house.person("player"), try house.person())
        let own = try house.family(of: settled)
        try house.join(guest, own)
        let asPlayer = try house.invitation(of: scene.admin, to: scene.home, as: "player")
        try scene.effects().expect {
            let rows = try scene.call(
                settled,
                """
                SELECT concat_ws(' ', outcome, own_family_id = \(own.id), own_family_name,
                    family_unit_id = \(scene.home.id), member_id, left_family_id, invited_role)
                FROM app.join_by_invitation(\(asPlayer.token), NULL)
                """)
            let name: String = try house.superuser().query(
                "SELECT family_name FROM app.family_units WHERE id = \(own.id)"
            ).scalar()
            #expect(try rows.scalar(String.self) == "player_has_family t \(name) t player")
            #expect(try enter(asPlayer.token, guest) == "role_mismatch")
            #expect(try enter(scene.byAdmin.token, settled) == "role_mismatch")
        }
    }

    @Test("a player alone in its family can leave it as a parent, without the player details")
    func changedSides() throws {
        let lonely = try house.person("player")
        let own = try house.family(of: lonely)
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}'
            WHERE id = \(own.id)
            """)
        let effects = try scene.effects(and: [
            "lonely": lonely.id, "own": own.id, "own membership": house.membership(lonely, own),
        ])
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=lonely, details={outcome: joined},
                family_unit_id=home, subject_user_id=lonely, target_id=by the admin
            + audit_log: action=member.leave, actor_user_id=lonely, details={was: active, gaveWayTo:
                home}, family_unit_id=own, subject_user_id=lonely, target_id=own membership
            + family_code_usage_log: action=retired, family_unit_id=own, user_id=lonely
            + family_members: active_adult_user_id=lonely, added_at=now, confides=true,
                family_unit_id=home, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=invitation, role=parent, slot=3, status=active,
                updated_at=now, user_id=lonely, user_kind=account, vouched=true
            ~ family_codes own: reason=given_up, retired_at=now
            ~ family_invitations by the admin: accepted_at=now, accepted_by=lonely, closed_at=now,
                status=accepted
            ~ family_members own membership: confides=false, governs=false, removed_at=now,
                removed_by=lonely, slot=null, status=removed, updated_at=now
            ~ family_units own: code_state=null, emptied_at=now, family_code=null, updated_at=now
            ~ users lonely: role=parent, updated_at=now
            """
        ) { try enters(scene.byAdmin.token, lonely, "joined") }
    }

    @Test("a former member returns by an older link as before, and by a newer link as invited")
    func comingBack() throws {
        let person = try house.person()
        let member = try house.join(person, scene.home)
        try scene.call(scene.admin, .changeHouseholdRole(of: member, to: "kid"))
        try scene.call(person, "SELECT app.leave_family(\(scene.home.id), NULL)")
        try house.superuser().query(
            """
            UPDATE app.family_members SET removed_at = now() + interval '1 second'
            WHERE id = \(member)
            """)
        let effects = try scene.effects(and: ["person": person.id, "member": member])
        try effects.expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=person, details={outcome: joined},
                family_unit_id=home, subject_user_id=person, target_id=by the admin
            ~ family_invitations by the admin: accepted_at=now, accepted_by=person, closed_at=now,
                status=accepted
            ~ family_members member: added_at=now, joined_via=invitation, removed_at=null,
                removed_by=null, slot=3, status=active, updated_at=now, vouched=true
            """
        ) { try enters(scene.byAdmin.token, person, "joined") }
        try scene.call(person, "SELECT app.leave_family(\(scene.home.id), NULL)")
        let newer = try house.invitation(of: scene.admin, to: scene.home)
        try scene.effects(and: ["person": person.id, "member": member, "newer": newer.id]).expect(
            """
            + audit_log: action=invitation.accept, actor_user_id=person, details={outcome: joined},
                family_unit_id=home, subject_user_id=person, target_id=newer
            ~ family_invitations newer: accepted_at=now, accepted_by=person, closed_at=now,
                status=accepted
            ~ family_members member: active_adult_user_id=person, added_at=now, confides=true,
                household_ceiling=adult, household_role=adult, removed_at=null, removed_by=null,
                slot=3, status=active, updated_at=now
            """
        ) { try enters(newer.token, person, "joined") }
    }
}
