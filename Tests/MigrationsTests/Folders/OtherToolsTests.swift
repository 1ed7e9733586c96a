import Migrations
import TestSupport
import Testing

/// Folders written for other tools. Their down migrations never run.
@Suite("Folders of other tools")
struct OtherToolsTests {
    /// The table in its original state, with all its rows.
    private let untouched = ["index users_pkey", "rows \(Fixture.rows)"]

    @Test("goose files run up to their Down marker, honour annotations, and produce a warning")
    func goose() throws {
        let outcome = try Fixture("goose").apply()
        #expect(outcome.error == nil)
        #expect(
            outcome.applied == [
                "00001_create_users.sql", "00002_lowercase_emails.sql",
                "00003_index_users_email.sql",
            ])
        #expect(
            outcome.found == [
                "index users_email", "index users_pkey", "rows \(Fixture.rows)",
                "trigger lowercase_email",
            ])
        #expect(
            outcome.warnings == [
                "statements below the Down marker are not run: 00001_create_users.sql, "
                    + "00002_lowercase_emails.sql, 00003_index_users_email.sql"
            ])
    }

    @Test("dbmate files run up to migrate:down, and outside a transaction if they are marked so")
    func dbmate() throws {
        let outcome = try Fixture("dbmate").apply()
        #expect(outcome.error == nil)
        #expect(outcome.applied.count == 2)
        #expect(
            outcome.found == ["index users_email", "index users_pkey", "rows \(Fixture.rows)"])
        #expect(outcome.warnings.count == 1)
    }

    @Test("golang-migrate's .up.sql files run, and its .down.sql files are skipped with a warning")
    func golangMigrate() throws {
        let outcome = try Fixture("golang-migrate").apply()
        #expect(outcome.error == nil)
        #expect(outcome.applied == ["000001_create_users.up.sql", "000002_add_city.up.sql"])
        #expect(outcome.found == untouched)
        #expect(
            outcome.warnings == [
                "down migrations (.down.sql) are not run: 000001_create_users.down.sql, "
                    + "000002_add_city.down.sql, 000003_only_down.down.sql"
            ])
    }

    @Test(
        "a file named as a down migration doesn't run, in any letter case",
        arguments: [
            ("0002_a.Down.sql", ".down.sql"), ("0002_a.undo.sql", ".undo.sql"),
            ("0002_a.revert.sql", ".revert.sql"), ("0002_a.ROLLBACK.SQL", ".rollback.sql"),
        ])
    func downSuffix(_ name: String, _ ending: String) throws {
        let folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE t ();", name: "DROP TABLE t;",
            "0002_rollback.sql": "SELECT 1;",
        ])
        try TestDatabase.with(.empty) { database in
            let events = Events()
            let applied = try folder.up(database, events: events)
            #expect(applied == ["0001_a.sql", "0002_rollback.sql"])
            #expect(try database.hasRelation("t"))
            #expect(events.warnings == ["down migrations (\(ending)) are not run: \(name)"])
            #expect(try folder.verify(database) == nil)
        }
    }

    @Test(
        "files that only another tool supports are refused by name, with advice",
        arguments: [
            (
                "flyway",
                [
                    "R__Active_users.sql: a repeatable", "U1__Create_users.sql: an undo",
                    "V1.1__Add_city.sql: a migration of Flyway",
                    "V1__Create_users.sql: a migration of Flyway",
                    "V2__Index_email.sql: a migration of Flyway",
                    "V2__Index_email.sql.conf: a setting", "afterMigrate.sql: a callback",
                ]
            ),
            (
                "liquibase",
                [
                    "0001_create_users.sql:1: `--liquibase formatted sql`",
                    "0001_create_users.sql:3: `--changeset jane:create-users`",
                    "0001_create_users.sql:8: `--rollback DROP TABLE users;`",
                    "0002_tidy_users.sql:3: `-- rollback`",
                ]
            ),
            (
                "tern",
                [
                    "001_create_users.sql:6: `---- create above / drop below ----`",
                    "002_index_users_email.sql:1: `---- tern: disable-tx ----`",
                    "002_index_users_email.sql:3: `---- create above / drop below ----`",
                ]
            ),
            (
                "sql-migrate",
                ["1_create_users.sql:1: `-- +migrate Up`"]
            ),
            ("node-pg-migrate", ["1704110400000_create-users.sql:4: `-- Down Migration`"]),
            ("aerich", ["1_20240101120000_create_users.sql:6: `-- downgrade --`"]),
            ("diesel", ["20240101120000_create_users"]),
            ("sqitch", ["sqitch.plan"]),
            ("sqitch/deploy", ["users.sql: a change of Sqitch"]),
            ("sqitch/revert", ["users.sql: a change of Sqitch"]),
            ("sqitch/verify", ["users.sql: a change of Sqitch"]),
        ])
    func refused(_ name: String, _ expected: [String]) throws {
        let outcome = try Fixture(name).apply()
        let details = outcome.error?.details ?? []
        #expect(outcome.applied.isEmpty)
        #expect(outcome.found == untouched)
        for beginning in expected {
            #expect(details.contains { $0.hasPrefix(beginning) }, "\(beginning): \(details)")
        }
    }
}
