import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing

@Suite("Startup of the programs")
struct StartTests {
    @Test("programs started before their database wait, log the wait, and work once it is up")
    func early() throws {
        let server = try PrivateServer()
        let office = try PostOffice(on: try server.settings)
        server.kill()
        let told = office.folder.appendingPathComponent("migrate")
        try Data().write(to: told)
        let migrate = try ChildProgram(
            PostOffice.program("hearth-migrate"),
            [
                "up", "--database-wait", "600", "--dir", Self.migrations, "--database-url",
                office.test.url(as: "hearth_migrator"),
            ], errors: try FileHandle(forWritingTo: told))
        defer { migrate.kill() }
        let worker = try office.worker()
        defer { worker.kill() }
        let api = try APIProcess(office, ["HEARTH_CODE_LENGTH": "7"])
        try eventually { try office.log("migrate").contains("waiting up to") }
        try eventually { try office.log().contains("the database is unreachable") }
        #expect(try api.send("GET", "/readyz").status == 503)
        #expect(migrate.isRunning && worker.isRunning && api.process.isRunning)
        try server.start()
        try migrate.awaitEnd()
        let applied = try office.log("migrate")
        #expect(migrate.exitCode == 0, "\(applied)")
        try eventually { try office.log().contains("lease acquired") }
        try eventually { try api.send("GET", "/readyz").status == 200 }
        // The settings that the API could not store at its start are stored before it relies on
        // them.
        let family = try api.send(
            "POST", "/api/family/create", token: api.token(of: Person()),
            body: ["familyName": "Gulls"])
        #expect(try family.field("familyCode")?.count == 11, "\(family.text)")
        // Messages of a database that shuts down become lines of the log as well.
        let before = try office.log().count
        server.kill()
        try eventually {
            try office.log().dropFirst(before).contains("the database is unreachable")
        }
        #expect(try api.send("GET", "/readyz").status == 503)
        #expect(try LogLine.all(office.log()).count > 2)
        #expect(try LogLine.all(api.log()).count > 2)
    }

    @Test("hearth-migrate exits with 69 if the database is unreachable and it may not wait")
    func notWaiting() throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let told = folder.appendingPathComponent("told")
        try Data().write(to: told)
        let migrate = try ChildProgram(
            PostOffice.program("hearth-migrate"),
            [
                "up", "--dir", Self.migrations, "--database-url",
                "host='\(folder.path)' dbname=nowhere",
            ], errors: try FileHandle(forWritingTo: told))
        try migrate.awaitEnd()
        #expect(migrate.exitCode == 69)
        #expect(try String(contentsOf: told, encoding: .utf8).contains("no connection to"))
    }

    @Test("output that libpq prints itself becomes a line of the log")
    func libraryOutput() throws {
        let office = try PostOffice()
        // An invalid setting, which each session refuses with a warning when it starts.
        try office.execute("ALTER DATABASE \(identifier: office.test.name) SET work_mem = '4MB'")
        try office.execute(
            """
            UPDATE pg_db_role_setting SET setconfig = '{work_mem=bogus}'
            WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
        let passwords = office.folder.appendingPathComponent("pgpass")
        try "*:*:*:*:secret\n".write(to: passwords, atomically: false, encoding: .utf8)
        chmod(passwords.path, 0o644)
        let worker = try office.worker(nil, ["PGPASSFILE": passwords.path])
        defer { worker.kill() }
        let api = try APIProcess(office, ["PGPASSFILE": passwords.path])
        try eventually { try api.send("GET", "/readyz").status == 200 }
        try eventually { try office.log().contains("lease acquired") }
        for log in [try office.log(), try api.log()] {
            let texts = try LogLine.all(log).compactMap(\.text)
            #expect(texts.contains { $0.contains("WARNING") && $0.contains("work_mem") }, "\(log)")
            #expect(texts.contains { $0.contains("password file") }, "\(log)")
        }
    }

    @Test("a service that can't start logs the reasons in one line", arguments: Self.services)
    func failure(program: String) throws {
        let office = try PostOffice()
        let told = office.folder.appendingPathComponent("told")
        try Data().write(to: told)
        let service = try ChildProgram(
            PostOffice.program(program), [], environment: ["HEARTH_LOG_LEVEL": "loud"],
            errors: try FileHandle(forWritingTo: told))
        try service.awaitEnd()
        #expect(service.exitCode == 78)
        let lines = try LogLine.all(office.log("told"))
        let errors = lines.compactMap(\.error)
        #expect(lines.count == 1 && errors.count == 1)
        let all = errors.joined()
        #expect(all.contains("HEARTH_SECRET_KEY") && all.contains("HEARTH_LOG_LEVEL"), "\(all)")
    }

    @Test("the API serves fewer connections under a low limit of open files, and logs the limit")
    func openFiles() throws {
        let office = try PostOffice()
        let api = try APIProcess(office, openFiles: 400, ["HEARTH_DATABASE_POOL": "4"])
        #expect(try api.send("GET", "/readyz").status == 200)
        let line = try LogLine.all(api.log()).first { $0.message.contains("HEARTH_CONNECTIONS") }
        #expect(line?.level == "warning" && line?.count == 139 && line?.limit == 400)
    }

    private static let services = ["hearth-api", "hearth-worker"]

    private static let migrations = SourceTree.root.appendingPathComponent("sql/migrations").path
}

/// A line of a program's log.
private struct LogLine: Decodable {
    let time: String
    let level: String
    let message: String
    let text: String?
    let error: String?
    let count: Int?
    let limit: Int?

    /// Parses every line; throws if one is not a line of the log.
    static func all(_ log: String) throws -> [LogLine] {
        try log.split(separator: "\n").map { line in
            do {
                return try JSONDecoder().decode(LogLine.self, from: Data(line.utf8))
            } catch {
                throw Stray(line: String(line))
            }
        }
    }

    struct Stray: Error { let line: String }
}
