import Glibc
import Testing

@testable import Migrations

struct FolderTests {
    private func problem(_ files: [String: String]) throws -> MigrationError? {
        do {
            _ = try TestFolder(files).read()
            return nil
        } catch let error as MigrationError {
            return error
        }
    }

    @Test("files are ordered by number, whatever the width of their names")
    func order() throws {
        let folder = try TestFolder([
            "10_b.sql": "", "9_a.sql": "", "0011_c-d.e.sql": "", ".12_hidden.sql": "",
            "notes.txt": "",
        ]).read()
        #expect(folder.files.map(\.fileName) == ["9_a.sql", "10_b.sql", "0011_c-d.e.sql"])
        #expect(folder.files.map(\.name) == ["a", "b", "c-d.e"])
        #expect(folder.files.first?.version.description == "0009")
    }

    @Test(
        "an SQL file that isn't named like a migration is refused",
        arguments: [
            "a.sql", "1.sql", "1_.sql", "1-a.sql", "_a.sql", "1_a b.sql", "x1_a.sql", "1_a.SQL",
        ])
    func strays(_ name: String) throws {
        #expect(try problem([name: ""])?.details.first == name)
    }

    @Test(
        "a number beyond the largest version is reported as too large",
        arguments: ["9223372036854775808_a.sql", "20240101120000123456_b.sql"])
    func tooLarge(_ name: String) throws {
        #expect(
            try problem([name: "", "1_a.sql": ""])?.details.first
                == "\(name): its number is too large: the largest is 9223372036854775807")
        #expect(try problem(["9223372036854775807_a.sql": ""]) == nil)
    }

    @Test("thousands of findings of one rule in a file are cut to the first few and a count")
    func thousands() throws {
        let many = String(repeating: "COMMIT;\n", count: 3_000)
        let files = ["1_a.sql": many, "2_b.sql": "COMMIT;\n"]
        let refusals = try TestFolder(files).read().files.flatMap { file in
            try Refusals.found(in: file.script(), file: file.fileName)
        }
        #expect(refusals.count == 3_001)
        let lines = MigrationError.refused(refusals).details
        #expect(lines.count == 22)
        #expect(lines.contains("1_a.sql: transaction-control: 2980 more like these"))
        #expect(lines.contains { $0.hasPrefix("2_b.sql:1: ") })
    }

    @Test("a numbered program is refused, and other files are ignored")
    func programs() throws {
        let names = [
            "00002_backfill.go": "", "0003_x.py": "", "helper.go": "", "0004_notes.md": "",
        ]
        let details = try problem(names)?.details ?? []
        #expect(
            details.dropLast().map { $0.prefix { $0 != ":" } } == [
                "00002_backfill.go", "0003_x.py",
            ])
    }

    @Test("two files with the same version are refused")
    func doubles() throws {
        let details = try problem(["1_a.sql": "", "0001_b.sql": ""])?.details
        #expect(details == ["0001_b.sql and 1_a.sql"])
    }

    @Test("bytes that are not valid text are refused with file and line")
    func noText() throws {
        let folder = try TestFolder()
        try folder.write("0001_a.sql", bytes: Array("a\n".utf8) + [0xFF])
        try folder.write("0002_b.sql", bytes: [0])
        let error = #expect(throws: MigrationError.self) { try folder.read() }
        #expect(error?.code == .refused)
        #expect(error?.details.map { $0.prefix(13) } == ["0001_a.sql:2:", "0002_b.sql:1:"])
    }

    @Test("a named pipe is refused, and the runner does not wait for it")
    func pipe() throws {
        let folder = try TestFolder()
        try #require(mkfifo(folder.path + "/0001_a.sql", 0o600) == 0)
        let error = #expect(throws: MigrationError.self) { try folder.read() }
        #expect(error?.code == .system)
    }

    @Test("a missing folder is reported as a system error")
    func noFolder() {
        let error = #expect(throws: MigrationError.self) { try MigrationFolder(path: "/no/such") }
        #expect(error?.code == .system)
    }

    @Test("a gap between sequence numbers is reported, one between dates is not")
    func gaps() throws {
        let counts = try TestFolder(["0003_a.sql": "", "0004_b.sql": "", "0008_c.sql": ""]).read()
        #expect(counts.gaps == [5...7])
        let dates = try TestFolder(["20300101_a.sql": "", "20300105_b.sql": ""]).read()
        #expect(dates.gaps == [])
    }

    @Test("a new file gets the next number, or the time in a folder of timestamps")
    func new() throws {
        let folder = try TestFolder()
        func make(_ title: String) throws -> String {
            try NewMigration.create(
                in: folder.read(), title: title, isTransactional: true, now: 1_900_000_000)
        }
        #expect(try make("Add  Codes") == "0001_add_codes.sql")
        #expect(try make("x") == "0002_x.sql")
        #expect(throws: MigrationError.self) { try make("a/b") }
        try folder.write("20300101000000_y.sql", "")
        #expect(try make("z") == "20300317174640_z.sql")
        #expect(try make("z") == "20300317174641_z.sql")
    }

    @Test("a new file's template can run")
    func draft() throws {
        let folder = try TestFolder()
        let name = try NewMigration.create(
            in: folder.read(), title: "x", isTransactional: false, now: 0)
        let script = try #require(try folder.read().files.first).script()
        #expect(name == "0001_x.sql" && !script.isTransactional)
    }
}

struct ConfigurationTests {
    private func problem(_ json: String) throws -> String? {
        do {
            _ = try TestFolder(["hearth-migrate.json": json]).read()
            return nil
        } catch let error as MigrationError {
            #expect(error.code == .usage)
            return error.message
        }
    }

    @Test("a folder without a configuration file has the default configuration")
    func none() throws {
        let configuration = try TestFolder().read().configuration
        #expect(configuration == FolderConfiguration())
        #expect(configuration.ledgerSchema == "migrations")
    }

    @Test("all members of a configuration are read")
    func everything() throws {
        let json = """
            {"ownerRole": "o", "tenantSchemas": ["app"], "privateSchemas": ["app", "jobs"],
             "tenantTableExceptions": {"app.x": "why"}, "ledgerSchema": "l",
             "roles": [{"name": "o"}, {"name": "a", "login": true, "inherit": false,
                        "memberOf": ["o"], "passwordSetting": "A_PASSWORD"}]}
            """
        let configuration = try TestFolder(["hearth-migrate.json": json]).read().configuration
        var role = FolderConfiguration.Role("a")
        role.login = true
        role.inherit = false
        role.memberOf = ["o"]
        role.passwordSetting = "A_PASSWORD"
        #expect(configuration.ownerRole == "o")
        #expect(configuration.tenantSchemas == ["app"])
        #expect(configuration.privateSchemas == ["app", "jobs"])
        #expect(configuration.tenantTableExceptions == ["app.x": "why"])
        #expect(configuration.ledgerSchema == "l")
        #expect(configuration.roles == [FolderConfiguration.Role("o"), role])
    }

    @Test(
        "unknown or contradictory members are reported with their path",
        arguments: [
            ("{\"tenantSchema\": []}", "`tenantSchema` is unknown"),
            ("{\"roles\": [{\"name\": \"a\", \"x\": 1}]}", "`x` in `roles[0]` is unknown"),
            ("{\"roles\": [{\"name\": \"\"}]}", "`roles[0].name` must be a name"),
            ("{\"roles\": [{}]}", "`roles[0].name` is missing"),
            ("{\"roles\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "listed twice"),
            ("{\"roles\": [{\"name\": \"a\", \"memberOf\": [\"b\"]}]}", "not among `roles`"),
            ("{\"roles\": [{\"name\": \"a\", \"passwordSetting\": \"B\"}]}", "no `login`"),
            ("{\"ownerRole\": \"b\", \"roles\": [{\"name\": \"a\"}]}", "not among `roles`"),
            ("{\"ownerRole\": 1}", "`ownerRole` must be a string"), ("{", "Not valid JSON"),
        ])
    func problems(_ json: String, _ expected: String) throws {
        let problem = try problem(json)
        #expect(problem?.contains(expected) == true, "\(problem ?? "no error")")
    }
}
