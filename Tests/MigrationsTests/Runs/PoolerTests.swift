import Foundation
import Postgres
import TestSupport
import Testing

@testable import Migrations

@Suite("Runner behind a pooler")
struct PoolerTests {
    @Test(
        "a runner that is behind a pooler refuses to work", .enabled(if: PgBouncer.isInstalled),
        arguments: PgBouncer.Mode.allCases)
    func refuses(mode: PgBouncer.Mode) throws {
        let folder = try TestFolder(["0001_a.sql": "CREATE TABLE t ();"])
        try TestDatabase.with(.empty) { database in
            let pooler = try PgBouncer(database.settings(), mode: mode)
            let settings = try pooler.settings(database.settings())
            let error = #expect(throws: MigrationError.self) {
                try MigrationRunner(settings, folder.read(), report: { _ in }).up()
            }
            #expect(error?.code == .pooler)
            #expect(error?.message.hasPrefix("a connection pooler answers at ") == true)
            #expect(try !database.hasRelation("t"))
        }
    }
}
