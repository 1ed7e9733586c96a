import Postgres
import TestSupport
import Testing

/// An export leaves its row before it reads, and what it has read can be dropped: by whom, of what
/// and when each of its steps is refused.
@Suite("When an operator may export, note and drop")
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

    @Test("an export of a family that there is not is refused")
    func noFamily() throws {
        let none = UInt128.random(in: 1 ... .max)
        #expect(
            try refusal { try asOperator("SELECT app.begin_export(\(none))") }
                == "HF404 family_not_found")
    }

    @Test("it is read only by who has begun it, of that family, and lately")
    func familysExport() throws {
        let other = try house.family(of: try house.person())
        let read: SQL = "SELECT app.export_attributes(\(family.id))"
        let notBegun = "HF409 export_not_begun"
        #expect(try refusal { try asOperator(read) } == notBegun)
        // Another action on it, another family's export, and another operator's.
        try asOperator("SELECT app.operator_rename_family(\(family.id), 'Newer')")
        try asOperator("SELECT app.begin_export(\(other.id))")
        try asOperator("SELECT app.begin_export(\(family.id))", named: "ann")
        #expect(try refusal { try asOperator(read) } == notBegun)
        // The row of the same transaction could be undone.
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

    // MARK: The trail's

    /// The beginning of a month that is over for long.
    private let month = "'2020-02-01 00:00:00+00'::timestamptz"

    @Test("an export is noted only by who has begun it, up to that month, and before")
    func noted() throws {
        let note: SQL = "SELECT app.note_audit_export(\(unsafe: month), 5)"
        let notBegun = "HF409 export_not_begun"
        #expect(try refusal { try asOperator(note) } == notBegun)
        // Of another month, another operator's, another action, and from before that month.
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

    @Test("who is no operator exports, notes and drops nothing")
    func noOperator() throws {
        let calls: [SQL] = [
            "SELECT app.begin_export(\(family.id))",
            "SELECT app.export_attributes(\(family.id))",
            "SELECT app.begin_audit_export(\(unsafe: month))",
            "SELECT app.note_audit_export(\(unsafe: month), 5)",
            "SELECT FROM app.operator_drop_audit_part(\(unsafe: month), false, NULL)",
            "SELECT FROM app.operator_delete_audit_entries(\(unsafe: month), false, 10, NULL)",
        ]
        let unnamed = try Connection(house.test.settings(as: "hearth_admin"))
        // Anybody can write the setting; its role is what makes an operator of somebody.
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

    /// Whether the tests' own role, a superuser, counts as an operator's.
    private func isMemberOfAdmin() throws -> Bool {
        try connection.query("SELECT pg_has_role(session_user, 'hearth_admin', 'MEMBER')")
            .scalar(Bool.self)
    }

    @Test(
        "only whole months that are over are exported and dropped",
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
        "until a month is over for an hour, or while one of its transactions is open, it may grow")
    func open() throws {
        func reason(_ now: String, oldest seconds: Double?) throws -> String? {
            try connection.query(
                """
                SELECT split_part(app.why_audit_month_is_open(\(unsafe: month),
                    \(now)::text::timestamptz, \(seconds as Double?)), ' ', 2)
                """
            ).scalar(String?.self)
        }
        // The month, or a transaction of it.
        #expect(try reason("2020-02-01 00:59:59+00", oldest: 0) == "month")
        #expect(try reason("2020-02-01 00:59:59+00", oldest: 7200) == "month")
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 0) == nil)
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 3601) == "transaction")
        #expect(try reason("2020-02-01 01:00:00+00", oldest: 3600) == nil)
        #expect(try reason("2020-02-01 23:59:59+00", oldest: nil) == "transaction")
        #expect(try reason("2020-02-02 00:00:00+00", oldest: nil) == nil)
    }

    @Test("what was not exported is not dropped, unless it is asked for")
    func unexported() throws {
        let calls: [SQL] = [
            "SELECT FROM app.operator_drop_audit_part(\(unsafe: month), true, NULL)",
            "SELECT FROM app.operator_delete_audit_entries(\(unsafe: month), true, 10, NULL)",
        ]
        for call in calls {
            #expect(try refusal { try asOperator(call) } == "HF409 audit_not_exported")
        }
        try asOperator("SELECT app.begin_audit_export(\(unsafe: month))")
        try asOperator("SELECT app.note_audit_export(\(unsafe: month), 0)")
        for call in calls { #expect(try refusal { try asOperator(call) } == nil) }
    }

    @Test("a purge counts the months that it would drop, and the entries of none of these")
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
        // What is in no part of its own: three of the winter, and one of April.
        #expect(
            try counts(before: "2020-03-01 12:00+00")
                == ["unexported_audit_entries 3", "unexported_audit_months 1"])
        #expect(
            try counts(before: "2020-05-01 12:00+00")
                == ["unexported_audit_entries 4", "unexported_audit_months 2"])
    }
}
