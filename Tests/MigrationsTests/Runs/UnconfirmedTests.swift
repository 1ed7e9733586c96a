import Migrations
import Postgres
import TestSupport
import Testing

@Suite("Runs while the synchronous standby is away")
struct UnconfirmedTests {
    private let standby: AwayStandby
    private let database: TestDatabase
    private let folder: TestFolder

    init() throws {
        let server = try PrivateServer()
        standby = AwayStandby(of: try server.settings)
        database = try TestDatabase(.empty, on: server.settings)
        folder = try TestFolder([
            "0001_a.sql": "CREATE TABLE a (id int);",
            "0002_b.sql": "-- hearth: no-transaction\nCREATE INDEX CONCURRENTLY a_id ON a (id);",
        ])
        self.server = server
    }

    private let server: PrivateServer

    @Test("an unconfirmed `up` exits with 75 after each file, even if no file is pending")
    func up() throws {
        try standby.set(away: true)
        for _ in 0..<3 {
            let failure = try #require(try folder.failure(database))
            #expect(failure.code == .unconfirmed, "\(failure)")
            #expect(failure.code.exitCode == 75)
        }
        try standby.set(away: false)
        #expect(try folder.up(database) == [])
    }

    @Test("an unconfirmed baseline exits with 75 even if it already exists")
    func baseline() throws {
        let version = try #require(folder.read().files.first).version
        func set() throws {
            _ = try Baseline.set(
                database.settings(), folder.read(), version: version, lockWaitSeconds: 60
            ) { _ in }
        }
        try set()
        try standby.set(away: true)
        let failure = #expect(throws: MigrationError.self) { try set() }
        #expect(failure?.code == .unconfirmed)
        try standby.set(away: false)
        try set()
    }

    @Test("the wait for a commit ends at its limit, and no session keeps waiting")
    func bound() throws {
        try standby.set(away: true, givesUp: false)
        let failure = try folder.failure(database) { $0.limits.commitWaitSeconds = 0.5 }
        #expect(failure?.code == .unconfirmed)
        try standby.awaitNoWaiter()
        try standby.set(away: false)
        #expect(try folder.up(database) == ["0002_b.sql"])
    }
}
