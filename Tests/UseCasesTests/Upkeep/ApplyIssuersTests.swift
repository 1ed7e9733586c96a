import Postgres
import TestSupport
import Testing
import Basics
import UseCases

@Suite("Applying issuers")
struct ApplyIssuersTests {
    private func issuer(_ name: String, audience: String) -> ApplyIssuers.TrustedIssuer {
        .init(
            name: name, kind: "generic", isPrimary: false, confirmsEmails: false,
            audiences: [audience], tokenUse: nil)
    }

    @Test("the database trusts exactly the issuers applied last")
    func replaces() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings(as: "hearth_admin"))
            let apply = ApplyIssuers(connection, as: .named("jo"))
            let first = try apply([issuer("https://a.test", audience: "x")])
            let second = try apply([
                issuer("https://b.test", audience: "x"), issuer("https://c.test", audience: "y"),
            ])
            let third = try apply([issuer("https://b.test", audience: "z")])
            #expect(first == [] && second == ["https://a.test"] && third == ["https://c.test"])
            let left = try connection.query("SELECT issuer, audiences FROM app.trusted_issuers")
                .map { (row) throws(PostgresError) in
                    [try row.read(String.self)] + (try row.read([String].self))
                }
            #expect(left == [["https://b.test", "z"]])
        }
    }

    @Test("applying issuers finishes once no standby in use shows the former list")
    func held() throws {
        try TestDatabase.with(.migrated) { database in
            try Connection(database.settings()).query(
                """
                INSERT INTO app.standby_readers (id, number, standbys, renewed_at)
                VALUES (gen_random_uuid(), 1, '{7}', now() + interval '55 seconds')
                """)
            let connection = try Connection(database.settings(as: "hearth_admin"))
            let began = MonotonicClock.nanoseconds()
            _ = try ApplyIssuers(connection, as: .named("jo"))([])
            #expect(MonotonicClock.seconds(since: began) >= StandbyTiming().holdSeconds)
        }
    }

    @Test("applying issuers of one origin keeps the issuers of other origins")
    func origins() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings(as: "hearth_admin"))
            let apply = ApplyIssuers(connection, as: .named("jo"))
            let (a, b) = ("https://a.test", "https://b.test")
            let hearth = ApplyIssuers.TrustedIssuer(
                name: "https://hearth.test", kind: "hearth", isPrimary: false,
                confirmsEmails: false, audiences: ["hearth"], tokenUse: nil)
            _ = try apply([issuer(a, audience: "x"), hearth])
            #expect(try apply([issuer(b, audience: "x")], replacing: [.provider]) == [a])
            #expect(try apply([], replacing: [.hearth]) == [hearth.name])
            #expect(try apply([hearth], replacing: [.hearth]) == [])
            #expect(try apply([issuer(b, audience: "x")], replacing: []) == [])
            let left = try connection.query("SELECT issuer FROM app.trusted_issuers ORDER BY 1")
                .map { (row) throws(PostgresError) in try row.read(String.self) }
            #expect(left == [b, hearth.name])
        }
    }

    @Test("each issuer that is added, changed or removed adds one audit row")
    func trail() throws {
        try TestDatabase.with(.migrated) { database in
            let connection = try Connection(database.settings(as: "hearth_admin"))
            let (a, b) = ("https://a.test", "https://b.test")
            let apply = ApplyIssuers(connection, as: .named("jo"))
            _ = try apply([issuer(a, audience: "x"), issuer(b, audience: "x")])
            _ = try apply([issuer(a, audience: "x"), issuer(b, audience: "x")])
            _ = try apply([issuer(b, audience: "y")])
            _ = try ApplyIssuers(connection, as: nil)([])
            let rows = try connection.query(
                """
                SELECT concat_ws(' ', actor_label, action, details ->> 'issuer',
                    details ->> 'changed') FROM app.audit_log ORDER BY at
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            #expect(
                Set(rows) == [
                    "operator:jo issuer.add \(a)", "operator:jo issuer.add \(b)",
                    "operator:jo issuer.remove \(a)",
                    "operator:jo issuer.change \(b) [\"audiences\"]",
                    "sql:hearth_admin issuer.remove \(b)",
                ])
            #expect(rows.count == 5)
        }
    }

    @Test("the role of the API can't apply issuers")
    func notTheAPI() throws {
        try TestDatabase.with(.migrated) { database in
            let apply = ApplyIssuers(
                try Connection(database.settings(as: "hearth_api")), as: nil)
            let error = #expect(throws: PostgresError.self) {
                try apply([issuer("https://a.test", audience: "x")])
            }
            #expect(error?.sqlState == .insufficientPrivilege)
        }
    }
}
