import Postgres
import TestSupport
import Testing

/// Tests that a function locks the family's row before it reads the family, so that its check
/// applies to the state that it changes.
@Suite("Row locks of changes to a family")
struct FamilyLockTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    enum Change: String, CaseIterable {
        case leave, leaveWaiting, withdraw, remove, update, regenerate, setRole, transfer, approve
        case addChild, updateChild, reassign, addGuardian, graduate
        case changeDetails, patchAttributes
        case invite, resend, revoke, join, preview, accept, decline
    }

    /// Returns the person and statement of a change that concerns `home` and a member of both
    /// families.
    private func prepare(_ change: Change) throws -> (Person, SQL) {
        let (home, adult) = (scene.home.id, scene.homeAdult)
        func waiting() throws -> (Person, UInt128) {
            let person = try house.person()
            try house.join(person, scene.away)
            return (person, try scene.waits(person, at: scene.home))
        }
        func child() throws -> UInt128 { try house.child(of: scene.adult, in: scene.home) }
        func own() throws -> UInt128 { try house.membership(scene.admin, scene.home) }
        func invited() throws -> (Person, UInt128) {
            let person = try house.person()
            try house.join(person, scene.away)
            let invitation = try house.invitation(
                of: scene.admin, to: scene.home, email: person.email)
            return (person, invitation.id)
        }
        switch change {
        case .leave: return (scene.adult, "SELECT app.leave_family(\(home), NULL)")
        case .leaveWaiting: return (try waiting().0, "SELECT app.leave_family(\(home), NULL)")
        case .withdraw: return (try waiting().0, "SELECT app.withdraw_request(\(home))")
        case .remove: return (scene.admin, "SELECT app.remove_member(\(adult), NULL, false, false)")
        case .update:
            return (
                scene.admin, "SELECT app.update_family(\(home), 'New', NULL, NULL, false, NULL)"
            )
        case .regenerate: return (scene.admin, "SELECT app.regenerate_code(\(home), NULL)")
        case .setRole:
            return (scene.admin, .changeHouseholdRole(of: adult, to: "kid"))
        case .transfer: return (scene.admin, "SELECT app.transfer_admin(\(home), \(adult))")
        case .approve: return (scene.admin, "SELECT app.approve_member(\(try waiting().1))")
        case .addChild: return (scene.adult, "SELECT app.add_managed_member(\(home), 'Kid', NULL)")
        case .updateChild:
            return (scene.adult, "SELECT app.update_managed_member(\(try child()), 'New', NULL)")
        case .reassign:
            return (
                scene.adult,
                "SELECT app.reassign_managed_member(\(try child()), \(try own()))"
            )
        case .addGuardian:
            return (scene.adult, "SELECT app.add_guardian(\(try child()), \(try own()))")
        case .graduate:
            return (
                scene.adult,
                "SELECT app.start_graduation(\(try child()), NULL, 'player', 'kid', 'link')"
            )
        case .changeDetails:
            return (
                scene.adult, "SELECT app.change_player_details(\(home), '{\"sport\": \"golf\"}')"
            )
        case .patchAttributes:
            return (scene.adult, "SELECT app.patch_attributes(\(home), '{\"a\": 1}', NULL)")
        case .invite:
            return (
                scene.adult,
                "SELECT app.create_invitation(\(home), 'two@example.org', 'parent', NULL, 'email')"
            )
        case .resend:
            try house.superuser().query(
                "UPDATE app.family_invitations SET last_sent_at = now() - interval '1 day'")
            return (scene.admin, "SELECT app.resend_invitation(\(scene.byAdmin.id))")
        case .revoke: return (scene.adult, "SELECT app.revoke_invitation(\(scene.byAdult.id))")
        case .join:
            let person = try house.person()
            try house.join(person, scene.away)
            return (person, "SELECT FROM app.join_family_by_code(\(scene.home.code), NULL, NULL)")
        case .preview:
            return (
                scene.neighbour, "SELECT FROM app.preview_code(\(scene.home.code), NULL, NULL)"
            )
        case .accept:
            let (person, id) = try invited()
            return (person, "SELECT FROM app.join_by_invitation(NULL, \(id))")
        case .decline:
            let (person, id) = try invited()
            return (person, "SELECT app.decline_invitation(NULL, \(id))")
        }
    }

    @Test("a change locks its own family's row and no other", arguments: Change.allCases)
    func waits(_ change: Change) throws {
        let (person, statement) = try prepare(change)
        func state(whileLocked family: Family) throws -> String? {
            let holder = try house.superuser()
            return try holder.transaction { transaction in
                try transaction.query(
                    "SELECT FROM app.family_units WHERE id = \(family.id) FOR UPDATE")
                return try refusal {
                    try house.asAPI(person) {
                        // A session that waits for the lock can't get it: the timeout only ends the
                        // wait.
                        try $0.query("SET LOCAL lock_timeout = '100ms'")
                        try $0.query(statement)
                    }
                }
            }
        }
        #expect(try state(whileLocked: scene.home) == "55P03")
        #expect(try state(whileLocked: scene.away) == nil)
    }
}
