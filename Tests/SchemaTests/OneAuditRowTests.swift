import Postgres
import TestSupport
import Testing

@Suite("One row in the audit log for each action")
struct OneAuditRowTests {
    /// The actions of the rows that `body` adds to a family's audit log.
    private func added(
        _ house: House, _ family: UInt128, _ body: () throws -> Void
    ) throws -> [String] {
        let rows: SQL =
            "SELECT action FROM app.audit_log WHERE family_unit_id = \(family) ORDER BY at"
        func read() throws -> [String] {
            try house.superuser().query(rows).map { (row) throws(PostgresError) in try row.read() }
        }
        let before = try read().count
        try body()
        return Array(try read().dropFirst(before))
    }

    @Test("a direct client's new family, change and deleted invitation add one audit row each")
    func direct() throws {
        let house = try House()
        let person = try house.person()
        let id = UInt128.random(in: 0...UInt128.max)
        let family = Family(id: id, code: "")
        let creating: [SQL] = [
            "INSERT INTO api.family_units (id, created_by_user_id) VALUES (\(id), \(person.id))",
            """
            INSERT INTO api.family_members (family_unit_id, user_id, role)
            VALUES (\(id), \(person.id), 'parent')
            """,
        ]
        #expect(
            try added(house, id) {
                for statement in creating {
                    try house.asDirect(person) { _ = try $0.query(statement) }
                }
            } == ["family.create"])
        #expect(
            try added(house, id) {
                try house.asDirect(person) {
                    _ = try $0.query(
                        "UPDATE api.family_units SET family_name = 'A' WHERE id = \(id)")
                }
            } == ["family.update"])
        let invitation = try house.invite("new@example.org", to: family, by: person)
        #expect(
            try added(house, id) {
                try house.asDirect(person) {
                    _ = try $0.query("DELETE FROM api.family_invitations WHERE id = \(invitation)")
                }
            } == ["invitation.revoke"])
        let named = try house.count(
            """
            SELECT count(*) FROM app.audit_log
            WHERE actor_user_id = \(person.id) AND action = 'profile.update'
            """)
        try house.asDirect(person) {
            try $0.query("UPDATE api.users SET full_name = 'New' WHERE id = \(person.id)")
        }
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.audit_log
                WHERE actor_user_id = \(person.id) AND action = 'profile.update'
                """) == named + 1)
    }

    @Test("a member inserted by plain SQL is logged as added")
    func bySQL() throws {
        let house = try House()
        let family = try house.family(of: try house.person())
        let other = try house.person()
        #expect(
            try added(house, family.id) {
                try house.superuser().query(
                    """
                    INSERT INTO app.family_members (family_unit_id, user_id, role, joined_via)
                    VALUES (\(family.id), \(other.id), 'parent', 'code')
                    """)
            } == ["member.add"])
    }

    @Test("each function adds one audit row")
    func functions() throws {
        let house = try House()
        let (admin, other, third) = (
            try house.person(), try house.person(), try house.person()
        )
        let family = try house.family(of: admin)
        let id = family.id
        func leaves(_ actions: [String], _ person: Person, _ statement: SQL) throws {
            let found = try added(house, id) {
                try house.asAPI(person) { _ = try $0.query(statement) }
            }
            #expect(found == actions)
        }
        try leaves(
            ["code.join"], other, "SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        let member = try house.membership(other, family)
        let own = try house.membership(admin, family)
        try leaves(["code.regenerate"], admin, "SELECT app.regenerate_code(\(id), NULL)")
        try leaves(
            ["family.update"], admin, "SELECT app.update_family(\(id), 'B', 1, 1, false, true)")
        try leaves(
            ["family.update"], admin,
            "UPDATE app.family_units SET approval_required = true WHERE id = \(id)")
        try leaves(
            ["admin.transfer"], admin, "SELECT app.transfer_admin(\(id), \(member))")
        try leaves(["admin.transfer"], other, "SELECT app.transfer_admin(\(id), \(own))")
        try leaves(
            ["member.set_role"], admin, .changeHouseholdRole(of: member, to: "kid"))
        try leaves(
            ["managed.create"], admin, "SELECT app.add_managed_member(\(id), 'Kid', NULL)")
        try leaves(
            ["invitation.create"], admin,
            "SELECT app.create_invitation(\(id), \(third.email), 'parent', NULL, 'email')")
        try house.owner().query(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'")
        try leaves(
            ["invitation.create"], admin,
            "SELECT app.create_invitation(\(id), \(third.email), 'parent', NULL, 'email')")
        let invitation: UInt128 = try house.superuser().query(
            "SELECT id FROM app.family_invitations WHERE family_unit_id = \(id)"
        ).scalar()
        try leaves(
            ["invitation.accept"], third, "SELECT FROM app.join_by_invitation(NULL, \(invitation))"
        )
        try leaves(
            ["member.remove"], admin, "SELECT app.remove_member(\(member), NULL, true, false)")
        try leaves(["member.leave"], third, "SELECT app.leave_family(\(id), NULL)")
        try leaves(
            ["preferences.write"], admin,
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
            VALUES (\(id), \(admin.id), '{}') ON CONFLICT (family_unit_id, user_id)
                DO UPDATE SET preferences = excluded.preferences
            """)
        let code: String = try house.superuser().query(
            "SELECT family_code FROM app.family_units WHERE id = \(id)"
        ).scalar()
        let waiting = try house.person()
        let join: SQL = "SELECT FROM app.join_family_by_code(\(code), NULL, NULL)"
        try leaves(["code.join"], waiting, join)
        try leaves(["member.leave"], waiting, "SELECT app.leave_family(\(id), NULL)")
        try leaves(["code.join"], waiting, join)
        try leaves(["member.leave"], waiting, "SELECT app.withdraw_request(\(id))")
        try leaves(["code.join"], waiting, join)
        let waits = try house.membership(waiting, family)
        try leaves(["member.approve"], admin, "SELECT app.approve_member(\(waits))")
    }
}
