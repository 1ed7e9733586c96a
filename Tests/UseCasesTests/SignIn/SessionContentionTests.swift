import Domain
import Foundation
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Sessions under contention")
struct SessionContentionTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    /// Number of runs of each race.
    private static let rounds =
        ProcessInfo.processInfo.environment["HEARTH_TEST_RACES"].flatMap { Int($0) } ?? 3

    private static func keys() throws -> SignInKeys {
        try SignInKeys([[UInt8](repeating: 9, count: 32)])
    }

    private func refresh(_ token: String, _ keys: SignInKeys) throws -> SignedIn {
        try SignInService(entry.database, keys).refresh(token)
    }

    private func atOnce(
        _ count: Int, _ body: @escaping @Sendable (Int) throws -> SignedIn
    ) throws -> [Result<SignedIn, any Error>] {
        onThreads(count) { try body($0) }
    }

    @Test("fifty concurrent refreshes with one token all return the same next token")
    func rotation() throws {
        let (entry, keys) = (try entry, try Self.keys())
        for _ in 0..<Self.rounds {
            let begun = try SignInService(entry.database, keys).exchange(
                by: RequestContext.person(), device: nil)
            let answers = try atOnce(50) { _ in try refresh(begun.refreshToken, keys) }
                .map { try $0.get() }
            #expect(Set(answers.map(\.refreshToken)).count == 1)
            let next = try refresh(answers[0].refreshToken, keys)
            #expect(next.session == begun.session)
            let generation = try entry.count(
                """
                SELECT generation FROM app.refresh_tokens
                WHERE session_id = \(begun.session.rawValue)
                """)
            #expect(generation == 2)
        }
    }

    @Test("fifty concurrent uses of an outdated token are refused and cause one e-mail")
    func reuse() throws {
        let (entry, keys) = (try entry, try Self.keys())
        for _ in 0..<Self.rounds {
            let begun = try SignInService(entry.database, keys).exchange(
                by: RequestContext.person(), device: nil)
            let first = try refresh(begun.refreshToken, keys)
            let second = try refresh(first.refreshToken, keys)
            _ = try refresh(second.refreshToken, keys)
            let codes = try atOnce(50) { _ in try refresh(begun.refreshToken, keys) }
                .map { answer -> RefusalCode? in
                    guard case .failure(let error as Refusal) = answer else { return nil }
                    return error.code
                }
            #expect(codes.allSatisfy { $0 == .sessionEnded })
            let mails = try entry.count(
                """
                SELECT count(*) FROM jobs.live WHERE kind = 'mail.session_reused'
                    AND payload ->> 'recipient' = \(begun.user.description)
                """)
            #expect(mails == 1)
        }
    }

    @Test("programs with the old and the new key order agree while keys are rotated")
    func rotatedKeys() throws {
        let entry = try entry
        let (a, b) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let (old, new, only) = (
            try SignInKeys([a, b]), try SignInKeys([b, a]), try SignInKeys([b])
        )
        let begun = try SignInService(entry.database, old).exchange(
            by: RequestContext.person(), device: nil)
        let answers = try atOnce(20) { index in
            try refresh(begun.refreshToken, index.isMultiple(of: 2) ? old : new)
        }.map { try $0.get() }
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        // The newest token is accepted even where its key has been removed.
        let next = try refresh(answers[0].refreshToken, only)
        #expect(next.session == begun.session)
        // It is recognised two generations later, with any keys for the two.
        #expect(try refresh(begun.refreshToken, new).refreshToken == next.refreshToken)
        _ = try refresh(next.refreshToken, new)
        let stolen = try refusal { _ = try refresh(begun.refreshToken, new) }
        #expect(stolen == .sessionEnded)
    }

    @Test("signing out ends the session, even in a race with a refresh")
    func signOut() throws {
        let (entry, keys) = (try entry, try Self.keys())
        for _ in 0..<Self.rounds {
            let caller = RequestContext.person()
            let begun = try SignInService(entry.database, keys).exchange(by: caller, device: nil)
            _ = onThreads(8) { index in
                if index == 3 {
                    try SignInService(entry.database, keys).signOut(begun.refreshToken)
                } else {
                    _ = try refresh(begun.refreshToken, keys)
                }
            }
            let session = RequestContext(
                Caller(
                    .init(id: begun.session, account: begun.user),
                    issuer: "https://family.test", signedInAt: 0))
            let told = try refusal { _ = try ProfileService(entry.database).profile(by: session) }
            #expect(told == .sessionEnded)
        }
    }
}
