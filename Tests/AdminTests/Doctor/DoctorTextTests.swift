import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin doctor: printed text")
struct DoctorTextTests {
    private let office: Office

    init() throws { office = try Office() }

    private func printed() throws -> Ending {
        try run(
            "hearth-admin", ["doctor", "--rights", DoctorTests.rights],
            environment: office.environment)
    }

    @Test(
        "a printed remedy of several lines can be copied and run",
        arguments: [
            """
            CREATE OR REPLACE FUNCTION app.require_allowed(p_allowed boolean) RETURNS void
            LANGUAGE plpgsql SET search_path = '' AS 'BEGIN END'
            """,
            "ALTER FUNCTION app.repair_slot(uuid, uuid) RESET search_path",
            "DROP FUNCTION app.leave_family(uuid, uuid)",
            """
            CREATE OR REPLACE VIEW app.my_families WITH (security_barrier) AS
                SELECT family_unit_id FROM app.family_members
            """,
        ])
    func copied(_ damage: String) throws {
        try Connection(office.database.settings()).execute(script: damage)
        let ending = try printed()
        #expect(ending.code == 1)
        #expect(!ending.output.contains("\\u{"), "\(ending.output)")
        // The doctor also reports, further down, what the API's statements need if it is gone.
        let told = try #require(ending.output.firstRange(of: "  -> as hearth_migrator:\n"))
        let statements = ending.output[told.upperBound...]
        let end = try #require(statements.firstRange(of: ";\n\n"))
        try Connection(office.database.settings(as: "hearth_migrator"))
            .execute(script: String(statements[..<end.upperBound]))
        let after = try printed()
        #expect(after.code == 0 && after.output == "no faults found\n", "\(after.output)")
    }

    @Test("a name in the database can't imitate a line of the program's output")
    func forged() throws {
        try Connection(office.database.settings()).execute(
            script: """
                CREATE INDEX "x\nno faults found" ON app.users (full_name);
                CREATE TABLE app."y\nno faults found" ();
                CREATE VIEW app."z\nno faults found" AS SELECT '\nno faults found' AS one
                """)
        let ending = try printed()
        #expect(ending.code == 1)
        #expect(ending.output.contains("x\\u{a}no faults found"))
        let lines = ending.output.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("no faults found") }, "\(ending.output)")
    }
}
