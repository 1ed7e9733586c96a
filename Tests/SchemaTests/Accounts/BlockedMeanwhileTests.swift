import Postgres
import TestSupport
import Testing

/// A request that begins before its account is blocked, and waits for the lock of the block.
///
/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("Accounts that are blocked while a request waits")
struct BlockedMeanwhileTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// A change that the account makes: its statement for a family with another member and a child.
    enum Change: String, CaseIterable, Sendable {
        case invite, approve, leave, lowerRole, remove, addChild, addGuardian, create, join
        case joinByLink, rename, switchRole, erase, setPassword

        fileprivate func statement(_ scene: Scene) -> SQL {
            switch self {
            case .invite:
                """
                SELECT FROM app.create_invitation(
                    \(scene.family.id), 'new@example.com', 'parent', NULL, 'email')
                """
            case .approve: "SELECT app.approve_member(\(scene.waiting))"
            case .leave: "SELECT app.leave_family(\(scene.family.id), \(scene.adult))"
            case .lowerRole: .changeHouseholdRole(of: scene.adult, to: "visitor")
            case .remove: "SELECT app.remove_member(\(scene.adult), NULL, false, false)"
            case .addChild: "SELECT app.add_managed_member(\(scene.family.id), 'Two', NULL)"
            case .addGuardian: "SELECT app.add_guardian(\(scene.child), \(scene.adult))"
            case .create: "SELECT FROM app.create_family('Late', NULL, true)"
            case .join: "SELECT FROM app.join_family_by_code(\(scene.other.code), NULL, NULL)"
            case .joinByLink: "SELECT FROM app.join_by_invitation(\(scene.link), NULL)"
            case .rename: "SELECT app.update_profile('Late', NULL, NULL, NULL)"
            case .switchRole: "SELECT app.update_profile(NULL, NULL, NULL, 'player')"
            case .erase:
                """
                SELECT FROM app.erase_my_account(
                    extract(epoch FROM now())::bigint, false, '{}', '{}', true)
                """
            case .setPassword:
                """
                SELECT app.change_my_password(
                    NULL, '$scrypt$x', NULL, extract(epoch FROM now())::bigint, '{}')
                """
            }
        }
    }

    fileprivate struct Scene: Sendable {
        let house: House
        let actor: Person
        let family, other: Family
        let adult, waiting, child: UInt128
        let link: PostgresBytes

        init(_ house: House) throws {
            self.house = house
            actor = try house.person()
            let (second, third, stranger) = (
                try house.person(), try house.person(), try house.person()
            )
            family = try house.family(of: actor)
            adult = try house.join(second, family)
            child = try house.child(of: actor, in: family)
            try house.owner().query(
                "UPDATE app.family_units SET approval_required = true WHERE id = \(family.id)")
            waiting = try house.join(third, family)
            other = try house.family(of: stranger)
            link = try house.invitation(of: stranger, to: other).token
        }

        /// Rows that the actor's changes would write, as one text.
        func state() throws -> String {
            try house.superuser().query(
                """
                SELECT concat_ws(' ',
                    (SELECT string_agg(m.id || m.status || m.household_role || m.role, ','
                        ORDER BY m.id) FROM app.family_members AS m
                     WHERE m.family_unit_id IN (\(family.id), \(other.id))),
                    (SELECT count(*) FROM app.family_invitations AS i
                     WHERE i.family_unit_id = \(family.id)),
                    (SELECT count(*) FROM app.guardianships AS w WHERE w.member_id = \(child)),
                    (SELECT count(*) FROM app.family_units AS f
                     WHERE f.created_by_user_id = \(actor.id)),
                    (SELECT concat_ws(':', u.full_name, u.role, u.deleted_at, u.blocked_reason)
                     FROM app.users AS u WHERE u.id = \(actor.id)),
                    (SELECT count(*) FROM app.passwords AS p WHERE p.user_id = \(actor.id)),
                    (SELECT count(*) FROM app.audit_log AS a
                     WHERE a.actor_user_id = \(actor.id) AND a.action <> 'user.block'))
                """
            ).scalar()
        }
    }

    @Test(
        "a change that waits while its account is being blocked is refused and writes nothing",
        arguments: Change.allCases)
    func waits(change: Change) throws {
        let house = try house
        let scene = try Scene(house)
        let actor = scene.actor
        let statement = change.statement(scene)
        var before = ""
        let met = try house.race(
            { try house.asOperator($0) },
            early: {
                before = try scene.state()
                try $0.query("SELECT app.operator_block_user(\(actor.id), 'spam')")
            },
            late: { try house.asAPI(actor) { _ = try $0.query(statement) } })
        #expect(met == "HF403 account_blocked")
        try house.asOperator { try $0.query("SELECT app.operator_unblock_user(\(actor.id))") }
        #expect(try scene.state() == before)
    }

    /// A change by somebody else that the block of an account allows or refuses.
    enum OthersChange: String, CaseIterable, Sendable {
        case claimSeat, transferSeat, leaveWithSeat, addGuardian, declineGuardianship, acceptLink
        case acceptAddressed

        var expected: String? {
            switch self {
            case .claimSeat, .leaveWithSeat: nil
            case .transferSeat: "HF409 admin_not_adult"
            case .addGuardian: "HF409 guardian_not_adult"
            case .declineGuardianship: "HF409 guardian_has_managed_members"
            case .acceptLink, .acceptAddressed: "HF404 invitation_not_found"
            }
        }
    }

    @Test(
        "a change that waits while another member is being blocked treats that member as gone",
        arguments: OthersChange.allCases)
    func overtakes(change: OthersChange) throws {
        let house = try house
        let (admin, adult, stranger) = (
            try house.person(), try house.person(), try house.person()
        )
        let family = try house.family(of: admin)
        let own = try house.membership(admin, family)
        let member = try house.join(adult, family)
        let child = try house.child(of: admin, in: family)
        if change == .declineGuardianship {
            try house.asAPI(admin) { try $0.query("SELECT app.add_guardian(\(child), \(member))") }
        }
        let link = try house.invitation(of: admin, to: family)
        let addressed = try house.invitation(of: admin, to: family, email: stranger.email)
        let blocked: Person
        let actor: Person
        let statement: SQL
        switch change {
        case .claimSeat:
            (blocked, actor) = (admin, adult)
            statement = .changeHouseholdRole(of: member, to: "parent_admin")
        case .transferSeat:
            (blocked, actor) = (adult, admin)
            statement = "SELECT app.transfer_admin(\(family.id), \(member))"
        case .leaveWithSeat:
            (blocked, actor) = (adult, admin)
            try house.asAPI(admin) {
                try $0.query("SELECT app.remove_member(\(child), NULL, false, false)")
            }
            statement = "SELECT app.leave_family(\(family.id), NULL)"
        case .addGuardian:
            (blocked, actor) = (adult, admin)
            statement = "SELECT app.add_guardian(\(child), \(member))"
        case .declineGuardianship:
            (blocked, actor) = (adult, admin)
            statement = "SELECT app.remove_guardian(\(child), \(own))"
        case .acceptLink:
            (blocked, actor) = (admin, stranger)
            statement = "SELECT FROM app.join_by_invitation(\(link.token), NULL)"
        case .acceptAddressed:
            (blocked, actor) = (admin, stranger)
            statement = "SELECT FROM app.join_by_invitation(NULL, \(addressed.id))"
        }
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT app.operator_block_user(\(blocked.id), 'spam')") },
            late: { try house.asAPI(actor) { _ = try $0.query(statement) } })
        #expect(met == change.expected)
    }

    @Test("a join gets code_unknown if the last member who could approve is blocked meanwhile")
    func joins() throws {
        let house = try house
        let (admin, stranger) = (try house.person(), try house.person())
        let family = try house.family(of: admin)
        try house.owner().query(
            "UPDATE app.family_units SET approval_required = true WHERE id = \(family.id)")
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT app.operator_block_user(\(admin.id), 'spam')") },
            late: {
                let outcome = try house.asAPI(stranger) {
                    try $0.query(
                        "SELECT outcome FROM app.join_family_by_code(\(family.code), NULL, NULL)"
                    ).scalar(String.self)
                }
                throw Refused(outcome: outcome)
            })
        #expect(met == "code_unknown")
    }

    @Test("a claim of the seat that waits until its holder is unblocked is refused")
    func returns() throws {
        let house = try house
        let (admin, adult) = (try house.person(), try house.person())
        let family = try house.family(of: admin)
        let member = try house.join(adult, family)
        try house.asOperator {
            try $0.query("SELECT app.operator_block_user(\(admin.id), 'spam')")
        }
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT app.operator_unblock_user(\(admin.id))") },
            late: {
                try house.asAPI(adult) {
                    _ = try $0.query(.changeHouseholdRole(of: member, to: "parent_admin"))
                }
            })
        #expect(met == "HF409 parent_admin_exists")
    }
}
