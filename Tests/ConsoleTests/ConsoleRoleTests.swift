import Domain
import Postgres
import Repositories
import TestSupport
import Testing
import UseCases

@Suite("Roles in the transactions of the console's changes")
struct ConsoleRoleTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    /// Runs `body` in a transaction that begins as a change by the operator does.
    ///
    /// - Returns: The code for which the database refuses it; nil if it does not.
    private func refusal(
        of operator: String, atLeast role: String, locks: Bool = true,
        _ body: (Transaction) throws -> Void = { _ in }
    ) throws -> String? {
        do {
            try Connection(site.test.settings(as: "hearth_admin")).transaction { transaction in
                try transaction.query(
                    """
                    SELECT app.begin_console_operation(
                        \(session(of: `operator`)), \(role), \(locks))
                    """)
                try body(transaction)
            }
            return nil
        } catch let error as PostgresError {
            return error.constraint ?? "\(error)"
        }
    }

    /// The hash of the operator's session.
    private func session(of operator: String) throws -> PostgresBytes {
        try site.scalar(
            "SELECT token_hash FROM app.console_sessions WHERE user_id = \(`operator`)::uuid")
    }

    @Test("a change that needs a higher role than the operator still has is refused")
    func lowered() throws {
        _ = try site.browser(of: "root@example.com")
        #expect(try refusal(of: ConsoleSite.root, atLeast: "admin") == nil)
        try site.asOwner("UPDATE app.operators SET role = 'support' WHERE role = 'admin'")
        #expect(try refusal(of: ConsoleSite.root, atLeast: "admin") == "role_does_not_allow")
        #expect(try refusal(of: ConsoleSite.root, atLeast: "support") == nil)
        #expect(try refusal(of: ConsoleSite.root, atLeast: "viewer") == nil)
        #expect(try refusal(of: ConsoleSite.root, atLeast: "owner") == "role_does_not_allow")
    }

    @Test("a change in an ended session, or by a blocked operator, is refused")
    func ended() throws {
        let endings: [SQL] = [
            "UPDATE app.console_sessions SET ends_at = now()",
            "UPDATE app.console_sessions SET ends_at = now() + interval '1 year'",
            """
            UPDATE app.users SET blocked_at = now(), blocked_by = 'operator:jo',
                blocked_reason = 'test' WHERE id = \(ConsoleSite.sue)::uuid
            """,
        ]
        _ = try site.browser(of: "sue@example.com")
        let connection = try Connection(site.test.settings())
        try connection.execute(script: "SET session_replication_role = replica")
        let hash = try session(of: ConsoleSite.sue)
        for ending in endings {
            try connection.execute(script: "BEGIN")
            try connection.query(ending)
            // In the same transaction, which is rolled back.
            let error = #expect(throws: PostgresError.self) {
                try connection.query(
                    "SELECT app.begin_console_operation(\(hash), 'viewer', false)")
            }
            #expect(error?.constraint == "not_an_operator", "\(ending)")
            try connection.execute(script: "ROLLBACK")
        }
        #expect(try refusal(of: ConsoleSite.sue, atLeast: "viewer") == nil)
    }

    @Test("a role is lowered or revoked only after the change that the operator makes")
    func locked() throws {
        _ = try site.browser(of: "sue@example.com")
        let calls: [SQL] = [
            "SELECT app.operator_set_role(\(ConsoleSite.sue)::uuid, 'viewer', false)",
            "SELECT app.operator_remove(\(ConsoleSite.sue)::uuid)",
        ]
        for call in calls {
            let told = try refusal(of: ConsoleSite.sue, atLeast: "support") { _ in
                let other = try Connection(site.test.settings(as: "hearth_admin"))
                let error = #expect(throws: PostgresError.self) {
                    try other.transaction { transaction in
                        try transaction.query("SET LOCAL lock_timeout = '100ms'")
                        try transaction.query("SELECT app.begin_operation('jo')")
                        try transaction.query(call)
                    }
                }
                #expect(error?.sqlState == "55P03", "\(call)")
            }
            #expect(told == nil)
        }
    }

    @Test("an operation that only reads does not delay the end of the operator's role")
    func unlocked() throws {
        _ = try site.browser(of: "sue@example.com")
        let told = try refusal(of: ConsoleSite.sue, atLeast: "support", locks: false) { _ in
            try site.asOperator { session in
                _ = try session.removeOperator(session.user(ConsoleSite.sue).id)
            }
        }
        #expect(told == nil)
    }

    @Test("a change waits for a role that is being changed, what only reads or looks does not")
    func waits() throws {
        _ = try site.browser(of: "sue@example.com")
        let hash = try session(of: ConsoleSite.sue)
        let identity = OperatorIdentity.ofSession(hash, atLeast: .support, name: "sue@example.com")
        let looking = OperatorIdentity.ofSession(hash, atLeast: .viewer, name: "sue@example.com")
        let family = try site.makeFamily()
        let child = try site.asOperator { session in
            try #require(
                session.members(of: session.family(family).id).first { $0.isManaged })
        }
        try Connection(site.test.settings()).transaction { transaction in
            try transaction.query(
                "UPDATE app.operators SET role = role WHERE user_id = \(ConsoleSite.sue)::uuid")
            let connection = try Connection(site.test.settings(as: "hearth_admin"))
            try connection.execute(script: "SET lock_timeout = '100ms'")
            let changing = OperatorSession(on: connection, as: identity)
            let bo = try changing.user(ConsoleSite.bo).id
            let error = #expect(throws: PostgresError.self) {
                _ = try changing.endSessions(of: bo, only: nil)
            }
            #expect(error?.sqlState == "55P03")
            try OperatorSession(on: connection, as: looking).recordView(of: bo)
            // So does what only reads in the operator's name.
            #expect(try changing.guardians(of: child).map(\.user.description) == [ConsoleSite.ann])
        }
    }

    @Test("a form whose operator has lost the role or the session in the meantime changes nothing")
    func lost() throws {
        let browser = try site.browser(of: "sue@example.com")
        let token = try browser.formToken()
        let path = "/people/\(ConsoleSite.bo)/block"
        for code in ["role_does_not_allow", "not_an_operator"] {
            // As if the role or the session had ended after the request was admitted.
            try site.asOwner(
                """
                CREATE OR REPLACE FUNCTION app.begin_console_operation(
                    p_session_hash bytea, p_role text, p_locks boolean) RETURNS void
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
                BEGIN
                    PERFORM app.refuse('HF403', '\(code)', 'This is not allowed any more.');
                END $$
                """)
            let page = try browser.post(path, ["form_token": token, "reason": "x"])
            if code == "not_an_operator" {
                #expect(page.status == 303 && page.location == "/sign-in", "\(page)")
            } else {
                #expect(page.status == 403 && page.alert?.contains(code) == true, "\(page)")
            }
        }
        let blocked: Int64 = try site.scalar(
            "SELECT count(*) FROM app.users WHERE blocked_at IS NOT NULL")
        #expect(blocked == 0)
    }

    @Test("an admin who is the Parent Admin of a family can invite to it")
    func ownFamily() throws {
        let family = try site.asOperator { session in
            try session.createFamily(
                owner: session.user(ConsoleSite.root).id, name: .init("The Roots"), role: nil
            ).id
        }
        let browser = try site.browser(of: "root@example.com")
        let done = try browser.perform(
            "/families/\(family)/invite", ["email": "new@example.com", "role": "parent"])
        #expect(done.status == 303, "\(done)")
        let label: String = try site.scalar(
            "SELECT actor_label FROM app.audit_log WHERE action = 'invitation.create'")
        #expect(label == "operator:root@example.com")
    }

    @Test("support who acts on an account that has become an operator's in the meantime is refused")
    func target() throws {
        _ = try site.browser(of: "sue@example.com")
        _ = try site.browser(of: "root@example.com")
        let family = try site.makeFamily()
        try site.asOperator { session in
            let inviter = try session.member(ConsoleSite.ann, of: session.family(family).id)
            _ = try session.sendInvitation(
                to: .email(try #require(EmailAddress("vic@example.com"))), inviter: inviter.id,
                role: .parent, householdRole: nil,
                try #require(try InvitationKeys([Array(ConsoleSite.secret.utf8)])))
        }
        try site.asOwner(
            "INSERT INTO app.operators (user_id, role, added_by) "
                + "VALUES ('\(ConsoleSite.bo)', 'viewer', 'operator:jo')")
        let member: String = try site.scalar(
            "SELECT id::text FROM app.family_members WHERE user_id = \(ConsoleSite.bo)::uuid")
        let invitation: String = try site.scalar(
            "SELECT id::text FROM app.family_invitations WHERE invited_email = 'vic@example.com'")
        let calls: [SQL] = [
            "SELECT app.operator_end_sessions(\(ConsoleSite.bo)::uuid, NULL)",
            "SELECT app.operator_block_user(\(ConsoleSite.bo)::uuid, 'x')",
            "SELECT app.operator_unblock_user(\(ConsoleSite.bo)::uuid)",
            "SELECT app.operator_clear_limits(\(ConsoleSite.bo)::uuid)",
            """
            SELECT app.operator_add_member(
                \(family)::uuid, \(ConsoleSite.bo)::uuid, NULL, NULL, true)
            """,
            "SELECT app.operator_resend_invitation(\(invitation)::uuid)",
            "SELECT app.operator_revoke_invitation(\(invitation)::uuid)",
            "SELECT app.operator_set_household_role(\(member)::uuid, 'adult', NULL)",
        ]
        for call in calls {
            #expect(
                try refusal(of: ConsoleSite.sue, atLeast: "support") { try $0.query(call) }
                    == "role_does_not_allow", "\(call)")
            #expect(
                try refusal(of: ConsoleSite.root, atLeast: "support") { try $0.query(call) }
                    != "role_does_not_allow", "\(call)")
        }
    }

    @Test("an admin who acts on the own account is refused, at the command line not")
    func oneself() throws {
        _ = try site.browser(of: "root@example.com")
        let call: SQL = "SELECT app.operator_end_sessions(\(ConsoleSite.root)::uuid, NULL)"
        #expect(
            try refusal(of: ConsoleSite.root, atLeast: "admin") { try $0.query(call) }
                == "role_does_not_allow")
        try site.asOperator { session in
            _ = try session.endSessions(
                of: session.user(ConsoleSite.root).id, only: nil)
        }
    }
}
