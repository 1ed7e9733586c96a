import Postgres
import TestSupport
import Testing

@Suite("Rows written by changes of a household role")
struct RoleEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    /// Changes the adult's household role as `scene.admin`, dated `minutes` ago.
    private func change(
        to role: String, minutesAgo minutes: Int32 = 0, isLate: Bool = false
    ) throws -> [String] {
        try scene.call(
            scene.admin,
            """
            SELECT concat_ws(' ', kept, household_role) FROM app.change_household_role(
                \(scene.homeAdult), \(role), NULL, now() - make_interval(mins => \(minutes)),
                NULL, \(isLate))
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("a demoted member keeps its role and invitations in another family")
    func lowered() throws {
        try scene.effects().expect(
            """
            + audit_log: action=member.set_role, actor_user_id=admin, details={to: kid, from:
                adult}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=kid, member_id=adult at home, version=6
            - invitation_secrets: generation=1, invitation_id=by the adult, token_hash=random
            ~ family_invitations by the adult: closed_at=now, status=revoked
            ~ family_members adult at home: active_adult_user_id=null, confides=false,
                household_ceiling=kid, household_role=kid, updated_at=now
            """
        ) {
            let told = try change(to: "kid")
            #expect(told == [])
        }
    }

    @Test("a member whom the creator makes Parent Admin is vouched for")
    func named() throws {
        let own = try house.membership(scene.admin, scene.home)
        try house.setHouseholdRole("adult", of: own, by: scene.admin)
        try house.superuser().query(
            "UPDATE app.family_members SET vouched = false WHERE NOT is_creator")
        try scene.effects().expect(
            """
            + audit_log: action=member.set_role, actor_user_id=admin, details={to: parent_admin,
                from: adult}, family_unit_id=home, subject_user_id=adult, target_id=adult at home
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: adult, family: home, messageId: random, recipient: admin}
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: adult, family: home, messageId: random, recipient: adult}
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=parent_admin, member_id=adult at home, version=8
            ~ family_members adult at home: governs=true, household_role=parent_admin,
                updated_at=now, vouched=true
            """
        ) {
            let told = try change(to: "parent_admin")
            #expect(told == [])
        }
    }

    @Test("handing over the seat leaves one Parent Admin, who is vouched for")
    func handedOver() throws {
        let other = try house.person()
        let membership = try house.join(other, scene.home)
        let own = try house.membership(scene.admin, scene.home)
        try house.superuser().query(
            "UPDATE app.family_members SET vouched = false WHERE NOT is_creator")
        try scene.effects(and: [
            "other": other.id, "other at home": membership, "admin at home": own,
        ]).expect(
            """
            + audit_log: action=admin.transfer, actor_user_id=admin, details={from: admin at home},
                family_unit_id=home, subject_user_id=other, target_id=other at home
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: other, family: home, messageId: random, recipient: admin}
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: other, family: home, messageId: random, recipient: adult}
            + live: family_unit_id=home, kind=mail.admin_changed, payload={date: now,
                other: other, family: home, messageId: random, recipient: other}
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=adult, member_id=admin at home, version=8
            + role_changes: changed_at=now, changed_by=admin, family_unit_id=home,
                household_role=parent_admin, member_id=other at home, version=8
            ~ family_members admin at home: household_role=adult, updated_at=now
            ~ family_members other at home: governs=true, household_role=parent_admin,
                updated_at=now, vouched=true
            """
        ) {
            try scene.call(
                scene.admin, "SELECT app.transfer_admin(\(scene.home.id), \(membership))")
        }
    }

    @Test("a role conflict names the other change's author by the membership of this family")
    func conflict() throws {
        try scene.call(
            scene.adult, .changeHouseholdRole(of: scene.homeAdult, to: "kid"))
        let told = try scene.call(
            scene.admin,
            """
            SELECT kept, by_member_id = \(scene.homeAdult), household_role
            FROM app.change_household_role(\(scene.homeAdult), 'visitor', NULL, NULL, 0, false)
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(Bool.self), try row.read(String.self))
        }
        #expect(told.map(\.0) == ["yours"])
        #expect(told.map(\.1) == [true])
        #expect(told.map(\.2) == ["kid"])
    }

    @Test("a role change wrongly taken for late, or for timely, raises a serialization failure")
    func judgedWrongly() throws {
        let told = try change(to: "kid")
        #expect(told == [])
        let unseen = state { try _ = change(to: "adult", minutesAgo: 5) }
        #expect(unseen == .serializationFailure)
        let late = try change(to: "adult", minutesAgo: 5, isLate: true)
        #expect(late == [])
        let imagined = state { try _ = change(to: "adult", isLate: true) }
        #expect(imagined == .serializationFailure)
        try scene.effects().expect("") {
            _ = try change(to: "visitor", minutesAgo: 5, isLate: true)
        }
    }

    private func state(after body: () throws -> Void) -> SQLState? {
        do {
            try body()
            return nil
        } catch let error as PostgresError {
            return error.sqlState
        } catch {
            Issue.record(error)
            return nil
        }
    }
}
