import Foundation
package import Postgres

/// A test's own PgBouncer in front of its server.
package final class PgBouncer {
    /// The pooling mode.
    package enum Mode: String, Sendable, CaseIterable {
        case session
        /// Each transaction gets any free session.
        case transaction
    }

    private static let path = "/usr/sbin/pgbouncer"

    /// Whether PgBouncer is installed. `scripts/install-dependencies --test` installs it.
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let process: Subprocess
    private let folder: URL
    private let port = Int.random(in: 20_000..<60_000)

    /// Starts PgBouncer with one user, that of `settings`, and every database.
    package init(_ settings: ConnectionSettings, mode: Mode = .transaction) throws {
        // Not in the caller's folder for temporary files, which its account may be unable to reach.
        folder = URL(fileURLWithPath: "/tmp/hearth-pooler-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let parameters = settings.parameters
        let user = parameters["user"] ?? "postgres"
        let server = ["host", "port"].compactMap { key in
            parameters[key].map { "\(key)='\($0)'" }
        }.joined(separator: " ")
        let file = folder.appendingPathComponent("pgbouncer.ini")
        try "\"\(user)\" \"\"\n".write(
            to: folder.appendingPathComponent("users"), atomically: true, encoding: .utf8)
        try """
        [databases]
        * = \(server)
        [pgbouncer]
        listen_addr =
        listen_port = \(port)
        unix_socket_dir = \(folder.path)
        auth_type = trust
        auth_file = \(folder.path)/users
        pool_mode = \(mode.rawValue)
        default_pool_size = 3
        server_login_retry = 1
        """.write(to: file, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root, and the server's socket belongs to its owner alone.
        let asUser = getuid() == 0 ? ["-u", Self.owner(of: parameters["host"])] : []
        chmod(folder.path, 0o777)
        process = try Subprocess(
            Self.path, ["-q"] + asUser + [file.path], output: .null, errors: .null)
    }

    private static func owner(of folder: String?) -> String {
        var status = stat()
        guard let folder, stat(folder, &status) == 0, let entry = getpwuid(status.st_uid) else {
            return "nobody"
        }
        return String(cString: entry.pointee.pw_name)
    }

    deinit {
        process.signal(SIGKILL)
        // A folder left behind is in the system's folder for temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The settings of a database through PgBouncer; waits until it responds.
    package func settings(_ settings: ConnectionSettings) throws -> ConnectionSettings {
        var settings = settings
        settings.set("host", folder.path)
        settings.set("port", String(port))
        try eventually { (try? Connection(settings)) != nil }
        return settings
    }
}
