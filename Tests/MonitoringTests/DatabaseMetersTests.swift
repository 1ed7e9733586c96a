import Glibc
import Monitoring
import Postgres
import Telemetry
import Synchronization
import TestSupport
import Testing
import Basics

@Suite("Metrics of the database")
struct DatabaseMetersTests {
    /// Runs `body` with metrics read from a database and with the log's text.
    private func asking<Value>(
        _ settings: ConnectionSettings, _ body: (Metrics, () -> String) throws -> Value
    ) throws -> Value {
        let metrics = Metrics()
        let lines = Lines()
        let log = Log(level: .debug, format: .json) { lines.add($0) }
        let pool = Pool(settings)
        let meters = DatabaseMeters(metrics, pool, log)
        #expect(!metrics.text().contains("hearth_jobs"))
        meters.start()
        defer {
            meters.stop()
            pool.close()
        }
        return try body(metrics, { lines.text })
    }

    @Test(
        "metrics show jobs by queue and state, the oldest due job and the oldest transaction",
        arguments: ["hearth_api", "hearth_worker"])
    func told(role: String) throws {
        try TestDatabase.with(.migrated) { database in
            let owner = try Connection(database.settings())
            try owner.execute(
                script: """
                    SELECT jobs.enqueue('mail', 'test.one', NULL, '{}', 1::smallint,
                        clock_timestamp() - interval '1 hour');
                    SELECT jobs.enqueue('mail', 'test.one', NULL, '{}', 1::smallint,
                        clock_timestamp() + interval '1 hour');
                    SELECT jobs.enqueue('other', 'test.one', NULL, '{}', 1::smallint, NULL);
                    WITH gone AS (DELETE FROM jobs.live WHERE queue = 'other' RETURNING *)
                    INSERT INTO jobs.dead (id, queue, kind, priority, attempt, max_attempts, crashes,
                            run_at, payload, last_error)
                        SELECT id, queue, kind, priority, attempt, max_attempts, crashes, run_at,
                            payload, 'no' FROM gone;
                    """)
            try owner.execute(script: "BEGIN; SELECT 1")
            let text = try asking(database.settings(as: role)) { metrics, _ in
                try eventually { metrics.text().contains("hearth_jobs{") }
                return metrics.text()
            }
            for line in [
                #"hearth_jobs{queue="mail",state="ready"} 2"#,
                #"hearth_jobs{queue="mail",state="running"} 0"#,
                #"hearth_jobs{queue="upkeep",state="ready"} 0"#,
                #"hearth_jobs{queue="other",state="dead"} 1"#,
                #"hearth_jobs_oldest_ready_seconds{queue="upkeep"} 0"#,
                "hearth_database_reachable 1", "hearth_pool_waiting 0",
            ] {
                #expect(text.contains("\n\(line)\n"), "\(line) in \(text)")
            }
            #expect(value(#"hearth_jobs_oldest_ready_seconds{queue="mail"}"#, in: text) >= 3600)
            let oldest = value("hearth_oldest_transaction_seconds", in: text)
            #expect(oldest > 0 && oldest < 60)
        }
    }

    @Test("metrics show wrong codes; the log shows when required approval begins and ends")
    func guessing() throws {
        try TestDatabase.with(.migrated) { database in
            let owner = try Connection(database.settings())
            try owner.execute(
                script: """
                    INSERT INTO app.wrong_codes (minute, shard, codes)
                        SELECT date_trunc('minute', now(), 'UTC'), shard, 40
                        FROM generate_series(0, 1) AS shard;
                    INSERT INTO app.automatic_approval (began_at, lasts_until)
                        VALUES (now(), now() + interval '5 minutes');
                    """)
            try asking(database.settings(as: "hearth_worker")) { metrics, log in
                try eventually { metrics.text().contains("\nhearth_automatic_approval 1\n") }
                #expect(metrics.text().contains("\nhearth_wrong_codes_usual 0\n"))
                #expect(value("hearth_wrong_codes", in: metrics.text()) > 0)
                try eventually { log().contains("wrong codes make every family require approval") }
                #expect(log().contains(#""limit":60"#))
                try owner.execute(
                    script:
                        "UPDATE app.automatic_approval SET lasts_until = now() + interval '1 ms'")
                try eventually { metrics.text().contains("\nhearth_automatic_approval 0\n") }
                try eventually {
                    log().contains("wrong codes no longer make approval necessary")
                }
            }
        }
    }

    @Test("metrics show doctor's findings by area, and the age of the oldest daily examination")
    func doctor() throws {
        try TestDatabase.with(.migrated) { database in
            let owner = try Connection(database.settings())
            try owner.execute(
                script: """
                    UPDATE app.doctor_results SET findings = 3,
                        examined_at = now() - interval '3 days' WHERE area = 'data';
                    INSERT INTO app.doctor_results (area, findings, examined_at)
                        VALUES ('rights', 2, now() - interval '9 days');
                    """)
            let text = try asking(database.settings(as: "hearth_api")) { metrics, _ in
                try eventually { metrics.text().contains("hearth_doctor_findings{") }
                return metrics.text()
            }
            for line in [
                #"hearth_doctor_findings{area="data"} 3"#,
                #"hearth_doctor_findings{area="addresses"} 0"#,
                #"hearth_doctor_findings{area="rights"} 2"#,
                #"hearth_doctor_findings{area="schema"} 0"#,
            ] {
                #expect(text.contains("\n\(line)\n"), "\(line) in \(text)")
            }
            let age = value("hearth_doctor_age_seconds", in: text)
            #expect(age >= 3 * 86_400 && age < 3 * 86_400 + 600)
        }
    }

    /// Connection settings for a server that never answers, with a timeout.
    private func settings(
        _ deaf: DeafServer, connectTimeoutSeconds seconds: Int
    ) throws -> ConnectionSettings {
        var settings = try ConnectionSettings(
            url: "postgresql://hearth_api@127.0.0.1:\(deaf.port)/hearth?sslmode=disable")
        settings.connectTimeoutSeconds = seconds
        return settings
    }

    @Test("a database that does not respond is reported as unreachable")
    func silent() throws {
        let deaf = try DeafServer()
        try asking(settings(deaf, connectTimeoutSeconds: 2)) { metrics, log in
            try eventually { metrics.text().contains("\nhearth_database_reachable 0\n") }
            #expect(!metrics.text().contains("hearth_jobs"))
            try eventually { log().contains("could not read the database metrics") }
        }
        withExtendedLifetime(deaf) {}
    }

    @Test("reading metrics does not wait for a database that does not answer")
    func waiting() throws {
        let deaf = try DeafServer()
        try asking(settings(deaf, connectTimeoutSeconds: 600)) { metrics, log in
            try eventually { deaf.isCalled }
            // If reading had waited for the database, the text would show whether it was reachable.
            #expect(!metrics.text().contains("hearth_database_reachable"))
            deaf.hangUp()
            try eventually { metrics.text().contains("\nhearth_database_reachable 0\n") }
            try eventually { log().contains("could not read the database metrics") }
        }
    }

    private func value(_ series: String, in text: String) -> Double {
        let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Double($0.dropFirst(series.count + 1)) } ?? -1
    }
}

/// Collects the lines of a log.
private final class Lines: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    func add(_ line: [UInt8]) { bytes.withLock { $0 += line } }
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// A port of this machine that accepts connections and never sends anything.
private final class DeafServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(bound)
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Whether a client waits for a reply.
    var isCalled: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 1
    }

    /// Ends the connections.
    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit { close(descriptor) }
}
