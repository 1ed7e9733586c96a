import Crypto
import Domain
import Foundation
import MailSupport
import Postgres
import Repositories
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// A migrated database with families, and hearth-worker processes that send their mail.
final class PostOffice: UseCaseEntry {
    static let secret = String(repeating: "k", count: 40)

    let test: TestDatabase
    let database: Database
    let folder: URL
    private let administration: Pool

    /// - Parameter server: The server's superuser connection; by default the tests' cluster.
    init(on server: ConnectionSettings? = nil) throws {
        test = try TestDatabase(.migrated, on: server)
        folder = try TemporaryFolder.make()
        var pool = Pool.Settings()
        pool.size = 4
        database = Database(Pool(test.settings(as: "hearth_api"), pool))
        administration = Pool(test.settings(), pool)
    }

    deinit {
        database.pool.close()
        administration.close()
        try? test.drop()
        try? FileManager.default.removeItem(at: folder)
    }

    var outbox: URL { folder.appendingPathComponent("outbox") }

    func execute(_ sql: SQL) throws {
        try administration.withConnection { connection in _ = try connection.query(sql) }
    }

    func count(_ sql: SQL) throws -> Int {
        try administration.withConnection { try $0.query(sql).scalar(Int.self) }
    }

    /// Starts a worker that sends to `server`, or writes into the outbox; its log goes to a file.
    func worker(
        _ server: MailServer? = nil, log: String = "log", _ more: [String: String] = [:]
    ) throws -> ChildProgram {
        var environment = [
            "HEARTH_WORKER_DATABASE_URL": test.url(as: "hearth_worker"),
            "HEARTH_SECRET_KEY": Self.secret, "HEARTH_PUBLIC_URL": "https://family.example.org",
            "HEARTH_OUTBOX_DIR": outbox.path, "HEARTH_LOG_LEVEL": "debug",
        ]
        if let server {
            environment["HEARTH_SMTP_URL"] = server.url
            environment["HEARTH_SMTP_TLS"] = "none"
            environment["HEARTH_MAIL_FROM"] = "Hearth <hearth@example.org>"
        }
        let path = folder.appendingPathComponent(log)
        try Data().write(to: path)
        return try ChildProgram(
            Self.program("hearth-worker"), [], environment: environment.merging(more) { $1 },
            errors: try FileHandle(forWritingTo: path))
    }

    /// The path of a built program, in the folder of the test program.
    static func program(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }

    func log(_ name: String = "log") throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// The messages in the outbox, parsed.
    func letters() throws -> [ReadMessage] {
        guard FileManager.default.fileExists(atPath: outbox.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: outbox.path)
            .filter { $0.hasSuffix(".eml") }.sorted()
            .map { try ReadMessage(Data(contentsOf: outbox.appendingPathComponent($0))) }
    }

    // MARK: Families

    static func address(of person: RequestContext) throws -> String {
        try #require(person.email).text
    }

    var invitationKeys: InvitationKeys {
        get throws { try #require(try InvitationKeys([Array(Self.secret.utf8)])) }
    }

    @discardableResult
    func invite(_ address: String, by caller: RequestContext) throws -> SentInvitation {
        try InvitationService(database, invitationKeys).create(
            by: caller, family: nil, to: .email(try #require(EmailAddress(address))),
            role: .parent)
    }

    /// Delivery status of an invitation in the inviter's list.
    func delivery(_ invitation: InvitationID, by caller: RequestContext) throws -> String? {
        try database.run(InvitationService.list(by: caller, family: nil))
            .items.first { $0.id == invitation }?.deliveryStatus
    }

    var jobsLeft: Int {
        get throws { try count("SELECT count(*) FROM jobs.live WHERE queue = 'mail'") }
    }

    func done(_ outcome: String = "done") throws -> Int {
        try count(
            "SELECT count(*) FROM jobs.history WHERE queue = 'mail' AND outcome = \(outcome)")
    }

    /// Makes a paused queue try again at once.
    func probe() throws {
        try execute("UPDATE jobs.paused_queues SET probe_at = clock_timestamp()")
        try execute("SELECT pg_notify('hearth_jobs', 'mail')")
    }
}
