import Postgres
import TestSupport
import Testing

@Suite("SQL as hearth_admin")
struct OperatorNameTests {
    static let house = Result { try House() }

    @Test(
        "jobs, addresses and stored data can't be changed without an operator's name",
        arguments: [
            "jobs.cancel(1)", "jobs.retry(1)", "jobs.pause('mail', 'x')", "jobs.resume('mail')",
            "jobs.maintain_history('7 days')", "app.unsuppress_address('a@example.org')",
            "app.expire_invitations(1, NULL)", "app.expire_codes(1, NULL)",
            "app.purge_invitations('0 s', 1, NULL)", "app.purge_retired_codes('0 s', 1, NULL)",
            "app.purge_code_usage_log('0 s', 1, NULL)", "app.purge_rate_limits('0 s', 1, NULL)",
            "app.purge_code_lookups('0 s', 1, NULL)", "app.purge_idempotency_keys('0 s', 1, NULL)",
            "app.erase_removed_members('0 s', 1, NULL)",
            "app.purge_empty_families('0 s', 1, NULL)", "app.maintain_webhooks('0 s', 1)",
            "app.purge_sessions('0 s', 1, NULL)", "app.purge_email_tokens('0 s', 1, NULL)",
            "app.purge_answered_challenges('0 s', 1, NULL)", "app.purge_wrong_codes(1)",
        ])
    func refused(call: String) throws {
        let house = try Self.house.get()
        let connection = try Connection(house.test.settings(as: "hearth_admin"))
        let met = try refusal { try connection.query(SQL(unsafe: "SELECT \(call)")) }
        #expect(met == "42501")
    }

    @Test("a purge needs an operator's name and accepts every object of the command")
    func purges() throws {
        let house = try Self.house.get()
        let connection = try Connection(house.test.settings(as: "hearth_admin"))
        let nameless = try refusal {
            try connection.query("SELECT app.operator_purge('rate_limits', '0 s', 1, NULL)")
        }
        #expect(nameless == "HF403 not_an_operator")
        for object in [
            "expired_invitations", "expired_codes", "closed_invitations", "retired_codes",
            "code_usage_log", "rate_limits", "code_lookups", "idempotency_keys", "removed_members",
            "empty_families", "ended_sessions", "sign_ins_log", "mailed_tickets", "family_changes",
            "user_changes", "answered_challenges", "wrong_codes", "job_history_days",
        ] {
            let count = try connection.transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                return try transaction.query(
                    "SELECT changed FROM app.operator_purge(\(object), '90 days', 10, NULL)"
                ).scalar(Int?.self)
            }
            #expect(count == 0, "\(object)")
        }
        let unknown = try refusal {
            try connection.transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                try transaction.query("SELECT app.operator_purge('users', '0 s', 1, NULL)")
            }
        }
        #expect(unknown == "20000")
    }

    @Test("operator functions can't be called without a name, with any arguments")
    func named() throws {
        let house = try Self.house.get()
        let calls = try house.superuser().query(
            """
            SELECT format('%s.%s(%s)', n.nspname, p.proname, coalesce((
                SELECT string_agg(format('NULL::%s', format_type(t.oid, NULL)), ', ' ORDER BY position)
                FROM unnest(p.proargtypes) WITH ORDINALITY AS t (oid, position)), ''))
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname = 'app' AND has_function_privilege('hearth_admin', p.oid, 'EXECUTE')
                AND p.proname ~ '^(operator_|erase_user$|begin_export$|export_(pref|attr))'
                -- These only read: the name, and which months of the trail there are.
                AND p.proname NOT IN ('operator_label', 'operator_audit_parts')
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(calls.count > 30)
        let connection = try Connection(house.test.settings(as: "hearth_admin"))
        for call in calls {
            let met = try refusal { try connection.query(SQL(unsafe: "SELECT \(call)")) }
            #expect(met == "HF403 not_an_operator", "\(call)")
        }
    }
}
