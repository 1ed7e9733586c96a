import Foundation
package import Postgres
import Synchronization

/// A test's own PostgreSQL server beside the throw-away cluster, which can be killed and restarted.
///
/// It uses the cluster's programs and account, with a copy of its `hearth_template`. Nothing is
/// flushed to disk, because tests crash only processes, not the machine.
package final class PrivateServer: Sendable {
    private let folder: URL
    private let programs: String
    /// The folder of the server's libraries, if it has its own.
    private let libraries: String?
    /// The system account of the server, because PostgreSQL refuses to run as root; nil for this
    /// process's own account.
    private let account: (user: uid_t, group: gid_t)?
    private let process = Mutex<Subprocess?>(nil)

    /// Creates and starts the server, and copies the template into it.
    ///
    /// - Parameter isRelocated: Whether the server runs copies of the programs and libraries, which
    ///   a test may replace.
    package init(isRelocated: Bool = false) throws {
        let cluster = try TestDatabase.cluster()
        let connection = try Connection(cluster)
        func place(_ name: String) throws -> String {
            try connection.query("SELECT setting FROM pg_config() WHERE name = \(name)")
                .scalar(String.self)
        }
        let data = try connection.query("SHOW data_directory").scalar(String.self)
        var status = stat()
        guard stat(data, &status) == 0 else { throw TestSetupError() }
        account = getuid() == 0 ? (status.st_uid, status.st_gid) : nil
        folder = try Self.newFolder(account)
        let installed = try place("BINDIR")
        if isRelocated {
            // PostgreSQL finds its libraries and files relative to its programs.
            let root = folder.path + "/installed"
            libraries = root + (try place("PKGLIBDIR"))
            programs = root + installed
            try Self.copy(installed, to: programs) { _ in true }
            try Self.copy(place("PKGLIBDIR"), to: root + place("PKGLIBDIR")) {
                $0.hasSuffix(".so")
            }
            let shared = try place("SHAREDIR")
            try FileManager.default.createDirectory(
                atPath: (root + shared as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: root + shared, withDestinationPath: shared)
        } else {
            programs = installed
            libraries = nil
        }
        try run(
            asServer: true, "initdb",
            ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8"]
                + ["--no-sync", "--pgdata", dataFolder])
        try start()
        try copyTemplate(from: cluster)
    }

    /// Creates and starts a hot standby of another server.
    package init(following primary: PrivateServer) throws {
        programs = primary.programs
        libraries = nil
        account = primary.account
        folder = try Self.newFolder(account)
        try run(
            asServer: true, "pg_basebackup",
            ["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "--pgdata", dataFolder]
                + ["-d", primary.url("postgres")])
        try start()
    }

    private static func copy(
        _ folder: String, to copy: String, _ isWanted: (String) -> Bool
    ) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: folder) where isWanted(name) {
            try files.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
        }
    }

    /// Replaces the library of the functions' language with one that can't be loaded, as an upgrade
    /// to another version does, or restores it. Only for a relocated server.
    package func replaceLanguage(_ isReplaced: Bool) throws {
        guard let libraries else { throw TestSetupError() }
        let (library, kept) = ("\(libraries)/plpgsql.so", "\(libraries)/plpgsql.kept")
        if !FileManager.default.fileExists(atPath: kept) {
            try FileManager.default.copyItem(atPath: library, toPath: kept)
        }
        let draft = "\(libraries)/plpgsql.new"
        try? FileManager.default.removeItem(atPath: draft)
        if isReplaced {
            try Data("of another version".utf8).write(to: URL(fileURLWithPath: draft))
        } else {
            try FileManager.default.copyItem(atPath: kept, toPath: draft)
        }
        // Sessions that have loaded the old file keep it.
        guard rename(draft, library) == 0 else { throw TestSetupError() }
    }

    private static func newFolder(_ account: (user: uid_t, group: gid_t)?) throws -> URL {
        // Not in the caller's folder for temporary files: a socket's path must be short.
        let folder = URL(fileURLWithPath: "/tmp/hearth-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        if let account { chown(folder.path, account.user, account.group) }
        return folder
    }

    deinit {
        // The folder of the server is not needed afterwards.
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Connection settings of the server's superuser.
    package var settings: ConnectionSettings {
        get throws { try ConnectionSettings(url: url("postgres")) }
    }

    /// Starts the server, even after a kill, and waits until it responds.
    package func start() throws {
        let settings = try settings
        try eventually(within: 60) {
            // Processes of a killed server may still be ending; the new one waits for them.
            if !isRunning { try launch() }
            return (try? Connection(settings)) != nil
        }
    }

    /// Suspends the server's processes, or resumes them.
    package func hang(_ hangs: Bool) {
        process.withLock { process in
            guard let process else { return }
            let number = hangs ? SIGSTOP : SIGCONT
            process.signal(number)
            for child in Self.children(of: process.id) { Glibc.kill(child, number) }
        }
    }

    /// Promotes a standby, and waits until it is a primary.
    package func promote() throws {
        let isPromoted = try Connection(settings).query("SELECT pg_promote()").scalar(Bool.self)
        guard isPromoted else { throw TestSetupError() }
    }

    private static func children(of id: Int32) -> [Int32] {
        let list = try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        return (list ?? "").split(separator: " ").compactMap { Int32($0) }
    }

    /// Kills the server's main process; its sessions end with it.
    package func kill() {
        process.withLock { process in
            // Suspended sessions would never notice that the main process is gone.
            let children = process.map { Self.children(of: $0.id) } ?? []
            try? process?.kill()
            for child in children { Glibc.kill(child, SIGCONT) }
            process = nil
        }
    }

    private var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

    private var dataFolder: String { folder.appendingPathComponent("data").path }

    private func url(_ database: String) -> String {
        "host='\(folder.path)' user=postgres dbname=\(database)"
    }

    private func launch() throws {
        let options = [
            "listen_addresses=", "unix_socket_directories=\(folder.path)", "fsync=off",
            "full_page_writes=off", "logging_collector=off",
        ].flatMap { ["-c", $0] }
        let server = try begin(asServer: true, "postgres", ["-D", dataFolder] + options)
        process.withLock { $0 = server }
    }

    private func copyTemplate(from cluster: ConnectionSettings) throws {
        let source = ["dbname", "host", "port", "user"].compactMap { name in
            cluster.parameters[name].map { "\(name)='\($0)'" }
        }
        let roles = folder.appendingPathComponent("roles").path
        let dump = folder.appendingPathComponent("dump").path
        try run(
            asServer: false, "pg_dumpall",
            ["--roles-only", "-f", roles, "-d", source.joined(separator: " ")])
        // The superuser exists already.
        try run(asServer: false, "psql", ["-X", "-q", "-f", roles, "-d", url("postgres")])
        // The template itself must have no connections: other tests create databases from it
        // meanwhile.
        let copy = try TestDatabase(.migrated)
        defer { try? copy.drop() }
        let template = source.filter { !$0.hasPrefix("dbname") } + ["dbname=\(copy.name)"]
        try run(
            asServer: false, "pg_dump",
            ["-Fc", "-f", dump, "-d", template.joined(separator: " ")])
        try run(asServer: false, "pg_restore", ["--create", "-d", url("postgres"), dump])
        try run(
            asServer: false, "psql",
            [
                "-X", "-q", "-d", url("postgres"), "-c",
                "ALTER DATABASE \"\(copy.name)\" RENAME TO hearth_template",
            ])
    }

    private func run(asServer: Bool, _ program: String, _ arguments: [String]) throws {
        let process = try begin(asServer: asServer, program, arguments)
        try process.wait(seconds: 300)
        guard process.exitCode == 0 else { throw TestSetupError() }
    }

    private func begin(
        asServer: Bool, _ program: String, _ arguments: [String]
    ) throws -> Subprocess {
        var (path, words) = ("\(programs)/\(program)", arguments)
        if asServer, let account {
            words =
                ["--reuid=\(account.user)", "--regid=\(account.group)", "--clear-groups", "--"]
                + [path] + words
            path = "/usr/bin/setpriv"
        }
        return try Subprocess(path, words, directory: "/", output: .null, errors: .null)
    }
}
