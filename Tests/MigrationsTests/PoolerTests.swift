import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Behind a pooler")
struct PoolerTests {
    @Test(
        "the runner refuses, and says why", .enabled(if: PgBouncer.isInstalled),
        arguments: ["session", "transaction"])
    func refuses(mode: String) throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t ();"])
        try TestDatabase.with(.empty) { database in
            let pooler = try PgBouncer(database.settings(), mode: mode)
            let settings = try pooler.settings(database.settings())
            let error = #expect(throws: MigrationError.self) {
                try Runner(settings, folder.read(), report: { _ in }).up()
            }
            #expect(error?.code == .pooler)
            #expect(error?.message.hasPrefix("a connection pooler answers at ") == true)
            #expect(try !database.hasRelation("t"))
        }
    }
}

/// A PgBouncer of a test's own, in front of the test cluster.
final class PgBouncer {
    private static let path = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let process: Subprocess
    private let folder: TestFolder
    private let port = Int.random(in: 20_000..<60_000)

    init(_ settings: ConnectionSettings, mode: String) throws {
        folder = try TestFolder()
        let parameters = settings.parameters
        let server = ["host", "port", "user", "password"].compactMap { key in
            parameters[key].map { "\(key)='\($0)'" }
        }.joined(separator: " ")
        try folder.write("users", "\"\(parameters["user"] ?? "postgres")\" \"\"\n")
        try folder.write(
            "pgbouncer.ini",
            """
            [databases]
            * = \(server)
            [pgbouncer]
            listen_addr =
            listen_port = \(port)
            unix_socket_dir = \(folder.path)
            auth_type = trust
            auth_file = \(folder.path)/users
            pool_mode = \(mode)
            """)
        // It refuses to run as root, and the server's socket is its owner's alone.
        let asUser = getuid() == 0 ? ["-u", Self.owner(of: parameters["host"])] : []
        chmod(folder.path, 0o777)
        process = try Subprocess(
            Self.path, ["-q"] + asUser + [folder.path + "/pgbouncer.ini"], output: .null,
            errors: .null)
    }

    private static func owner(of folder: String?) -> String {
        var status = stat()
        guard let folder, stat(folder, &status) == 0, let entry = getpwuid(status.st_uid) else {
            return "nobody"
        }
        return String(cString: entry.pointee.pw_name)
    }

    deinit { process.signal(SIGKILL) }

    /// How to reach a database through it; waits until it answers.
    func settings(_ settings: ConnectionSettings) throws -> ConnectionSettings {
        var settings = settings
        settings.set("host", folder.path)
        settings.set("port", String(port))
        try eventually { (try? Connection(settings)) != nil }
        return settings
    }
}
