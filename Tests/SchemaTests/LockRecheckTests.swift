import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

/// Tests that functions check data again after waiting for a lock.
///
/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("Checks after waiting for a lock")
struct LockRecheckTests {
    static let rounds =
        0..<(Int(ProcessInfo.processInfo.environment["HEARTH_TEST_RACES"] ?? "") ?? 1)
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// An inviter's family, and a guest without one.
    private struct Scene: Sendable {
        let house: House
        let inviter, guest: Person
        let family: Family

        init(_ house: House) throws {
            self.house = house
            (inviter, guest) = (try house.person(), try house.person())
            family = try house.family(of: inviter)
        }

        func guestCount() throws -> Int {
            try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE family_unit_id = \(family.id) AND user_id = \(guest.id)
                """)
        }

        func status(of invitation: UInt128) throws -> String {
            try house.superuser().query(
                "SELECT status FROM app.family_invitations WHERE id = \(invitation)"
            ).scalar()
        }

        func actions(on target: UInt128) throws -> [String] {
            try house.superuser().query(
                "SELECT action FROM app.audit_log WHERE target_id = \(target) ORDER BY at"
            ).map { (row) throws(PostgresError) in try row.read() }
        }

        /// Erases the guest while it runs `body`.
        func eraseGuest(
            while late: @escaping @Sendable (Transaction) throws -> Void
        ) throws -> String? {
            let (house, guest) = (house, guest)
            return try house.race(
                { try house.asOperator($0) },
                early: { try $0.query("SELECT FROM app.erase_user(\(guest.id), '{}')") },
                late: { try house.asAPI(guest, late) })
        }

        func presentCount() throws -> Int {
            try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE user_id = \(guest.id) AND status <> 'removed'
                """)
        }
    }

    @Test("a link replaced by a resend admits nobody", arguments: rounds)
    func resent(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let (inviter, guest) = (scene.inviter, scene.guest)
        let sent = try house.invitation(of: inviter, to: scene.family)
        try house.owner().query(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = \(sent.id)
            """)
        let met = try house.race(
            { try house.asAPI(inviter, $0) },
            early: { _ = try $0.resend(sent.id) },
            late: {
                try house.asAPI(guest) {
                    _ = try $0.query(
                        "SELECT outcome FROM app.join_by_invitation(\(sent.token), NULL)")
                }
            })
        #expect(met == "HF404 invitation_not_found")
        #expect(try scene.guestCount() == 0)
        #expect(try scene.status(of: sent.id) == "pending")
    }

    @Test("a link replaced by a resend can't decline the new invitation", arguments: rounds)
    func declined(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let (inviter, guest) = (scene.inviter, scene.guest)
        let sent = try house.invitation(of: inviter, to: scene.family)
        try house.owner().query(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = \(sent.id)
            """)
        let met = try house.race(
            { try house.asAPI(inviter, $0) },
            early: { _ = try $0.resend(sent.id) },
            late: {
                try house.asAPI(guest) {
                    _ = try $0.query("SELECT app.decline_invitation(\(sent.token), NULL)")
                }
            })
        #expect(met == "HF404 invitation_not_found")
        #expect(try scene.status(of: sent.id) == "pending")
    }

    @Test(
        "a link replaced by a second invitation to the address can't decline that invitation",
        arguments: rounds)
    func renewed(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let (inviter, guest, family) = (scene.inviter, scene.guest, scene.family)
        let sent = try house.invitation(of: inviter, to: family, email: guest.email)
        try house.owner().query(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = \(sent.id)
            """)
        let met = try house.race(
            { try house.asAPI(inviter, $0) },
            early: { _ = try $0.invite(guest.email, to: family) },
            late: {
                try house.asAPI(guest) {
                    _ = try $0.query(
                        "SELECT outcome FROM app.join_by_invitation(\(sent.token), NULL)")
                }
            })
        #expect(met == "HF404 invitation_not_found")
        #expect(try scene.guestCount() == 0)
    }

    @Test(
        "an account can't answer an invitation by id once its address has changed",
        arguments: rounds)
    func otherAddress(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let (inviter, guest, family) = (scene.inviter, scene.guest, scene.family)
        let sent = try house.invitation(of: inviter, to: family, email: guest.email)
        let met = try house.race(
            { body in try house.owner().transaction { try body($0) } },
            early: {
                try $0.query(
                    "SELECT FROM app.family_units WHERE id = \(family.id) FOR NO KEY UPDATE")
                try $0.query("UPDATE app.users SET email_verified = false WHERE id = \(guest.id)")
            },
            late: {
                try house.asAPI(guest) {
                    _ = try $0.query(
                        "SELECT outcome FROM app.join_by_invitation(NULL, \(sent.id))")
                }
            })
        // A caller without the address can't find the invitation by id.
        #expect(met == "HF404 invitation_not_found")
        #expect(try scene.guestCount() == 0)
    }

    @Test("an erased account can't join a family", arguments: rounds)
    func erasedJoins(round: Int) throws {
        let scene = try Scene(house)
        let (code, sent) = (
            scene.family.code, try house.invitation(of: scene.inviter, to: scene.family)
        )
        #expect(
            try scene.eraseGuest {
                try $0.query("SELECT FROM app.join_family_by_code(\(code), NULL, NULL)")
            } == "HF403 account_required")
        #expect(try scene.presentCount() == 0)
        let other = try Scene(house)
        #expect(
            try other.eraseGuest {
                try $0.query("SELECT FROM app.join_by_invitation(\(sent.token), NULL)")
            } == "HF403 account_required")
        #expect(try other.presentCount() == 0)
    }

    @Test("an erased account can't create a family, by function or directly", arguments: rounds)
    func erasedCreates(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        #expect(
            try scene.eraseGuest {
                try $0.query("SELECT FROM app.create_family('Late', NULL, true)")
            } == "HF403 account_required")
        let direct = try Scene(house)
        let guest = direct.guest
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT FROM app.erase_user(\(guest.id), '{}')") },
            late: {
                try house.asDirect(guest) {
                    _ = try $0.query(
                        "INSERT INTO api.family_units (created_by_user_id) VALUES (\(guest.id))")
                }
            })
        #expect(met == "HF403 account_required")
        for id in [scene.guest.id, guest.id] {
            #expect(
                try house.count(
                    "SELECT count(*) FROM app.family_units WHERE created_by_user_id = \(id)") == 0)
        }
    }

    @Test(
        "an account erased meanwhile can't enter a family that it created directly",
        arguments: rounds)
    func erasedEnters(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let guest = scene.guest
        let family = UInt128.random(in: 0...UInt128.max)
        try house.asDirect(guest) {
            _ = try $0.query(
                """
                INSERT INTO api.family_units (id, created_by_user_id)
                VALUES (\(family), \(guest.id))
                """)
        }
        let met = try house.race(
            { try house.asOperator($0) },
            early: { try $0.query("SELECT FROM app.erase_user(\(guest.id), '{}')") },
            late: {
                try house.asDirect(guest) {
                    _ = try $0.query(
                        """
                        INSERT INTO api.family_members (family_unit_id, user_id, role)
                        VALUES (\(family), \(guest.id), 'parent')
                        """)
                }
            })
        #expect(met != nil)
        #expect(try scene.presentCount() == 0)
    }

    @Test(
        "an erasure includes the families that the account has joined meanwhile", arguments: rounds)
    func erasedFromNewFamily(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let (guest, family) = (scene.guest, scene.family)
        let locked = Mutex<String?>(nil)
        let met = try house.race(
            { try house.asAPI(guest, $0) },
            early: {
                try $0.query("SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
            },
            late: {
                try house.asOperator {
                    try $0.query("SELECT FROM app.erase_user(\(guest.id), '{}')")
                    // The family stays locked while its future is decided.
                    let found = try refusal {
                        try house.owner().query(
                            """
                            SELECT FROM app.family_units WHERE id = \(family.id)
                            FOR NO KEY UPDATE NOWAIT
                            """)
                    }
                    locked.withLock { $0 = found }
                }
            })
        #expect(met == nil)
        #expect(locked.withLock { $0 } == "55P03")
        #expect(try scene.presentCount() == 0)
    }

    @Test("an invitation deleted by a direct client can't be revoked or resent", arguments: rounds)
    func deleted(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let inviter = scene.inviter
        let late: [@Sendable (Transaction, UInt128) throws -> Void] = [
            { _ = try $0.query("SELECT app.revoke_invitation(\($1))") },
            { _ = try $0.query("SELECT app.resend_invitation(\($1))") },
        ]
        for act in late {
            let sent = try house.invitation(of: inviter, to: scene.family)
            try house.owner().query(
                """
                UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
                WHERE id = \(sent.id)
                """)
            let met = try house.race(
                { try house.asDirect(inviter, $0) },
                early: {
                    try $0.query("DELETE FROM api.family_invitations WHERE id = \(sent.id)")
                },
                late: { try house.asAPI(inviter) { try act($0, sent.id) } })
            #expect(met == "HF404 invitation_not_found")
            #expect(try scene.actions(on: sent.id) == ["invitation.create", "invitation.revoke"])
        }
    }

    @Test(
        "a member that was removed or made a visitor meanwhile finds no invitation",
        arguments: rounds)
    func lostSight(round: Int) throws {
        let house = try house
        let early: [@Sendable (Transaction, UInt128) throws -> Void] = [
            {
                _ = try $0.query(
                    """
                    UPDATE app.family_members
                    SET status = 'removed', removed_at = now(), removed_by = user_id
                    WHERE id = \($1)
                    """)
            },
            {
                _ = try $0.query(
                    """
                    UPDATE app.family_members
                    SET household_role = 'visitor', household_ceiling = 'visitor' WHERE id = \($1)
                    """)
            },
        ]
        let late: [@Sendable (Transaction, UInt128) throws -> Void] = [
            { _ = try $0.query("SELECT app.revoke_invitation(\($1))") },
            { _ = try $0.query("SELECT app.resend_invitation(\($1))") },
        ]
        for change in early {
            for act in late {
                let scene = try Scene(house)
                let (guest, family) = (scene.guest, scene.family)
                let member = try house.join(guest, family)
                let sent = try house.invitation(of: scene.inviter, to: family)
                let met = try house.race(
                    { body in try house.owner().transaction { try body($0) } },
                    early: {
                        try $0.query(
                            """
                            SELECT FROM app.family_units WHERE id = \(family.id)
                            FOR NO KEY UPDATE
                            """)
                        try change($0, member)
                    },
                    late: { try house.asAPI(guest) { try act($0, sent.id) } })
                #expect(met == "HF404 invitation_not_found")
            }
        }
    }

    @Test("a fault that is fixed before its repair is not repaired again")
    func mended() throws {
        let house = try house
        let scene = try Scene(house)
        let family = scene.family
        let member = try house.join(scene.guest, family)
        let child = try house.child(of: scene.guest, in: family)
        func state() throws -> [String] {
            try house.superuser().query(
                """
                SELECT concat_ws(' ', f.family_code, f.emptied_at, m.slot, m.parent_user_id)
                FROM app.family_units AS f JOIN app.family_members AS m ON m.family_unit_id = f.id
                WHERE f.id = \(family.id) ORDER BY m.id
                """
            ).map { (row) throws(PostgresError) in try row.read() }
        }
        let before = try state()
        let told: [(kind: String, subject: UInt128?)] = [
            ("child_without_guardian", child), ("seat_wrong", member), ("code_wrong", nil),
            ("emptiness_wrong", nil),
        ]
        for fault in told {
            let isMended: Bool = try house.asOperator {
                try $0.query(
                    "SELECT app.repair_fault(\(fault.kind), \(family.id), \(fault.subject as UInt128?))"
                ).scalar()
            }
            #expect(!isMended, "\(fault.kind)")
        }
        #expect(try state() == before)
    }
}
