import Basics
import Domain
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Connections of sign-ins")
struct SignInConnectionTests {
    private let entry: UseCaseDatabase
    private let own: Pool
    private let database: Database

    init() throws {
        entry = try UseCaseDatabase()
        var settings = Pool.Settings()
        settings.size = 1
        own = Pool(entry.test.settings(as: "hearth_api"), settings)
        database = entry.database.preferring(own)
    }

    private func attempt() throws {
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        _ = try SignInService(database, keys).signIn(
            #require(EmailAddress("nobody@example.org")), password: "a guess", device: nil,
            from: .somewhere())
    }

    @Test("a sign-in uses the connections of sign-ins while one is free, and members' otherwise")
    func ownConnections() throws {
        #expect(try refusal { try attempt() } == .invalidCredentials)
        #expect(own.statistics.opened == 1 && entry.database.pool.statistics.opened == 0)
        let outcome = try own.withConnection { _ in try refusal { try attempt() } }
        #expect(outcome == .invalidCredentials)
        #expect(own.statistics.opened == 1 && entry.database.pool.statistics.opened == 1)
        own.close()
    }

    @Test("a sign-in whose own connection can't be opened uses an open one of members")
    func refusedConnection() throws {
        let absent = Pool(try ConnectionSettings(url: "postgresql:///none?host=/nonexistent"))
        let database = entry.database.preferring(absent)
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        func attempt() throws { try SignInService(database, keys).requireResetLink("a guess") }
        // Without an open connection, the failure is reported.
        let error = #expect(throws: PostgresError.self) { try attempt() }
        #expect(error?.code == .connectionFailed)
        try entry.database.pool.withConnection { try $0.execute(script: "SELECT") }
        #expect(try refusal { try attempt() } == .codeExpired)
    }

    @Test("the log of sign-ins writes the events of a moment together, and the last ones at a stop")
    func together() throws {
        let email = try #require(EmailAddress("log@example.org"))
        try entry.asSuperuser(
            "INSERT INTO app.users (email, email_verified) VALUES (\(email.text), true)")
        let log = SignInLog(
            entry.database.pool, preferring: own, onDrop: { _ in }, onFailure: { _ in })
        let client = SignInLog.Client(.somewhere(), browser: nil)
        for _ in 0..<16 {
            log.add(.failed, by: .password, of: .address(email), from: client)
            MonotonicClock.pause(seconds: 0.002)
        }
        log.stop(deadlineSeconds: 60)
        #expect(try entry.count("SELECT count(*) FROM app.sign_ins_log") == 16)
        #expect(try entry.count("SELECT count(DISTINCT xmin::text) FROM app.sign_ins_log") <= 8)
    }
}
