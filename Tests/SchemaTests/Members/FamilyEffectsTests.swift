import Postgres
import TestSupport
import Testing

@Suite("Changes of one family's data affect no other family")
struct FamilyEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    @Test("an account's first family sets its role, and further families keep it")
    func created() throws {
        let person = try house.person("parent")
        try scene.effects(and: ["person": person.id]).expect(
            """
            + audit_log: action=family.create, actor_user_id=person, details={role: player},
                family_unit_id=new, subject_user_id=person, target_id=new
            + family_code_usage_log: action=generated, family_unit_id=new, user_id=person
            + family_codes: code=drawn, family_unit_id=new, generated_at=now
            + family_members: added_at=now, confides=true, family_unit_id=new, governs=true,
                household_ceiling=kid, household_role=kid, is_creator=true, joined_via=created,
                role=player, slot=1, status=active, updated_at=now, user_id=person,
                user_kind=account, vouched=true
            + family_units: approval_required=false, code_generated_at=now, code_state=live,
                created_by_kind=account, created_by_user_id=person, family_code=drawn,
                family_name=First, member_limit=8, player_details={}, updated_at=now
            ~ users person: role=player, updated_at=now
            """
        ) { try scene.call(person, "SELECT app.create_family('First', 'player', false)") }
        let adult = try house.person("parent")
        _ = try house.family(of: adult)
        let told = try refusal {
            try scene.call(adult, "SELECT app.create_family(NULL, 'player', true)")
        }
        #expect(told == "HF409 role_mismatch")
    }

    @Test(
        "create returns an existing family: one with other members, else one's own, else the oldest"
    )
    func existing() throws {
        let person = try house.person()
        let invited = try house.family(of: house.person())
        try house.join(person, invited)
        let own = try house.family(of: person)
        func expectTold(
            _ family: Family, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let found = try scene.call(
                person, "SELECT family_unit_id FROM app.create_family('Other', NULL, false)"
            ).scalar(UInt128.self)
            #expect(found == family.id, sourceLocation: sourceLocation)
        }
        try scene.effects().expect("") {
            try expectTold(invited)
        }
        let guest = try house.person()
        try house.join(guest, own)
        try house.superuser().query(
            """
            UPDATE app.family_members SET added_at = now() - interval '1 day'
            WHERE id = \(house.membership(person, own))
            """)
        try expectTold(own)
        try scene.call(guest, "SELECT app.leave_family(\(own.id), NULL)")
        try expectTold(invited)
        try house.superuser().query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE family_unit_id = \(invited.id) AND user_id <> \(person.id)
            """)
        try expectTold(own)
    }

    @Test("omitted name, address and approval stay unchanged")
    func updated() throws {
        try scene.effects().expect(
            """
            + audit_log: action=family.update, actor_user_id=admin, details={changed:
                [approval_required, family_name, home_latitude, home_longitude]},
                family_unit_id=home, subject_user_id=admin, target_id=home
            ~ family_units home: approval_required=true, family_name=Home, home_latitude=47,
                home_longitude=8, updated_at=now
            """
        ) {
            try scene.call(
                scene.admin,
                "SELECT app.update_family(\(scene.home.id), 'Home', 47, 8, false, true)")
        }
        try scene.effects().expect(
            """
            + audit_log: action=family.update, actor_user_id=admin, details={changed:
                [home_longitude]}, family_unit_id=home, subject_user_id=admin, target_id=home
            ~ family_units home: home_longitude=9, updated_at=now
            """
        ) {
            try scene.call(
                scene.admin,
                "SELECT app.update_family(\(scene.home.id), NULL, NULL, 9, false, NULL)")
        }
        try scene.effects().expect(
            """
            + audit_log: action=family.update, actor_user_id=admin, details={changed:
                [approval_required, home_latitude, home_longitude]}, family_unit_id=home,
                subject_user_id=admin, target_id=home
            ~ family_units home: approval_required=false, home_latitude=null, home_longitude=null,
                updated_at=now
            """
        ) {
            try scene.call(
                scene.admin, "SELECT app.update_family(\(scene.home.id), NULL, 1, 1, true, false)")
        }
    }

    @Test("player details can be changed, and null removes a detail")
    func details() throws {
        try scene.effects().expect(
            """
            + audit_log: action=player_details.write, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=adult, target_id=home
            ~ family_units home: player_details={sport: rowing, playerName: Kim}, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult,
                """
                SELECT app.change_player_details(
                    \(scene.home.id), '{"playerName": "Kim", "sport": "rowing"}')
                """)
        }
        try scene.effects().expect(
            """
            + audit_log: action=player_details.write, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=adult, target_id=home
            ~ family_units home: player_details={sport: rowing, position: stroke}, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult,
                """
                SELECT app.change_player_details(
                    \(scene.home.id), '{"playerName": null, "position": "stroke"}')
                """)
        }
    }

    @Test("attributes are merged, written only if different, and checked against the version read")
    func attributes() throws {
        func patch(_ patch: String, ifVersion versions: String = "NULL") throws {
            try scene.call(
                scene.adult,
                """
                SELECT app.patch_attributes(
                    \(scene.home.id), \(patch)::jsonb, \(unsafe: versions))
                """)
        }
        try scene.call(
            scene.neighbour, #"SELECT app.patch_attributes(\#(scene.away.id), '{"a": 0}', NULL)"#)
        try scene.effects().expect(
            """
            + audit_log: action=attributes.write, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=adult, target_id=home
            + family_attributes: attributes={a: 1, b: {c: 2}}, family_unit_id=home, updated_at=now,
                updated_by=adult, version=1
            """
        ) { try patch(#"{"a": 1, "b": {"c": 2}}"#) }
        try scene.effects().expect(
            """
            + audit_log: action=attributes.write, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=adult, target_id=home
            ~ family_attributes home: attributes={b: {c: 2, d: 3}}, updated_at=now, version=2
            """
        ) { try patch(#"{"a": null, "b": {"d": 3}}"#, ifVersion: "ARRAY[1, 7]") }
        try scene.effects().expect("") {
            try patch(#"{"a": 5}"#, ifVersion: "ARRAY[1, 7]")
            try patch(#"{"b": {"d": 3}}"#)
        }
    }

    @Test(
        "updating a profile changes only the caller's, and an empty picture address removes the picture"
    )
    func profile() throws {
        try scene.effects().expect(
            """
            + audit_log: action=profile.update, actor_user_id=player, details={},
                subject_user_id=player, target_id=player
            ~ users player: avatar_key=fox, avatar_url=https://a.test/1, full_name=Kim, role=parent,
                updated_at=now
            """
        ) {
            try scene.call(
                scene.player,
                "SELECT app.update_profile('Kim', 'fox', 'https://a.test/1', 'parent')")
        }
        try scene.effects().expect(
            """
            + audit_log: action=profile.update, actor_user_id=player, details={},
                subject_user_id=player, target_id=player
            ~ users player: avatar_key=null, updated_at=now
            """
        ) { try scene.call(scene.player, "SELECT app.update_profile(NULL, '', NULL, NULL)") }
        try scene.effects().expect(
            """
            + audit_log: action=profile.update, actor_user_id=player, details={},
                subject_user_id=player, target_id=player
            ~ users player: avatar_url=null, updated_at=now
            """
        ) { try scene.call(scene.player, "SELECT app.update_profile(NULL, NULL, '', NULL)") }
    }

    @Test("a child is added, renamed and reassigned in one family")
    func child() throws {
        let member = try house.membership(scene.admin, scene.home)
        let other = try house.child(of: scene.adult, in: scene.away)
        let sibling = try house.child(of: scene.adult, in: scene.home)
        let names = ["admin at home": member, "other": other, "sibling": sibling]
        try scene.effects(and: names).expect(
            """
            + audit_log: action=managed.create, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=new, target_id=new
            + family_members: active_guardian_id=adult, added_at=now, confides=false,
                family_unit_id=home, governs=false, household_ceiling=kid, household_role=kid,
                is_creator=false, joined_via=created, parent_user_id=adult, role=player, slot=4,
                status=active, updated_at=now, user_id=new, user_kind=managed, vouched=false
            + guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=new, since=now, slot=1
            + users: avatar_key=fox, email_verified=false, full_name=Kid, kind=managed, role=player,
                role_is_default=false, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult, "SELECT app.add_managed_member(\(scene.home.id), 'Kid', 'fox')")
        }
        try scene.effects(and: names).expect(
            """
            + audit_log: action=managed.update, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=sibling, target_id=sibling
            ~ users sibling: avatar_key=owl, full_name=Sib, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult, "SELECT app.update_managed_member(\(sibling), 'Sib', 'owl')")
        }
        try scene.effects(and: names).expect(
            """
            + audit_log: action=managed.update, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=sibling, target_id=sibling
            ~ users sibling: avatar_key=null, updated_at=now
            """
        ) { try scene.call(scene.adult, "SELECT app.update_managed_member(\(sibling), NULL, '')") }
        try scene.effects(and: names).expect(
            """
            + audit_log: action=managed.reassign, actor_user_id=adult, details={},
                family_unit_id=home, subject_user_id=sibling, target_id=admin at home
            + guardianships: added_by=adult, family_unit_id=home, guardian_user_id=admin,
                member_id=sibling, since=now, slot=1
            - guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=sibling, since=now, slot=1
            ~ family_members sibling: active_guardian_id=admin, parent_user_id=admin, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult, "SELECT app.reassign_managed_member(\(sibling), \(member))")
        }
    }

    @Test("an account that erases itself hands over its seat and children, family by family")
    func erased() throws {
        let child = try house.child(of: scene.admin, in: scene.home)
        let awayChild = try house.child(of: scene.adult, in: scene.away)
        try house.join(scene.admin, scene.away)
        let names = [
            "child": child, "child away": awayChild,
            "admin at home": try house.membership(scene.admin, scene.home),
            "admin away": try house.membership(scene.admin, scene.away),
        ]
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Kim"}', home_latitude = 1,
                home_longitude = 1
            """)
        try scene.effects(and: names).expect("") {
            try scene.call(
                scene.admin, "SELECT app.erase_my_account(NULL, true, NULL, NULL, false)")
        }
        try scene.effects(and: names).expect(
            """
            + audit_log: action=admin.transfer, actor_user_id=admin, details={from: admin at home},
                family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + audit_log: action=managed.reassign, actor_user_id=admin, details={},
                family_unit_id=home, subject_user_id=child, target_id=adult at home
            + audit_log: action=member.leave, actor_user_id=admin, details={was: active,
                erased: true}, family_unit_id=away, subject_user_id=admin, target_id=admin away
            + audit_log: action=member.leave, actor_user_id=admin, details={was: active,
                erased: true}, family_unit_id=home, subject_user_id=admin, target_id=admin at home
            + audit_log: action=user.erase, actor_user_id=admin, details={signIns: 1, invitations:
                0, memberships: 2}, subject_user_id=admin, target_id=admin
            + erasures: email=admin@example.com, erased_at=now, sign_ins=[random]
            + guardianships: added_by=admin, family_unit_id=home, guardian_user_id=adult,
                member_id=child, since=now, slot=1
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=parent_admin, member_id=adult at home, version=8
            - guardianships: added_by=admin, family_unit_id=home, guardian_user_id=admin,
                member_id=child, since=now, slot=1
            - invitation_secrets: generation=1, invitation_id=by the admin, token_hash=random
            - user_identities: issuer=https://issuer.test,
                lacks_name=false, subject_hash=random, tells_address=true, user_id=admin,
                user_kind=account
            ~ family_invitations by the admin: closed_at=now, status=revoked
            ~ family_members admin at home: active_adult_user_id=null, confides=false,
                governs=false, household_role=adult, removed_at=now, removed_by=admin, slot=null,
                status=removed, updated_at=now
            ~ family_members admin away: active_adult_user_id=null, confides=false, removed_at=now,
                removed_by=admin, slot=null, status=removed, updated_at=now
            ~ family_members adult at home: governs=true, household_role=parent_admin,
                updated_at=now
            ~ family_members child: active_guardian_id=adult, parent_user_id=adult, updated_at=now
            ~ family_units home: updated_at=now
            ~ users admin: deleted_at=now, email=null, email_verified=false, full_name=null,
                updated_at=now
            """
        ) {
            try scene.call(
                scene.admin,
                """
                SELECT app.erase_my_account(
                    NULL, true, ARRAY[\(scene.homeAdult)], ARRAY[\(scene.homeAdult)], false)
                """)
        }
    }

    @Test("an account that erases itself can erase its children too")
    func erasedWithChildren() throws {
        let child = try house.child(of: scene.adult, in: scene.home)
        let awayChild = try house.child(of: scene.adult, in: scene.away)
        let other = try house.child(of: scene.admin, in: scene.home)
        let names = [
            "child": child, "child away": awayChild, "other": other,
            "adult away": try house.membership(scene.adult, scene.away),
        ]
        try scene.effects(and: names).expect(
            """
            + audit_log: action=managed.remove, actor_user_id=adult, details={was: active,
                erased: true}, family_unit_id=away, subject_user_id=child away, target_id=child away
            + audit_log: action=managed.remove, actor_user_id=adult, details={was: active,
                erased: true}, family_unit_id=home, subject_user_id=child, target_id=child
            + audit_log: action=member.leave, actor_user_id=adult, details={was: active,
                erased: true}, family_unit_id=away, subject_user_id=adult, target_id=adult away
            + audit_log: action=member.leave, actor_user_id=adult, details={was: active,
                erased: true}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + audit_log: action=user.erase, actor_user_id=adult, details={signIns: 0, invitations:
                0, memberships: 1}, subject_user_id=child away, target_id=child away
            + audit_log: action=user.erase, actor_user_id=adult, details={signIns: 0, invitations:
                0, memberships: 1}, subject_user_id=child, target_id=child
            + audit_log: action=user.erase, actor_user_id=adult, details={signIns: 1, invitations:
                1, memberships: 2}, subject_user_id=adult, target_id=adult
            + erasures: email=adult@example.com, erased_at=now, sign_ins=[random]
            - guardianships: added_by=adult, family_unit_id=away, guardian_user_id=adult,
                member_id=child away, since=now, slot=1
            - guardianships: added_by=adult, family_unit_id=home, guardian_user_id=adult,
                member_id=child, since=now, slot=1
            - invitation_secrets: generation=1, invitation_id=by the adult, away, token_hash=random
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            - invitation_secrets: generation=1, invitation_id=to the adult, token_hash=random
            - user_identities: issuer=https://issuer.test,
                lacks_name=false, subject_hash=random, tells_address=true, user_id=adult,
                user_kind=account
            ~ family_invitations by the adult, away: closed_at=now, status=revoked
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_invitations to the adult: closed_at=now, invited_email=erased-to the
                adult@erased.invalid, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, confides=false,
                removed_at=now, removed_by=adult, slot=null, status=removed, updated_at=now
            ~ family_members adult away: active_adult_user_id=null, confides=false, removed_at=now,
                removed_by=adult, slot=null, status=removed, updated_at=now
            ~ family_members child away: active_guardian_id=null, erased_at=now, removed_at=now,
                removed_by=adult, slot=null, status=removed, updated_at=now
            ~ family_members child: active_guardian_id=null, erased_at=now, removed_at=now,
                removed_by=adult, slot=null, status=removed, updated_at=now
            ~ users adult: deleted_at=now, email=null, email_verified=false, full_name=null,
                updated_at=now
            ~ users child away: deleted_at=now, full_name=null, updated_at=now
            ~ users child: deleted_at=now, full_name=null, updated_at=now
            """
        ) {
            try scene.call(
                scene.adult, "SELECT app.erase_my_account(NULL, true, NULL, NULL, true)")
        }
    }
}
