import Configuration
import FamilySettings
import Postgres
import TestSupport
import Testing

@testable import UseCases

@Suite("Upkeep")
struct UpkeepTests {
    /// The default retention of a worker, with the settings of an environment.
    private static func retention(_ environment: [String: String] = [:]) throws -> Retention {
        Retention(
            try SettingsReader(
                environment: environment, knownSettings: HearthSettings.retention, configPath: nil
            ).read(HearthSettings.retention))
    }

    /// Adds two lines of the usage log and one rate limit window that are old enough to purge.
    private static func makeOld(_ test: TestDatabase) throws {
        try Connection(test.settings()).execute(
            script: """
                INSERT INTO app.family_code_usage_log (action, at)
                    SELECT 'rejected', now() - interval '91 days' FROM generate_series(1, 2);
                INSERT INTO app.rate_limits (bucket, window_start, hits)
                    VALUES ('old', now() - interval '2 days', 1);
                """)
    }

    @Test("a purge that fails is reported by name and does not stop the others")
    func oneFails() throws {
        try TestDatabase.with(.migrated) { test in
            try Self.makeOld(test)
            try Connection(test.settings()).execute(
                script: """
                    REVOKE EXECUTE ON FUNCTION
                        app.purge_code_usage_log(interval, integer, timestamptz) FROM hearth_worker;
                    """)
            let pool = Pool(test.settings(as: "hearth_worker"))
            defer { pool.close() }
            var counts: [ExpireAndPurge.Object: Int] = [:]
            let error = #expect(throws: UpkeepError.self) {
                try ExpireAndPurge(pool, Self.retention()).purge(
                    shouldStop: { false }, report: { counts[$0, default: 0] += $1 })
            }
            #expect(error?.object == .codeUsageLog)
            #expect(error?.debugDescription.contains("permission denied") == true)
            #expect(counts == [.rateLimits: 1])
        }
    }

    @Test("a purge drops one partition after another until no old ones are left")
    func parts() throws {
        try TestDatabase.with(.migrated) { test in
            try Connection(test.settings()).execute(
                script: (1...3).map {
                    """
                    CREATE TABLE app.audit_log_20200\($0) PARTITION OF app.audit_log
                        FOR VALUES FROM ('2020-0\($0)-01Z') TO ('2020-0\($0 + 1)-01Z');
                    ALTER TABLE app.audit_log_20200\($0) OWNER TO hearth_owner;
                    CREATE TABLE jobs.history_2020010\($0) PARTITION OF jobs.history
                        FOR VALUES FROM ('2020-01-0\($0)Z') TO ('2020-01-0\($0 + 1)Z');
                    ALTER TABLE jobs.history_2020010\($0) OWNER TO hearth_owner;
                    """
                }.joined())
            let pool = Pool(test.settings(as: "hearth_worker"))
            defer { pool.close() }
            let retention = try Self.retention([
                "HEARTH_KEEP_AUDIT_DAYS": "90", "HEARTH_KEEP_UNEXPORTED_AUDIT": "off",
            ])
            var counts: [ExpireAndPurge.Object: Int] = [:]
            _ = try ExpireAndPurge(pool, retention).purge(
                shouldStop: { false }, report: { counts[$0, default: 0] += $1 })
            #expect(counts[.unexportedAuditMonths] == 3 && counts[.jobHistoryDays] == 3)
        }
    }

    @Test("a purge stops between batches when asked to, and reports what it has done")
    func stops() throws {
        try TestDatabase.with(.migrated) { test in
            try Self.makeOld(test)
            let pool = Pool(test.settings(as: "hearth_worker"))
            defer { pool.close() }
            var asked = 0
            var counts: [ExpireAndPurge.Object: Int] = [:]
            let isWhole = try ExpireAndPurge(pool, Self.retention()).purge(
                shouldStop: {
                    asked += 1
                    // Invitations, codes, and one batch of the log, which has one row.
                    return asked > 3
                }, report: { counts[$0, default: 0] += $1 })
            #expect(!isWhole && counts == [.codeUsageLog: 1])
        }
    }

    @Test("a purge tries an unreachable database once, not once for each kind")
    func away() throws {
        var settings = try ConnectionSettings(
            url: "postgresql://hearth_worker@127.0.0.1:1/hearth")
        settings.connectTimeoutSeconds = 5
        let pool = Pool(settings)
        defer { pool.close() }
        let error = #expect(throws: UpkeepError.self) {
            try ExpireAndPurge(pool, Self.retention()).purge(
                shouldStop: { false }, report: { _, _ in })
        }
        #expect(error?.object == .closedInvitations && error?.isUnreachable == true)
    }
}
