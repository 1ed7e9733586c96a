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
        database = Database(entry.database.pool, preferring: own)
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
}
