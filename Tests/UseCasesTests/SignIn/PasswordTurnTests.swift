import Domain
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Signing in by password under load")
struct PasswordTurnTests {
    @Test("a sign-in above the limit of concurrent hashes is refused without a query")
    func busy() throws {
        let entry = try UseCaseDatabase()
        let passwords = PasswordHashing()
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        let service = SignInService(entry.database, keys, passwords)
        let email = try #require(EmailAddress("nobody@example.org"))
        func attempt() throws {
            _ = try service.signIn(email, password: "a guess", device: nil, from: .somewhere())
        }
        var turns: [Any] = []
        #expect(throws: PasswordsBusy.self) {
            for _ in 0..<100 { turns.append(try passwords.turn()) }
        }
        #expect(throws: PasswordsBusy.self) { try attempt() }
        // An attempt that was counted and then released would have left a row.
        #expect(try entry.count("SELECT count(*) FROM app.rate_limits") == 0)
        turns = []
        #expect(try refusal { try attempt() } == .invalidCredentials)
        #expect(try entry.count("SELECT count(*) FROM app.rate_limits") == 3)
    }
}
