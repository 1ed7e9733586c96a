import Postgres
import TestSupport
import Testing

/// Rules for exports, which are recorded before they read, and for dropping exported data: the
/// allowed roles, data and times of each step.
@Suite("Rules for exporting, recording and dropping")
struct ExportRulesTests {
    private let house: House
    private let connection: Connection
    private let family: Family

    init() throws {
        house = try House()
        connection = try house.superuser()
        family = try house.family(of: try house.person())
    }

    private func asOperator(_ statement: SQL, named name: String = "jo") throws {
        try Connection(house.test.settings(as: "hearth_admin")).transaction { transaction in
            try transaction.query("SELECT app.begin_operation(\(name))")
            try transaction.query(statement)
        }
    }

    // MARK: A family's export

    @Test("an export of an unknown family is refused")
    func noFamily() throws {
        let none = UInt128.random(in: 1 ... .max)
        #expect(
            try refusal { try asOperator("SELECT app.begin_export(\(none))") }
                == "HF404 family_not_found")
    }

    @Test("a family's export can be read only by the operator who began it, for five minutes")
    func familysExport() throws {
        let other = try house.family(of: try house.person())
        let read: SQL = "SELECT app.export_attributes(\(family.id))"
        let notBegun = "HF409 export_not_begun"
        #expect(try refusal { try asOperator(read) } == notBegun)
        // Another action on the family, another family's export, and another operator's.
        try asOperator("SELECT app.operator_rename_family(\(family.id), 'Newer')")
        try asOperator("SELECT app.begin_export(\(other.id))")
        try asOperator("SELECT app.begin_export(\(family.id))", named: "ann")
        #expect(try refusal { try asOperator(read) } == notBegun)
        // A row of the same transaction could still be rolled back.
        let together = try refusal {
            try house.asOperator {
                try $0.query("SELECT app.begin_export(\(family.id))")
                try $0.query(read)
            }
        }
        #expect(together == notBegun)
        try asOperator("SELECT app.begin_export(\(family.id))")
        #expect(try refusal { try asOperator(read) } == nil)
        try connection.query("UPDATE app.audit_log SET at = at - interval '6 minutes'")
        #expect(try refusal { try asOperator(read) } == notBegun)
    }

    // MARK: The audit log's export

    /// The beginning of a month long past.
    private let month = "'2020-02-01 00:00:00+00'::timestamptz"

    @Test("an audit export is recorded only by the operator who began it, for that month")
    func noted() throws {
        let note: SQL = "SELECT app.record_audit_export(\(unsafe: month), 5)"
        let notBegun = "HF409 export_not_begun"
        #expect(try refusal { try asOperator(note) } == notBegun)
        // Another month, another operator's, another action, and an export from before the month's
        // end.
        try asOperator("SELECT app.begin_audit_export(\(unsafe: month) - interval '1 month')")
        try asOperator("SELECT app.begin_audit_export(\(unsafe: month))", named: "ann")
        try connection.query(
            """
            INSERT INTO app.audit_log (action, actor_label, details, at)
            VALUES ('audit.drop', 'operator:jo', '{"before": "2020-02"}', now()),
                ('audit.export', 'operator:jo', '{"before": "2020-02"}', '2020-01-15')
            """)
        #expect(try refusal { try asOperator(note) } == notBegun)
        try asOperator("SELECT app.begin_audit_export(\(unsafe: month))")
        #expect(try refusal { try asOperator(note) } == nil)
        let row = try connection.query(
            "SELECT exported_by || ' ' || entry_count FROM app.audit_exports"
        ).scalar(String.self)
        #expect(row == "operator:jo 5")
    }

    @Test("a session without an operator's name can't export, record or drop")
    func noOperator() throws {
        let calls: [SQL] = [
            "SELECT app.begin_export(\(family.id))",
            "SELECT app.export_attributes(\(family.id))",
            "SELECT app.begin_audit_export(\(unsafe: month))",
            "SELECT app.record_audit_export(\(unsafe: month), 5)",
            "SELECT FROM app.operator_drop_audit_part(\(unsafe: month), false, NULL)",
            "SELECT FROM app.operator_delete_audit_entries(\(unsafe: month), false, 10, NULL)",
        ]
        let unnamed = try Connection(house.test.settings(as: "hearth_admin"))
        // Anybody can set the name; only the role makes an operator.
        let owner = try house.owner()
        try owner.query("SELECT set_config('hearth.operator', 'jo', false)")
        for call in calls {
            #expect(try refusal { try unnamed.query(call) } == "HF403 not_an_operator")
            try unnamed.query("SELECT set_config('hearth.operator', '', false)")
        }
        #expect(
            try owner.query("SELECT app.operator_label() IS NULL").scalar(Bool.self)
                == !isMemberOfAdmin())
    }

    /// Whether the tests' own role, a superuser, counts as an operator.
    private func isMemberOfAdmin() throws -> Bool {
        try connection.query("SELECT pg_has_role(session_user, 'hearth_admin', 'MEMBER')")
            .scalar(Bool.self)
    }

    @Test(
        "nothing but whole past months can be exported and dropped",
        arguments: ["begin_audit_export(M)", "operator_drop_audit_part(M, false, NULL)"])
    func wholeMonths(call: String) throws {
        func refused(_ moment: String) throws -> String? {
            try refusal {
                try asOperator(
                    SQL(
                        unsafe: "SELECT app."
                            + call.replacing("M", with: "(\(moment))::timestamptz")))
            }
        }
        let field = "HF400 invalid_field"
        #expect(try refused("NULL") == field)
        #expect(try refused("'2020-02-02 00:00:00+00'") == field)
        #expect(try refused("'2020-02-01 00:00:01+00'") == field)
        #expect(
            try refused(
                "(date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'"
            ) == "HF409 audit_month_open")
        #expect(try refused("'2020-02-01 00:00:00+00'") == nil)
    }

    @Test(
        "a month may still grow for an hour after its end, or while a transaction from it is open")
    func open() throws {
        func reason(_ now: String, oldest seconds: Double?) throws -> String? {
            try connection.query(
                """
                SELECT split_part(app.audit_month_blocker(\(unsafe: month),
                    \(now)::text::timestamptz, \(seconds as Double?)), ' ', 2)
                """
            ).scalar(String?.self)
        }
        // The reason: the month itself, or a transaction that began in it.
        #expect(try reason("2020-02-01 00:59:59+00", oldest: 0) == "month")
        #expect(try reason("2020-02-01 00:59:59+00", oldest: 7200) == "month")
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 0) == nil)
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 3601) == "transaction")
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 3600) == nil)
        #expect(try reason("2020-02-01 23:59:59+00", oldest: nil) == "transaction")
        #expect(try reason("2020-02-02 00:00:00+00", oldest: nil) == nil)
    }

    @Test("unexported entries are dropped only on explicit request")
    func unexported() throws {
        let calls: [SQL] = [
            "SELECT FROM app.operator_drop_audit_part(\(unsafe: month), true, NULL)",
            "SELECT FROM app.operator_delete_audit_entries(\(unsafe: month), true, 10, NULL)",
        ]
        for call in calls {
            #expect(try refusal { try asOperator(call) } == "HF409 audit_not_exported")
        }
        try asOperator("SELECT app.begin_audit_export(\(unsafe: month))")
        try asOperator("SELECT app.record_audit_export(\(unsafe: month), 0)")
        for call in calls { #expect(try refusal { try asOperator(call) } == nil) }
    }

    @Test("a purge counts the months that it would drop, without their entries")
    func counted() throws {
        try connection.execute(
            script: """
                SET timezone = 'UTC';
                CREATE TABLE app.audit_log_201903 PARTITION OF app.audit_log
                    FOR VALUES FROM ('2019-03-01') TO ('2019-04-01');
                CREATE TABLE app.audit_log_202003 PARTITION OF app.audit_log
                    FOR VALUES FROM ('2020-03-01') TO ('2020-04-01');
                INSERT INTO app.audit_log (action, at)
                SELECT 'test.entry', d::timestamptz FROM unnest('{2019-03-01, 2020-01-15, 2020-02-15,
                    2020-02-16, 2020-03-15, 2020-04-15, 2020-06-15}'::date[]) AS d;
                """)
        func counts(before moment: String) throws -> [String] {
            try connection.query(
                """
                SELECT c.object || ' ' || c.due FROM app.count_purgeable_parts(
                    '10 years', now() - \(moment)::text::timestamptz, false) AS c
                WHERE c.object LIKE '%audit%' ORDER BY 1
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        // Entries without a monthly partition: three of the winter, and one of April.
        #expect(
            try counts(before: "2020-03-01 12:00+00")
                == ["unexported_audit_entries 3", "unexported_audit_months 1"])
        #expect(
            try counts(before: "2020-05-01 12:00+00")
                == ["unexported_audit_entries 4", "unexported_audit_months 2"])
    }
}
