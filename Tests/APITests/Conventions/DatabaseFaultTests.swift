import Domain
import Postgres
import TestSupport
import Testing

@Suite("Temporary faults of the database")
struct DatabaseFaultTests {
    private let site: Site
    private let superuser: Connection

    init() throws {
        site = try Site()
        superuser = try Connection(site.test.settings())
    }

    /// Makes storing a family fail with this SQLSTATE.
    private func fail(with state: String) throws {
        try superuser.execute(
            script: """
                CREATE OR REPLACE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'out of something' USING ERRCODE = '\(state)'; END $$;
                CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON app.family_units
                    FOR EACH ROW EXECUTE FUNCTION public.fail()
                """)
    }

    private func create(by person: APIClient) throws -> Answer {
        try person.post("/api/families", #"{"familyName": "Terns"}"#)
    }

    @Test(
        "a request gets 503 with Retry-After if the database lacks resources, and the log says why",
        arguments: [
            ("53100", "database_away", "the database's disk is full"),
            ("53200", "database_busy", "the database is busy"),
            ("53300", "database_busy", "the database is busy"),
            ("53400", "database_busy", "the database is busy"),
            ("55P03", "database_busy", "the database is busy"),
            ("57014", "database_busy", "the database is busy"),
        ])
    func lack(_ state: String, _ code: String, _ line: String) throws {
        let person = try site.person(.parent)
        _ = try person.get("/api/me")
        try fail(with: state)
        let answer = try create(by: person)
        #expect(answer.says(503, code), "\(answer)")
        #expect(answer.headers["retry-after"] != nil)
        let lines = site.lines.text.split(separator: "\n").filter { $0.contains("[\(state)]") }
        #expect(lines.count == 1 && lines[0].contains(line), "\(lines)")
    }

    @Test("a database at its connection limit counts as busy, not as unreachable")
    func connections() throws {
        let person = try site.person(.parent)
        _ = try person.get("/api/me")
        try superuser.execute(
            script: """
                ALTER DATABASE "\(site.test.name)" CONNECTION LIMIT 0;
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE usename = 'hearth_api' AND datname = current_database()
                """)
        try eventually { try create(by: person).says(503, "database_busy") }
        try superuser.execute(
            script: #"ALTER DATABASE "\#(site.test.name)" CONNECTION LIMIT -1"#)
        #expect(try create(by: person).status == 201)
    }
}
