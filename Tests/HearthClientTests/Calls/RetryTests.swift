import Foundation
import Synchronization
import Testing

@testable import HearthClient

@Suite("Retries", .timeLimit(.minutes(10)))
struct RetryTests {
    private let server: LiveServer
    private let proxy: FaultyProxy

    init() throws {
        server = try LiveServer.shared()
        proxy = try FaultyProxy(to: server.port)
    }

    /// Returns a client whose requests go through the proxy, without pauses between attempts.
    private func person(_ policy: RetryPolicy = RetryPolicy()) throws -> Hearth {
        let token = try server.token(
            id: UUID(), email: "\(UUID())@example.com", name: "Pat", role: .parent)
        let url = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
        var hearth = Hearth(url, credentials: BearerToken(token), policy: policy)
        hearth.pause = { _ in }
        return hearth
    }

    @Test("a change is made once if its response is lost or cut off, or the request arrives twice")
    func once() async throws {
        let hearth = try person()
        proxy.next(.dropAnswer, .truncateAnswer, .dropRequest, .repeatRequest)
        let family = try await hearth.createAnotherFamily(named: "The Terns")
        #expect(proxy.requests == 4)
        #expect(try await hearth.families().map(\.id) == [family.id])
    }

    @Test("a read is retried, and after some attempts fails with an error that has a next step")
    func reads() async throws {
        let hearth = try person()
        proxy.next(.dropRequest, .truncateAnswer)
        _ = try await hearth.families()
        #expect(proxy.requests == 3)
        proxy.faults { _ in .dropRequest }
        do {
            _ = try await hearth.families()
            Issue.record("it was answered")
        } catch let error as HearthError {
            #expect(error.nextStep == .retry && error.code == nil)
            #expect(error.message == "Connection error. Please try again.")
        }
        // At least seven: on a reused connection curl resends a request by itself.
        #expect(proxy.requests >= 7)
    }

    @Test("a cancelled call ends at once and throws CancellationError")
    func cancelled() async throws {
        let hearth = try person()
        let arrived = Mutex<CheckedContinuation<Void, Never>?>(nil)
        proxy.faults { _ in
            arrived.withLock { $0 }?.resume()
            return .delayAnswer(seconds: 60)
        }
        let task = Mutex<Task<[Family], any Error>?>(nil)
        await withCheckedContinuation { continuation in
            arrived.withLock { $0 = continuation }
            task.withLock { $0 = Task { try await hearth.families() } }
        }
        let running = try #require(task.withLock { $0 })
        let clock = ContinuousClock()
        let start = clock.now
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(clock.now - start < .seconds(45))
    }

    @Test("calls succeed again after the server restarts")
    func restart() async throws {
        let own = try LiveServer()
        let token = try own.token(id: UUID(), email: "a@example.com", name: "A", role: .parent)
        var hearth = Hearth(own.url, credentials: BearerToken(token))
        let pauses = Mutex(0)
        hearth.pause = { _ in
            if pauses.withLock({
                $0 += 1; return $0
            }) == 2 {
                try own.restart()
            }
        }
        _ = try await hearth.families()
        own.kill()
        _ = try await hearth.createFamily(named: "Gulls")
        #expect(pauses.withLock { $0 } == 2)
        withExtendedLifetime(own) {}
    }

    @Test("retry pauses grow up to a bound, are drawn at random, and honour Retry-After")
    func policy() {
        let policy = RetryPolicy()
        #expect(policy.delaySeconds(attempts: 1, chance: 1) == 0.4)
        #expect(policy.delaySeconds(attempts: 2, chance: 1) == 0.8)
        #expect(policy.delaySeconds(attempts: 2, chance: 0.5) == 0.4)
        #expect(policy.delaySeconds(attempts: 3, chance: 0) == 0)
        #expect(policy.delaySeconds(attempts: 4, chance: 0) == nil)
        #expect(policy.delaySeconds(attempts: 1, retryAfterSeconds: 3, chance: 1) == 3.4)
        #expect(policy.delaySeconds(attempts: 1, retryAfterSeconds: 300, chance: 0) == nil)
        let patient = RetryPolicy(maximumAttempts: .max)
        #expect(patient.delaySeconds(attempts: 1_000_000, chance: 1) == 10)
        #expect(RetryPolicy.never.delaySeconds(attempts: 1, chance: 0) == nil)
    }

    @Test("a rate limit that ends far in the future fails at once, with the time to wait")
    func limits() async throws {
        let hearth = try person()
        let code = try #require(FamilyCode(typed: "QQQQQ0"))
        for _ in 0..<5 { _ = try await refusal { _ = try await hearth.previewCode(code) } }
        do {
            _ = try await hearth.previewCode(code)
            Issue.record("there is no limit")
        } catch let error as HearthError {
            guard case .refused(let problem) = error else { throw error }
            #expect(problem.code == .tooManyAttempts && problem.nextStep == .wait)
            #expect((problem.retryAfterSeconds ?? 0) > 10)
        }
        #expect(proxy.requests == 6)
    }

    @Test("a refused token is replaced once, and the call succeeds")
    func tokens() async throws {
        let good = try server.token(
            id: UUID(), email: "\(UUID())@example.com", name: "Pat", role: .parent)
        let asked = Mutex(0)
        let hearth = Hearth(
            server.url,
            credentials: BearerToken {
                asked.withLock {
                    $0 += 1; return $0
                } == 1 ? "bad" : good
            })
        _ = try await hearth.families()
        #expect(asked.withLock { $0 } == 2)
        let stranger = Hearth(server.url, credentials: BearerToken("bad"))
        #expect(try await refusal { _ = try await stranger.families() } == .invalidToken)
        let nobody = Hearth(server.url, credentials: BearerToken.none)
        #expect(try await refusal { _ = try await nobody.families() } == .notSignedIn)
    }
}
