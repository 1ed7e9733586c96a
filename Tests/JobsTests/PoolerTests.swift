import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Behind PgBouncer in transaction mode")
struct PoolerTests {
    @Test(
        "jobs are done without prepared statements and without LISTEN",
        .enabled(if: TransactionPooler.isInstalled))
    func works() throws {
        let queue = try QueueDatabase()
        let pooler = try TransactionPooler(queue.settings)
        let settings = try pooler.settings(queue.settings)
        let (tally, notes) = (Tally(), Notes())
        try queue.enqueue(300)
        // Two, so that sessions are shared out between them.
        let workers = try (1...2).map { _ in
            try Worker(
                settings,
                lanes: [
                    Lane(
                        queue: "work",
                        kinds: [
                            JobKind("noop") { job, _ in
                                tally.add(job.id)
                                return job.attempt == 0 && job.id % 50 == 0 ? .retry("once") : .done
                            }
                        ], threads: 2, batch: 10)
                ], label: "pooled", observe: { notes.add($0) })
        }
        try eventually { try queue.ended() == 300 }
        for worker in workers { #expect(worker.stop(deadlineSeconds: 60)) }
        #expect(tally.distinct == 300 && notes.leasesLost == 0, "\(notes.text)")
        #expect(notes.refusals == 0, "\(notes.text)")
    }
}

/// A PgBouncer of a test's own, which gives each transaction whichever session is free.
final class TransactionPooler {
    private static let path = "/usr/sbin/pgbouncer"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let process: Subprocess
    private let folder: URL
    private let port = Int.random(in: 20_000..<60_000)

    init(_ settings: ConnectionSettings) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-pooler-\(UUID().uuidString)")
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
        pool_mode = transaction
        default_pool_size = 3
        """.write(to: file, atomically: true, encoding: .utf8)
        // It refuses to run as root, and the server's socket is its owner's alone.
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
        // A folder left behind is in the system's folder for such.
        try? FileManager.default.removeItem(at: folder)
    }

    /// How to reach a database through it; waits until it answers.
    func settings(_ settings: ConnectionSettings) throws -> ConnectionSettings {
        var settings = settings
        settings.set("host", folder.path)
        settings.set("port", String(port))
        settings.preparesStatements = false
        try eventually { (try? Connection(settings)) != nil }
        return settings
    }
}
