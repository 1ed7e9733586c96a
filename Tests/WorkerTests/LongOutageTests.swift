import Domain
import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("A long outage of the mail server")
struct LongOutageTests {
    private let office: PostOffice
    private let nobody: ClosedPort
    init() throws {
        office = try PostOffice()
        nobody = try ClosedPort()
    }

    /// Starts a worker whose mail server can't be reached.
    private func worker(_ more: [String: String] = [:]) throws -> ChildProgram {
        let settings = [
            "HEARTH_SMTP_URL": "smtp://127.0.0.1:\(nobody.port)", "HEARTH_SMTP_TLS": "none",
            "HEARTH_MAIL_FROM": "Hearth <hearth@example.org>",
        ]
        return try office.worker(nil, log: "log", settings.merging(more) { $1 })
    }

    @Test("an invitation's mail is retried as long as the invitation is valid")
    func kept() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let invitation = try office.invite("someone@example.org", by: inviter)
        try office.execute("UPDATE jobs.live SET attempt = max_attempts - 1 WHERE queue = 'mail'")
        let first = try worker()
        for _ in 1...2 {
            try eventually {
                try office.count(
                    "SELECT count(*) FROM jobs.live WHERE state = 'ready' AND last_error <> ''")
                    == 1
            }
            let isLater = try office.count(
                """
                SELECT count(*) FROM jobs.live
                WHERE attempt = max_attempts - 1 AND run_at > clock_timestamp()
                """)
            #expect(isLater == 1)
            try office.execute(
                """
                UPDATE jobs.live SET last_error = NULL, run_at = clock_timestamp()
                WHERE state = 'ready'
                """)
        }
        let status = try office.delivery(invitation.id, by: inviter)
        #expect(status == "queued")
        first.kill()
        let server = try MailServer()
        let second = try office.worker(server, log: "second")
        defer { second.kill() }
        try eventually {
            try office.execute(
                "UPDATE jobs.live SET run_at = clock_timestamp() WHERE state = 'ready'")
            return try office.done() == 1
        }
        let (count, after) = (
            try server.messages().count, try office.delivery(invitation.id, by: inviter)
        )
        #expect(count == 1 && after == "sent")
    }

    @Test("a message is discarded after more than a week, which log, metrics and job list report")
    func givenUp() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let invitation = try office.invite("someone@example.org", by: inviter)
        try office.execute(
            """
            UPDATE jobs.live SET attempt = max_attempts - 1, not_after = NULL,
                payload = jsonb_set(payload, '{date}',
                    to_jsonb((payload ->> 'date')::bigint - 9 * 86400))
            """)
        let port = try FreePort.find()
        let worker = try worker(["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        try eventually { try office.count("SELECT count(*) FROM jobs.dead") == 1 }
        let status = try office.delivery(invitation.id, by: inviter)
        #expect(status == "failed")
        try eventually { try office.log().contains("job discarded; it will not be retried") }
        let log = try office.log()
        #expect(!log.contains("job failed; it will be retried"))
        let metrics = try metrics(at: port)
        #expect(metrics.contains(Self.ended + "\"dead\"} 1"))
        #expect(!metrics.contains(Self.ended + "\"retry\"} 1"))
    }

    @Test("a message whose deadline passes expires, and log and metrics report it")
    func expired() throws {
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        _ = try office.invite("someone@example.org", by: inviter)
        try office.execute("UPDATE jobs.live SET not_after = clock_timestamp()")
        let port = try FreePort.find()
        let worker = try worker(["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        try eventually {
            try office.count("SELECT count(*) FROM jobs.history WHERE outcome = 'expired'") == 1
        }
        try eventually { try office.log().contains("\"job expired before it was completed\"") }
        #expect(try metrics(at: port).contains(Self.ended + "\"expired\"} 1"))
    }

    private static let ended = "hearth_jobs_ended_total{kind=\"mail.invitation\",outcome="

    /// The worker's metrics once the job of an invitation's mail has ended.
    private func metrics(at port: Int) throws -> String {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        var metrics = ""
        // Metrics are served a moment after the work has begun.
        try eventually {
            metrics = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            return metrics.contains(Self.ended)
        }
        return metrics
    }
}
