import Foundation
import MailSupport
import TestSupport
import Testing

@Suite("The programs' metrics")
struct MetricsTests {
    @Test("metrics name the running version, and labels follow Prometheus's conventions")
    func build() throws {
        let texts = try Self.metrics()
        for text in texts {
            let line = text.split(separator: "\n").first { $0.hasPrefix("hearth_build_info{") }
            let info = try #require(line)
            #expect(info.contains("version=\"") && info.contains("revision=\""))
            #expect(info.contains("swift_version=\"6.") && info.hasSuffix("} 1"))
            for label in text.matches(of: /[{,]([A-Za-z0-9_]+)="([^"]*)"/) {
                #expect(label.output.1.wholeMatch(of: /[a-z_]+/) != nil, "\(label.output.0)")
                // Routes and their parameters are spelled as in the API.
                if label.output.1 == "route" || label.output.1 == "method" { continue }
                #expect(label.output.2.wholeMatch(of: /[^A-Z]*|\+Inf/) != nil, "\(label.output.0)")
            }
        }
    }

    @Test("the API and the worker return OpenMetrics to a client that accepts nothing else")
    func openMetrics() throws {
        let office = try PostOffice()
        let port = try FreePort.find()
        let worker = try office.worker(nil, ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        let api = try APIProcess(office)
        try FreePort.awaitListener(on: port, by: worker)
        for address in ["\(api.url)/metrics", "http://127.0.0.1:\(port)/metrics"] {
            for (type, ending) in [
                ("application/openmetrics-text", "# EOF\n"), ("text/plain", "\n"),
            ] {
                let answer = try api.open("GET", address, accepting: type)
                #expect(answer.status == 200, "\(address), \(type)")
                #expect(answer.contentType?.hasPrefix(type + ";") == true)
                #expect(answer.text.hasSuffix(ending))
                #expect(answer.text.contains("# EOF") == (type != "text/plain"))
            }
        }
    }

    @Test("a worker is ready, and alive but not ready while its database is unreachable")
    func readiness() throws {
        let server = try PrivateServer()
        let office = try PostOffice(on: try server.settings)
        let port = try FreePort.find()
        let worker = try office.worker(nil, ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        let api = try APIProcess(office)
        try FreePort.awaitListener(on: port, by: worker)
        func open(_ path: String, _ method: String = "GET") throws -> (status: Int, text: String) {
            let answer = try api.open(method, "http://127.0.0.1:\(port)\(path)")
            return (answer.status, answer.text)
        }
        try eventually { try open("/readyz") == (200, #"{"status":"ready"}"#) }
        server.kill()
        try eventually { try open("/readyz") == (503, #"{"status":"database_away"}"#) }
        #expect(try open("/healthz") == (200, #"{"status":"ok"}"#))
        #expect(try open("/metrics").status == 200)
        #expect(try open("/elsewhere").status == 404)
        #expect(try open("/readyz", "POST").status == 405)
        try server.start()
        try eventually { try open("/readyz").status == 200 }
    }

    @Test("promtool reports no problem with the metrics", .enabled(if: Promtool.path != nil))
    func promtool() throws {
        for text in try Self.metrics() { #expect(try Promtool.remarks(on: text) == "") }
    }

    @Test("the metrics and the kinds of jobs are exactly those of the lists")
    func names() throws {
        let texts = try Self.metrics()
        func listed(_ list: String) -> Set<String> {
            Set(list.split { $0 == " " || $0 == "\n" }.map(String.init))
        }
        let metrics = Set(
            texts.flatMap { $0.matches(of: #/# TYPE (hearth_\w+) /#).map { String($0.output.1) } })
        #expect(metrics.symmetricDifference(listed(Self.names)).sorted() == [])
        let kinds = Set(
            texts.flatMap {
                $0.matches(of: /hearth_jobs_ended_total\{kind="([^"]+)"/)
                    .map { String($0.output.1) }
            })
        #expect(kinds.symmetricDifference(listed(Self.jobKinds)).sorted() == [])
    }

    /// Names of all metrics but those of standbys and signing keys, which a process without them
    /// does not have. Written by hand, so that a renaming by mistake fails the test.
    private static let names = """
        hearth_answers_waited_out_total hearth_automatic_approval hearth_build_info
        hearth_code_alarms_total hearth_code_failures_total hearth_code_joins_held_total
        hearth_database_reachable hearth_doctor_age_seconds hearth_doctor_findings
        hearth_http_request_duration_seconds
        hearth_http_requests_total hearth_http_responses_total
        hearth_issuer_keys_ignored_total hearth_job_duration_seconds hearth_jobs
        hearth_jobs_ended_total hearth_jobs_oldest_ready_seconds hearth_jobs_reclaimed_total
        hearth_jobs_stale_results_total hearth_keys_pending_total
        hearth_log_lines_dropped_total hearth_mails_total hearth_oldest_transaction_seconds
        hearth_passkeys_copied_total hearth_policy_refusals_total hearth_pool_in_use
        hearth_pool_waiting hearth_provider_sign_ins_total hearth_purged_total
        hearth_queue_failing hearth_queue_paused
        hearth_queue_paused_seconds hearth_rate_limit_refusals_total
        hearth_trace_spans_total
        hearth_read_cache_bytes hearth_read_cache_total
        hearth_refresh_tokens_reused_total hearth_sign_in_events_lost_total
        hearth_webhook_deliveries_pending
        hearth_webhook_endpoints hearth_webhooks_total hearth_worker_leases_lost_total
        hearth_worker_listening hearth_wrong_codes hearth_wrong_codes_usual
        """

    /// Kinds of all jobs, which are stored in queues and named in operators' commands.
    private static let jobKinds = """
        mail.account_erased mail.address_changing mail.admin_changed mail.consent_code
        mail.deletion_code
        mail.graduated mail.graduation_started mail.guardian_named mail.guardian_removed
        mail.guardian_replaced mail.identity_added mail.identity_removed mail.invitation
        mail.join_requested mail.member_removed mail.operator_passkey mail.passkey_added
        mail.passkey_synced mail.password_changed mail.password_set mail.request_approved
        mail.account_blocked mail.request_in_other_role mail.request_rejected
        mail.session_reused
        mail.sign_in_linked mail.ticket mail.waiting_ended provider.revoke upkeep.examine
        upkeep.expire upkeep.purge webhook.deliver webhook.keep
        """

    /// The metrics of a running API and a running worker, after requests and jobs.
    private static func metrics() throws -> [String] {
        let office = try PostOffice()
        let port = try FreePort.find()
        let worker = try office.worker(nil, ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        let api = try APIProcess(office, ["HEARTH_READ_CACHE": "33554432"])
        try eventually { try api.send("GET", "/readyz").status == 200 }
        try FreePort.awaitListener(on: port, by: worker)
        let address = "http://127.0.0.1:\(port)/metrics"
        try eventually { try api.open("GET", address).text.contains("hearth_jobs{") }
        return [try api.send("GET", "/metrics").text, try api.open("GET", address).text]
    }
}

/// Prometheus's own check of metrics, where it is installed (Debian's package prometheus).
private enum Promtool {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Problems that promtool reports; empty if there are none.
    static func remarks(on metrics: String) throws -> String {
        guard let path else { return "" }
        let (input, output) = (Pipe(), Pipe())
        let process = try Subprocess(
            path, ["check", "metrics"], input: .pipe(input), output: .pipe(output),
            errors: .pipe(output))
        let remarks = inBackground { output.fileHandleForReading.readDataToEndOfFile() }
        input.fileHandleForWriting.write(Data(metrics.utf8))
        try input.fileHandleForWriting.close()
        try process.wait()
        let text = String(decoding: try remarks.wait(), as: UTF8.self)
        return process.exitCode == 0 ? text : "\(process.exitCode): \(text)"
    }
}
