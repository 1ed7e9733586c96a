import Postgres
import TestSupport
import Testing

@Suite("Accounts with a default role")
struct DefaultRoleTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    /// An account with the default role, in no family.
    private let newcomer: Person

    init() throws {
        scene = try TwoFamilies()
        newcomer = try scene.house.actor(Person(role: ""))
    }

    private func say(_ role: String, by person: Person? = nil) throws -> String? {
        try refusal {
            try scene.call(
                person ?? newcomer, "SELECT app.update_profile(NULL, NULL, NULL, \(role))")
        }
    }

    private func account(_ person: Person? = nil) throws -> String {
        try house.superuser().query(
            """
            SELECT role || CASE WHEN role_is_default THEN ' by default' ELSE '' END
            FROM app.users WHERE id = \((person ?? newcomer).id)
            """
        ).scalar()
    }

    /// Role, household role and ceiling of a membership.
    private func membership(in family: Family) throws -> String {
        try house.superuser().query(
            """
            SELECT concat_ws(' ', role, household_role, household_ceiling)
            FROM app.family_members
            WHERE user_id = \(newcomer.id) AND family_unit_id = \(family.id)
            """
        ).scalar()
    }

    @Test("a sign-in with a role creates an account with a chosen role")
    func said() throws {
        #expect(try account() == "parent by default")
        #expect(try account(house.person("parent")) == "parent")
        #expect(try account(house.person("player")) == "player")
        #expect(try say("parent") == nil)
        #expect(try account() == "parent")
    }

    @Test("joining by code keeps the default; the member can then choose once, and becomes a kid")
    func asMember() throws {
        try house.join(newcomer, scene.home)
        #expect(try account() == "parent by default")
        #expect(try membership(in: scene.home) == "parent adult adult")
        let invited = try house.invitation(of: newcomer, to: scene.home, as: "player").id
        let effects = try scene.effects(and: [
            "newcomer": newcomer.id, "membership": house.membership(newcomer, scene.home),
            "invited": invited,
        ])
        try effects.expect(
            """
            + audit_log: action=member.set_role, actor_user_id=newcomer, details={to: kid, from: adult},
                family_unit_id=home, subject_user_id=newcomer, target_id=membership
            + audit_log: action=profile.update, actor_user_id=newcomer, details={},
                subject_user_id=newcomer, target_id=newcomer
            ~ family_invitations invited: closed_at=now, status=revoked
            ~ family_members membership: active_adult_user_id=null, household_ceiling=kid,
                household_role=kid, role=player, updated_at=now
            - invitation_secrets: generation=1, invitation_id=invited, token_hash=random
            + role_changes: changed_at=now, changed_by=newcomer, family_unit_id=home, household_role=kid,
                member_id=membership, version=8
            ~ users newcomer: role=player, role_is_default=false, updated_at=now
            """
        ) {
            let refused = try say("player")
            #expect(refused == nil)
        }
        #expect(try say("parent") == "HF409 role_fixed_in_family")
        let raised = try refusal {
            try scene.call(
                newcomer,
                .changeHouseholdRole(of: house.membership(newcomer, scene.home), to: "adult"))
        }
        #expect(raised?.hasPrefix("HF403") == true, "the ceiling follows, too")
    }

    @Test("a creator who chooses to be a player gives up the seat of the Parent Admin")
    func asCreator() throws {
        let family = try house.family(of: newcomer)
        #expect(try account() == "parent by default")
        #expect(try membership(in: family) == "parent parent_admin adult")
        #expect(try say("player") == nil)
        #expect(try membership(in: family) == "player kid kid")
        #expect(try account() == "player")
    }

    @Test(
        "a household role given by others stays when the member chooses a role",
        arguments: ["adult", "kid", "visitor"])
    func givenByOthers(role: String) throws {
        let member = try house.join(newcomer, scene.home)
        try scene.call(
            scene.admin, .changeHouseholdRole(of: member, to: role))
        #expect(try say("player") == nil)
        #expect(try membership(in: scene.home) == "player \(role) \(role)")
    }

    @Test("a member who got the Parent Admin's seat from others can't become a player")
    func admin() throws {
        let member = try house.join(newcomer, scene.home)
        try scene.call(
            scene.admin, "SELECT app.transfer_admin(\(scene.home.id), \(member))")
        #expect(try say("player") == "HF409 role_fixed_in_family")
        #expect(try account() == "parent by default")
        #expect(try say("parent") == nil)
    }

    @Test("a household role chosen by oneself follows the new role, but never rises")
    func ownChoice() throws {
        let member = try house.join(newcomer, scene.home)
        try scene.call(
            newcomer, .changeHouseholdRole(of: member, to: "visitor"))
        #expect(try say("player") == nil)
        #expect(try membership(in: scene.home) == "player visitor kid")
    }

    @Test("a child's guardian and a member of two families can't become a player")
    func obstacles() throws {
        try house.join(newcomer, scene.home)
        let child = try house.child(of: newcomer, in: scene.home)
        #expect(try say("player") == "HF409 guardian_has_managed_members")
        try scene.call(newcomer, "SELECT FROM app.remove_member(\(child), NULL, false, false)")
        try house.join(newcomer, scene.away)
        #expect(try say("player") == "HF409 player_has_family")
        #expect(try account() == "parent by default")
    }

    @Test("a pending join request changes to the chosen role")
    func waiting() throws {
        _ = try scene.waits(newcomer, at: scene.home)
        #expect(try say("player") == nil)
        #expect(try membership(in: scene.home) == "player kid kid")
    }

    @Test("a role from creating a family, an invitation or an operator counts as chosen")
    func byOthers() throws {
        try scene.call(newcomer, "SELECT FROM app.create_family('Own', 'player', false)")
        #expect(try account() == "player")
        let invited = try house.actor(Person(role: ""))
        let token = try house.invitation(of: scene.admin, to: scene.home).token
        try scene.call(invited, "SELECT FROM app.join_by_invitation(\(token), NULL)")
        #expect(try account(invited) == "parent")
        let added = try house.actor(Person(role: ""))
        _ = try house.asOperator {
            try $0.query(
                "SELECT app.operator_add_member(\(scene.home.id), \(added.id), 'player', NULL)")
        }
        #expect(try account(added) == "player")
        let owner = try house.actor(Person(role: ""))
        _ = try house.asOperator {
            try $0.query(
                "SELECT FROM app.operator_create_family(\(owner.id), 'Own', 'player')")
        }
        #expect(try account(owner) == "player")
        let unnamed = try house.actor(Person(role: ""))
        _ = try house.asOperator {
            try $0.query("SELECT FROM app.operator_create_family(\(unnamed.id), 'Own', NULL)")
        }
        #expect(try account(unnamed) == "parent by default")
    }

    @Test("an account that inserts itself as a player into its new family becomes a player")
    func direct() throws {
        let id = UInt128.random(in: 1 ... .max)
        _ = try DirectQueries.insertFamily(id, code: "FAM-ABC123", by: newcomer).send(to: house)
        _ = try DirectQueries.insertMember(newcomer, as: "player", into: id).send(to: house)
        #expect(try account() == "player")
    }

    @Test("a role chosen while another family is being entered is checked against both families")
    func race() throws {
        try house.join(newcomer, scene.home)
        let scene = scene
        let newcomer = newcomer
        let lost = try house.race({ body in try house.asAPI(newcomer) { try body($0) } }) {
            // Locks the account, and enters a family that the other session has not locked.
            try $0.query("SELECT FROM app.join_family_by_code(\(scene.away.code), NULL, NULL)")
        } late: {
            try scene.call(newcomer, "SELECT app.update_profile(NULL, NULL, NULL, 'player')")
        }
        #expect(lost == "HF409 player_has_family", "the transaction ran again")
        #expect(try account() == "parent by default")
    }
}
