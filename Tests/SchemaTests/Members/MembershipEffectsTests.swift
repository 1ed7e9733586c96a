import Postgres
import TestSupport
import Testing

@Suite("Rows written when a membership begins or ends, in one family")
struct MembershipEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    @Test("a member removed by another is no longer vouched for, and its invitations end")
    func removed() throws {
        try scene.effects().expect(
            """
            + audit_log: action=member.remove, actor_user_id=admin, details={was: active,
                rotatedCode: false}, family_unit_id=home, subject_user_id=adult, target_id=adult at
                home
            + live: family_unit_id=home, kind=mail.member_removed, payload={date: now, family: home,
                messageId: random, recipient: adult}
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, barred_at=now, confides=false,
                removed_at=now, removed_by=admin, slot=null, status=removed, updated_at=now,
                vouched=false
            """
        ) {
            try scene.call(
                scene.admin, "SELECT app.remove_member(\(scene.homeAdult), NULL, false, false)")
        }
    }

    @Test("a member that leaves stays vouched for")
    func left() throws {
        try scene.effects().expect(
            """
            + audit_log: action=member.leave, actor_user_id=adult, details={was: active},
                family_unit_id=home, subject_user_id=adult, target_id=adult at home
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, confides=false,
                removed_at=now, removed_by=adult, slot=null, status=removed, updated_at=now
            """
        ) { try scene.call(scene.adult, "SELECT app.leave_family(\(scene.home.id), NULL)") }
    }

    @Test("withdrawing or rejecting a request ends the invitation of its address")
    func rejected() throws {
        let waiting = try scene.waits(scene.player, at: scene.home)
        let invited = try house.invitation(
            of: scene.admin, to: scene.home, email: scene.player.email
        ).id
        let invitedAway = try house.invitation(
            of: scene.neighbour, to: scene.away, email: scene.player.email
        ).id
        try scene.effects(and: [
            "waiting": waiting, "invited": invited, "invited away": invitedAway,
        ]).expect(
            """
            + audit_log: action=member.remove, actor_user_id=admin, details={was: invited,
                rotatedCode: false}, family_unit_id=home, subject_user_id=player, target_id=waiting
            + live: family_unit_id=home, kind=mail.request_rejected, payload={date: now, family: home,
                messageId: random, recipient: player}
            - invitation_secrets: generation=1, invitation_id=invited, token_hash=random
            ~ family_invitations invited: closed_at=now, status=revoked
            ~ family_members waiting: barred_at=now, rejected_at=now, removed_at=now,
                removed_by=admin, status=removed, updated_at=now
            """
        ) {
            try scene.call(scene.admin, "SELECT app.remove_member(\(waiting), NULL, false, false)")
        }
        try scene.effects(and: ["waiting": waiting]).expect { [scene] in
            for (person, code) in [
                (scene.player, "HF404 family_not_found"),
                (scene.adult, "HF409 member_is_not_waiting"),
            ] {
                let told = try refusal {
                    try scene.call(person, "SELECT app.withdraw_request(\(scene.home.id))")
                }
                #expect(told == code)
            }
        }
        let asking = try house.person()
        let request = try scene.waits(asking, at: scene.home)
        let other = try house.invitation(
            of: scene.admin, to: scene.home, email: asking.email
        ).id
        try scene.effects(and: [
            "asking": asking.id, "request": request, "other": other,
        ]).expect(
            """
            + audit_log: action=member.leave, actor_user_id=asking, details={was: invited},
                family_unit_id=home, subject_user_id=asking, target_id=request
            - invitation_secrets: generation=1, invitation_id=other, token_hash=random
            ~ family_invitations other: closed_at=now, status=revoked
            ~ family_members request: removed_at=now, removed_by=asking, status=removed,
                updated_at=now
            """
        ) { try scene.call(asking, "SELECT app.withdraw_request(\(scene.home.id))") }
    }

    @Test("an approved person gets a role and a slot, and the name that the family has recorded")
    func approved() throws {
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}'
            WHERE id = \(scene.home.id)
            """)
        let nameless = try house.actor(Person(role: "player", name: nil))
        let waiting = try scene.waits(scene.player, at: scene.home)
        let other = try scene.waits(nameless, at: scene.away)
        try scene.effects(and: ["waiting": waiting, "nameless": nameless.id, "other": other])
            .expect(
                """
                + audit_log: action=member.approve, actor_user_id=admin, details={},
                    family_unit_id=home, subject_user_id=player, target_id=waiting
                + live: family_unit_id=home, kind=mail.request_approved, payload={date: now,
                    family: home, messageId: random, recipient: player}
                ~ family_members waiting: added_at=now, confides=true, slot=3, status=active,
                    updated_at=now, vouched=true
                ~ users player: full_name=Kim, updated_at=now
                """
            ) { try scene.call(scene.admin, "SELECT app.approve_member(\(waiting))") }
    }

    @Test("a player leaves a family without other members when another family approves")
    func givenWay() throws {
        let (lonely, settled) = (try house.person("player"), try house.person("player"))
        let (own, others) = (try house.family(of: lonely), try house.family(of: settled))
        let link = try house.invitation(of: lonely, to: own).id
        let revoked = try house.invitation(of: lonely, to: own).id
        try scene.call(lonely, "SELECT app.revoke_invitation(\(revoked))")
        let (former, asking) = (try house.person(), try house.person())
        try house.join(former, own)
        try scene.call(former, "SELECT app.leave_family(\(own.id), NULL)")
        try scene.call(
            lonely, "SELECT app.update_family(\(own.id), NULL, NULL, NULL, false, true)")
        try scene.call(asking, "SELECT FROM app.join_family_by_code(\(own.code), NULL, NULL)")
        let asks = try scene.waits(asking, at: scene.away)
        let waiting = try scene.waits(lonely, at: scene.home)
        try house.superuser().query(
            """
            UPDATE app.family_units
            SET player_details = jsonb_build_object('playerName', family_name, 'own', id = \(own.id))
            WHERE id IN (\(own.id), \(others.id))
            """)
        let effects = try scene.effects(and: [
            "lonely": lonely.id, "settled": settled.id, "own": own.id, "others": others.id,
            "waiting": waiting, "own membership": house.membership(lonely, own),
            "settled membership": house.membership(settled, others), "link": link,
            "revoked": revoked, "former": former.id, "asking": asking.id, "asks away": asks,
            "former membership": house.membership(former, own),
            "asks at own": house.membership(asking, own),
        ])
        try effects.expect(
            """
            + audit_log: action=member.approve, actor_user_id=admin, details={},
                family_unit_id=home, subject_user_id=lonely, target_id=waiting
            + audit_log: action=member.leave, actor_user_id=admin, details={was: active, gaveWayTo:
                home}, family_unit_id=own, subject_user_id=lonely, target_id=own membership
            + audit_log: action=member.remove, actor_user_id=admin, details={was: invited},
                family_unit_id=own, subject_user_id=asking, target_id=asks at own
            + family_code_usage_log: action=retired, family_unit_id=own, user_id=lonely
            + live: family_unit_id=home, kind=mail.request_approved, payload={date: now, family:
                home, messageId: random, recipient: lonely}
            + live: family_unit_id=own, kind=mail.waiting_ended, payload={date: now, family: own,
                messageId: random, recipient: asking}
            - invitation_secrets: generation=1, invitation_id=link, token_hash=random
            ~ family_codes own: reason=given_up, retired_at=now
            ~ family_invitations link: closed_at=now, status=revoked
            ~ family_members asks at own: removed_at=now, removed_by=asking, status=removed,
                updated_at=now
            ~ family_members own membership: confides=false, governs=false, removed_at=now,
                removed_by=lonely, slot=null, status=removed, updated_at=now
            ~ family_members waiting: added_at=now, confides=true, slot=3, status=active,
                updated_at=now, vouched=true
            ~ family_units home: player_details={own: true, playerName: House}, updated_at=now
            ~ family_units own: code_state=null, emptied_at=now, family_code=null, updated_at=now
            """
        ) { try scene.call(scene.admin, "SELECT app.approve_member(\(waiting))") }
    }

    @Test("an approved parent keeps its own family and does not get the player's name")
    func kept() throws {
        let lonely = try house.actor(Person(role: "parent", name: nil))
        let own = try house.family(of: lonely)
        let waiting = try scene.waits(lonely, at: scene.home)
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}'
            """)
        try scene.effects(and: [
            "lonely": lonely.id, "own": own.id, "waiting": waiting,
        ]).expect(
            """
            + audit_log: action=member.approve, actor_user_id=admin, details={},
                family_unit_id=home, subject_user_id=lonely, target_id=waiting
            + live: family_unit_id=home, kind=mail.request_approved, payload={date: now, family:
                home, messageId: random, recipient: lonely}
            ~ family_members waiting: active_adult_user_id=lonely, added_at=now, confides=true,
                slot=3, status=active, updated_at=now, vouched=true
            """
        ) { try scene.call(scene.admin, "SELECT app.approve_member(\(waiting))") }
    }

    @Test("a member whose new role may not invite loses its pending invitations in that family")
    func lowered() throws {
        try scene.effects().expect(
            """
            + audit_log: action=member.set_role, actor_user_id=admin, details={to: visitor, from:
                adult}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=visitor, member_id=adult at home, version=6
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, confides=false,
                household_ceiling=visitor, household_role=visitor, updated_at=now
            """
        ) {
            try scene.call(
                scene.admin, .changeHouseholdRole(of: scene.homeAdult, to: "visitor"))
        }
    }

    @Test("a family counts as empty from its last member's departure until another person enters")
    func emptied() throws {
        let (alone, guest) = (try house.person("player"), try house.person())
        let own = try house.family(of: alone)
        let earlier = try house.family(of: guest)
        try scene.call(guest, "SELECT app.leave_family(\(earlier.id), NULL)")
        let effects = try scene.effects(and: [
            "alone": alone.id, "guest": guest.id, "own": own.id, "earlier": earlier.id,
            "membership": house.membership(alone, own), "guest's": house.membership(guest, earlier),
        ])
        try effects.expect(
            """
            + audit_log: action=member.leave, actor_user_id=alone, details={was: active},
                family_unit_id=own, subject_user_id=alone, target_id=membership
            ~ family_members membership: confides=false, governs=false, removed_at=now,
                removed_by=alone, slot=null, status=removed, updated_at=now
            ~ family_units own: emptied_at=now, updated_at=now
            """
        ) { try scene.call(alone, "SELECT app.leave_family(\(own.id), NULL)") }
        try effects.expect(
            """
            + audit_log: action=code.join, actor_user_id=guest, details={outcome: joined},
                family_unit_id=own, subject_user_id=guest, target_id=new
            + family_code_usage_log: action=joined, family_unit_id=own, user_id=guest
            + family_members: active_adult_user_id=guest, added_at=now, confides=true,
                family_unit_id=own, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=code, role=parent, slot=1, status=active,
                updated_at=now, user_id=guest, user_kind=account, vouched=false
            ~ family_units own: emptied_at=null, updated_at=now
            """
        ) { try scene.call(guest, "SELECT FROM app.join_family_by_code(\(own.code), NULL, NULL)") }
    }

    @Test(
        "a family's emptied_at is set when its last member leaves and cleared when a person joins")
    func emptiness() throws {
        let (creator, waiting) = (try house.person(), try house.person())
        let (empty, other) = (try house.family(of: creator), try house.family(of: creator))
        try scene.call(
            creator, "SELECT app.update_family(\(empty.id), NULL, NULL, NULL, false, true)")
        try scene.call(waiting, "SELECT FROM app.join_family_by_code(\(empty.code), NULL, NULL)")
        try house.superuser().query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE family_unit_id IN (\(empty.id), \(other.id)) AND status = 'active'
            """)
        try house.superuser().query(
            """
            UPDATE app.family_units SET emptied_at = now() - interval '3 days'
            WHERE id IN (\(empty.id), \(other.id))
            """)
        func days() throws -> [Int] {
            try house.superuser().query(
                """
                SELECT coalesce(extract(day FROM now() - emptied_at), -1)::int8
                FROM app.family_units
                WHERE id IN (\(empty.id), \(other.id)) ORDER BY id = \(other.id)
                """
            ).map { (row) throws(PostgresError) in try row.read() }
        }
        try scene.call(waiting, "SELECT app.leave_family(\(empty.id), NULL)")
        #expect(try days() == [3, 3])
        try house.join(scene.neighbour, scene.home)
        #expect(try days() == [3, 3])
        try house.superuser().query(
            """
            UPDATE app.family_members SET status = 'active', removed_at = NULL
            WHERE family_unit_id = \(empty.id) AND user_id = \(creator.id)
            """)
        #expect(try days() == [-1, 3])
    }
}
