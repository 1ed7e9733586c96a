import JSON
import Postgres
import TestSupport
import Testing

/// Behaviour of `doctor` where the database refuses one of its statements.
@Suite("hearth-admin doctor: areas that can't be checked")
struct DoctorUncheckedTests {
    let office: Office

    init() throws { office = try Office() }

    private func kinds(_ findings: [JSONField]) throws -> [String] {
        try findings.map { try $0["kind"].string() }
    }

    private func unchecked(_ findings: [JSONField]) throws -> [String] {
        try findings.filter { try $0["kind"].string() == "area_unchecked" }
            .map { try $0["message"].string() }
    }

    @Test(
        "a missing grant is reported with its remedy, and does not hide other faults",
        arguments: [
            ("app.find_faults_of(text, integer)", "data"), ("app.fault_checks()", "data"),
            ("app.code_guess_status()", "codes"), ("app.code_length()", "codes"),
            ("app.audit_months_missing()", "audit log"),
            ("app.recorded_definitions()", "definitions"),
            ("app.is_recording_unfinished()", "definitions"),
            ("app.applied_migrations()", "migrations"),
        ])
    func missingGrant(_ function: String, _ area: String) throws {
        let findings = try office.findings(
            after: """
                REVOKE EXECUTE ON FUNCTION \(function) FROM hearth_admin;
                INSERT INTO app.standby_readers VALUES (gen_random_uuid(), 1, '{}', now())
                """)
        let kinds = try kinds(findings)
        #expect(
            kinds.filter { $0 != "schema_unfit" && $0 != "standbys_away" }.sorted()
                == ["area_unchecked", "right_missing"], "\(findings)")
        #expect(kinds.contains("standbys_away"))
        let message = try #require(try unchecked(findings).first)
        #expect(message.hasPrefix(area), "\(message)")
        #expect(message.contains("permission denied for function"), "\(message)")
        try Connection(office.database.settings()).execute(
            script: "DELETE FROM app.standby_readers")
        try office.follow(findings.filter { try $0["kind"].string() == "right_missing" })
    }

    @Test("a database encoding other than UTF8 is reported by name")
    func encoding() throws {
        let findings = try office.findings(
            after: """
                UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1')
                WHERE datname = current_database()
                """)
        let found = try findings.filter { try $0["kind"].string() == "encoding_unfit" }
        #expect(found.count == 1, "\(findings)")
        #expect(try found.first?["message"].string().contains("LATIN1") == true)
    }

    @Test("a renamed function, or one with another result, hides no other finding")
    func otherFunction() throws {
        let renamed = try office.findings(
            after: """
                ALTER FUNCTION app.code_guess_status() RENAME TO x;
                GRANT SELECT ON app.users TO hearth_worker
                """)
        let told = try kinds(renamed)
        for kind in ["right_surplus", "definition_missing", "definition_surplus", "area_unchecked"]
        {
            #expect(told.contains(kind), "\(told)")
        }
        #expect(try unchecked(renamed).first?.hasPrefix("codes: ") == true)
        let odd = try office.findings(
            after: """
                ALTER FUNCTION app.x() RENAME TO code_guess_status;
                CREATE OR REPLACE FUNCTION app.find_faults_of(p_check text, p_limit integer)
                RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
                LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
                BEGIN
                    IF p_check = 'slots' THEN RAISE EXCEPTION 'out of order'; END IF;
                    RETURN QUERY VALUES (p_check, NULL::uuid, NULL::uuid, NULL::boolean);
                END $$
                """)
        // One finding per error, for all checks together.
        #expect(try unchecked(odd).count == 2, "\(odd)")
        #expect(try unchecked(odd).contains { $0.hasPrefix("data (slots): out of order") })
        #expect(try unchecked(odd).contains { $0.hasPrefix("data (guardians, families, seats, ") })
    }

    @Test("a failed repair is reported beside the fault")
    func failedRepair() throws {
        let family = try office.makeFamily()
        try office.breakingRules(
            """
            UPDATE app.family_members SET slot = 60 WHERE user_id = '\(Office.cy)';
            REVOKE EXECUTE ON FUNCTION app.repair_fault(text, uuid, uuid) FROM hearth_admin
            """)
        let ending = try run(
            "hearth-admin", ["doctor", "--fix", "--yes", "--json", "--rights", DoctorTests.rights],
            environment: office.environment)
        #expect(ending.code == 1)
        let told = try ending.json()["findings"].texts("kind")
        #expect(
            told.filter { $0 != "schema_unfit" }.sorted()
                == ["area_unchecked", "right_missing", "slot_wrong"], "\(family) \(told)")
    }

    @Test("a database that is not Hearth's is refused without findings")
    func otherDatabase() throws {
        try TestDatabase.with(.empty) { database in
            let ending = try run(
                "hearth-admin", ["doctor", "--json", "--rights", DoctorTests.rights],
                environment: ["HEARTH_ADMIN_DATABASE_URL": database.url(as: "hearth_admin")])
            #expect(ending.code == 1)
            #expect(ending.output == "")
            #expect(ending.errors.contains("belongs to another release"), "\(ending.errors)")
        }
    }
}
