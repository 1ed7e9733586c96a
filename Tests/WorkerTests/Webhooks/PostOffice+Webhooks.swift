import Foundation
import MailSupport
import TestSupport
import Testing

extension PostOffice {
    /// Runs `hearth-admin` with `--json`; returns its exit code and the object that it printed.
    func admin(_ words: String...) throws -> (code: Int32, fields: [String: Any]) {
        let program = try ChildProgram(
            Self.program("hearth-admin"), words + ["--json"],
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo", "HEARTH_SECRET_KEY": Self.secret,
            ])
        let output = try program.wholeOutput()
        let document = try? JSONSerialization.jsonObject(with: output)
        return (program.exitCode, document as? [String: Any] ?? [:])
    }

    /// Runs `hearth-admin webhook add`; returns its exit code and its standard error.
    func addingWebhook(_ url: String, loopback: Bool = false) throws -> (
        code: Int32, errors: String
    ) {
        let errors = Pipe()
        let program = try ChildProgram(
            Self.program("hearth-admin"), ["webhook", "add", url],
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo", "HEARTH_SECRET_KEY": Self.secret,
                "HEARTH_WEBHOOK_LOOPBACK": loopback ? "on" : "off",
            ], errors: errors.fileHandleForWriting)
        _ = try program.wholeOutput()
        try errors.fileHandleForWriting.close()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (program.exitCode, text)
    }

    /// Adds a webhook, which may be on this machine.
    func addWebhook(_ url: String, _ types: String...) throws -> (id: String, secret: String) {
        let program = try ChildProgram(
            Self.program("hearth-admin"),
            ["webhook", "add", url, "--json"] + types.flatMap { ["--event", $0] },
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo", "HEARTH_SECRET_KEY": Self.secret,
                "HEARTH_WEBHOOK_LOOPBACK": "on",
            ])
        let fields =
            try JSONSerialization.jsonObject(with: program.wholeOutput()) as? [String: String]
        return (try #require(fields?["id"]), try #require(fields?["secret"]))
    }

    /// Starts a worker that may send to this machine.
    func webhookWorker(
        log: String = "log", _ more: [String: String] = [:]
    ) throws -> ChildProgram {
        try worker(
            nil, log: log, ["HEARTH_WEBHOOK_LOOPBACK": "on"].merging(more) { $1 })
    }

    /// Number of deliveries in a state.
    func deliveries(_ state: String) throws -> Int {
        try count("SELECT count(*) FROM app.webhook_deliveries WHERE state = \(state)")
    }

    /// Makes every waiting webhook delivery due now.
    func hurryWebhooks() throws {
        try execute(
            """
            UPDATE app.webhook_endpoints SET retry_at = clock_timestamp() WHERE failures > 0
            """)
        try execute(
            """
            UPDATE jobs.live SET run_at = clock_timestamp()
            WHERE queue = 'webhooks' AND state = 'ready' AND run_at > clock_timestamp()
            """)
        try execute("SELECT pg_notify('hearth_jobs', 'webhooks')")
    }

    /// Waits until no delivery is pending, and keeps making waiting ones due.
    func awaitDeliveries(within seconds: Double = 120) throws {
        try eventually(within: seconds) {
            try hurryWebhooks()
            return try deliveries("pending") == 0
        }
    }
}
