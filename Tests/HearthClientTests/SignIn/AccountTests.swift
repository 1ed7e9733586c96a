import Foundation
import Synchronization
import Testing

@testable import HearthClient

@Suite(
    "Sign-in, against a real server", .enabled(if: LiveServer.serves("/api/auth/exchange")),
    .timeLimit(.minutes(10)))
struct AccountTests {
    private let server: LiveServer
    private let proxy: FaultyProxy

    init() throws {
        server = try LiveServer.shared()
        proxy = try FaultyProxy(to: server.port)
    }

    private func providerToken() throws -> ProviderToken {
        ProviderToken(
            try server.token(
                id: UUID(), email: "\(UUID())@example.com", name: "Ada", role: .parent))
    }

    /// Returns an account behind the proxy, whose clock can be set.
    private func account(
        _ storage: any SessionStorage = MemoryStorage(), clock: TestClock = TestClock(),
        provider: (@Sendable () async throws -> ProviderToken?)? = nil
    ) throws -> Account {
        let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
        var hearth = Hearth(url, credentials: BearerToken.none)
        hearth.pause = { _ in }
        return Account(
            hearth, storage: storage, device: "A test", provider: provider, now: { clock.now })
    }

    private func hearth(_ account: Account) throws -> Hearth {
        Hearth(
            try #require(URL(string: "http://127.0.0.1:\(proxy.port)")), credentials: account)
    }

    @Test("a provider's token begins a session, which the next launch restores")
    func exchange() async throws {
        let storage = MemoryStorage()
        let account = try account(storage)
        await #expect(throws: HearthError.self) { _ = try await hearth(account).profile() }
        var states = await account.states.makeAsyncIterator()
        #expect(await states.next() == .signedOut)
        let signedIn = try await account.signIn(with: try providerToken())
        #expect(signedIn.isNew && signedIn.profile?.fullName == "Ada")
        #expect(await states.next() == .signedIn(signedIn.session.userID))
        let next = try self.account(storage)
        #expect(try await hearth(next).profile().id == signedIn.session.userID)
        #expect(try await next.session == signedIn.session)
        #expect(!"\(signedIn.session)".contains(signedIn.session.accessToken))
    }

    @Test("each URL for opening a page contains a new ticket")
    func page() async throws {
        let account = try account(MemoryStorage())
        _ = try await account.signIn(with: try providerToken())
        let first = try await hearth(account).pageAddress("/family/new")
        #expect(first.path == "/continue" && first.query?.hasPrefix("ticket=") == true)
        #expect(try await hearth(account).pageAddress() != first)
        let error = await #expect(throws: HearthError.self) {
            try await hearth(account).pageAddress("//evil.example")
        }
        #expect(error?.code == .invalidField)
    }

    @Test("an account with a provider begins a session automatically")
    func provider() async throws {
        let token = try providerToken()
        let account = try account { token }
        #expect(try await hearth(account).profile().fullName == "Ada")
        #expect(try await account.session != nil)
    }

    @Test("fifty requests with an expiring token cause one refresh, even if its response is lost")
    func once() async throws {
        let clock = TestClock()
        let account = try account(clock: clock)
        let first = try await account.signIn(with: try providerToken()).session
        clock.advance(by: 9.5 * 60)
        let refreshes = Mutex(0)
        proxy.faults { target in
            guard target == "/api/auth/refresh" else { return .none }
            return refreshes.withLock {
                $0 += 1
                return $0 == 1 ? .dropAnswer : .none
            }
        }
        let hearth = try hearth(account)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try await hearth.families() } }
            try await group.waitForAll()
        }
        // Two requests: one whose response was lost, and its retry.
        #expect(refreshes.withLock { $0 } == 2)
        let second = try #require(try await account.session)
        #expect(second.id == first.id && second.accessToken != first.accessToken)
        #expect(second.refreshToken != first.refreshToken)
    }

    @Test("a session that ended elsewhere ends here with the next request")
    func ended() async throws {
        let storage = MemoryStorage()
        let account = try account(storage)
        let session = try await account.signIn(with: try providerToken()).session
        let other = try self.account(MemoryStorage(session.data))
        try await other.signOut()
        do {
            _ = try await hearth(account).profile()
            Issue.record("the session goes on")
        } catch let error as HearthError {
            #expect(error.nextStep == .signIn)
        }
        #expect(try await account.session == nil && storage.load() == nil)
        try await account.signOut()
    }

    @Test("signing out offline ends the local session, online also the server's session")
    func signOut() async throws {
        let account = try account()
        let session = try await account.signIn(with: try providerToken()).session
        proxy.faults { _ in .dropRequest }
        await #expect(throws: HearthError.self) { try await account.signOut() }
        #expect(try await account.session == nil)
        proxy.faults { _ in .none }
        let back = try self.account(MemoryStorage(session.data))
        _ = try await hearth(back).profile()
        try await back.signOut()
        let token = BearerToken(session.accessToken)
        let refused = try await refusal {
            _ = try await Hearth(server.url, credentials: token).profile()
        }
        #expect(refused != nil)
    }

    @Test("a token that is still valid is used while the server can't be reached")
    func away() async throws {
        let clock = TestClock()
        let account = try account(clock: clock)
        let session = try await account.signIn(with: try providerToken()).session
        clock.advance(by: 9.5 * 60)
        proxy.faults { $0 == "/api/auth/refresh" ? .dropRequest : .none }
        #expect(try await account.accessToken() == session.accessToken)
        clock.advance(by: 60)
        await #expect(throws: HearthError.self) { _ = try await account.accessToken() }
        #expect(try await account.session == session)
    }
}

/// A clock that tests set.
private final class TestClock: Sendable {
    private let time = Mutex(Date())
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

extension MemoryStorage {
    fileprivate convenience init(_ data: Data) {
        self.init()
        save(data)
    }
}
