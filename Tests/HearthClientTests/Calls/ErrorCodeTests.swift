import Domain
import Foundation
import TestSupport
import Testing

@testable import API
@testable import HearthClient
import Policy

@Suite("Error codes")
struct ErrorCodeTests {
    /// Codes of the server with their statuses.
    private static let served: [String: Int] = Dictionary(
        uniqueKeysWithValues: ProblemCode.allCases.map { ($0.rawValue, $0.status) })

    // The client may know more codes: apps also meet servers of other releases.
    @Test("the client knows every code of the server")
    func same() {
        let known = Set(ErrorCode.allCases.filter { $0 != .unrecognized }.map(\.rawValue))
        let missing = Set(Self.served.keys).subtracting(known).sorted()
        #expect(missing == [], "add these to ErrorCode.swift and ErrorCode+NextStep.swift")
    }

    @Test("the next step of each code fits its status")
    func steps() throws {
        for (code, status) in Self.served {
            let step = try #require(ErrorCode(rawValue: code)).nextStep
            switch status {
            case 401: #expect(step == .signIn, "\(code)")
            case 429: #expect(step == .wait, "\(code)")
            case 503: #expect(step == .retry, "\(code)")
            default: #expect(step != .retry || code == "idempotency_key_in_use", "\(code)")
            }
        }
        #expect(Set(ErrorCode.allCases.map(\.nextStep)) == Set(NextStep.allCases))
    }

    @Test("the in-memory Hearth refuses with the server's statuses and messages")
    func inMemory() throws {
        let folder = SourceTree.root.appendingPathComponent("Sources/Client/HearthClient/InMemory")
        var sources = ""
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            sources += try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        }
        let names = sources.matches(of: /(?:InMemoryRefusal\(|unlessNotAdult: |[?:] )\.(\w+)/)
            .map { String($0.1) }
        let thrown = ErrorCode.allCases.filter {
            $0 != .unrecognized && names.contains("\($0)")
        }
        // The in-memory Hearth asks for no consents.
        let decided = RefusalCode.ofPolicy.subtracting([.consentRequired])
            .compactMap { ErrorCode(rawValue: $0.rawValue) }
        #expect(thrown.count > 25)
        for code in Set(thrown + decided) {
            let refusal = InMemoryRefusal(code)
            let served = try #require(ProblemCode(rawValue: code.rawValue))
            #expect(refusal.status == served.status, "\(code)")
            if !refusal.message.hasPrefix("This was refused"),
                let refused = RefusalCode(rawValue: code.rawValue)
            {
                #expect(refusal.message == refused.response.message, "\(code)")
            }
        }
    }

    @Test("each refusal has the error table's message, and in Spanish the message of the pages")
    func sentences() throws {
        for refusal in RefusalCode.allCases {
            let code = try #require(ErrorCode(rawValue: refusal.rawValue))
            #expect(code.sentence(in: "en-GB") == refusal.response.message, "\(code)")
            #expect(
                code.sentence(in: "es-MX") == SpanishFamilyTexts.sentence(for: refusal).text,
                "\(code)")
        }
        for code in ErrorCode.allCases {
            #expect(!code.sentence(in: "fr").isEmpty && !code.sentence(in: "es").isEmpty)
            #expect(code.sentence(in: "fr") != code.sentence(in: "es"), "\(code)")
        }
    }

    @Test("an error has a localized message, and keeps its code when bridged to NSError")
    func localized() throws {
        let response = APIResponse(
            status: 409,
            body: Data(#"{"code": "family_full", "message": "Full up.", "requestId": "r7"}"#.utf8))
        let error = HearthError.refused(try #require(Problem(response)))
        #expect(error.message == "Full up." && error.message(in: "en-US") == "Full up.")
        #expect(error.message(in: "es") == "Esta familia está completa.")
        #expect((error as any Error).localizedDescription == error.errorDescription)
        let native = error as NSError
        #expect(native.domain == "HearthError" && native.code == 409)
        #expect(native.userInfo["HearthErrorCode"] as? String == "family_full")
        #expect(native.userInfo["HearthRequestID"] as? String == "r7")
        let others: [HearthError] = [
            .unreachable(reason: "x"), .unexpectedAnswer(status: 502, detail: "x"), .signedOut,
            .storage(reason: "x"), .signInFailed(underlying: CocoaError(.fileNoSuchFile)),
        ]
        for other in others {
            #expect(other.message(in: "es") != other.message(in: "en"))
            #expect(other.errorDescription?.isEmpty == false)
        }
        #expect(Set(others.map(\.errorCode)).count == others.count)
    }

    private struct NoNetwork: Error {}

    /// Returns the error of a call whose token closure throws the given one.
    private func thrown(_ error: any Error) async -> (any Error)? {
        let hearth = Hearth(
            InMemoryHearth(), credentials: BearerToken { throw error }, policy: .never)
        do {
            _ = try await hearth.profile()
            return nil
        } catch {
            return error
        }
    }

    @Test("an error from a token closure is thrown as signInFailed, a cancellation unchanged")
    func tokenClosures() async throws {
        guard case HearthError.signInFailed(let underlying)? = await thrown(NoNetwork()) else {
            Issue.record("not wrapped")
            return
        }
        #expect(underlying is NoNetwork)
        #expect(HearthError.signInFailed(underlying: NoNetwork()).nextStep == .signIn)
        #expect(HearthError.signInFailed(underlying: URLError(.timedOut)).nextStep == .retry)
        #expect(await thrown(CancellationError()) is CancellationError)
        guard case HearthError.signedOut? = await thrown(HearthError.signedOut) else {
            Issue.record("wrapped twice")
            return
        }
        let account = Account(
            Hearth(InMemoryHearth(), credentials: BearerToken.none), storage: MemoryStorage(),
            provider: { throw NoNetwork() }, now: { Date() })
        do {
            _ = try await account.accessToken()
            Issue.record("a token without a provider")
        } catch HearthError.signInFailed(let underlying) {
            #expect(underlying is NoNetwork)
        }
    }

    /// Credentials and a storage of an app, which fail.
    private struct Failing: Credentials, SessionStorage {
        var token: String?

        func accessToken() async throws -> String? {
            if let token { return token }
            throw NoNetwork()
        }

        func replacement(for refused: String) async throws -> String? { throw NoNetwork() }
        func load() throws -> Data? { throw NoNetwork() }
        func save(_ data: Data) throws { throw NoNetwork() }
        func remove() throws { throw NoNetwork() }
    }

    @Test("errors of an app's own credentials and storage are thrown as HearthError")
    func ownCredentials() async throws {
        // The second has a token that Hearth refuses, and can't replace it.
        for credentials in [Failing(), Failing(token: "unknown")] {
            let hearth = Hearth(InMemoryHearth(), credentials: credentials, policy: .never)
            do {
                _ = try await hearth.profile()
                Issue.record("a profile without a token")
            } catch HearthError.signInFailed(let underlying) {
                #expect(underlying is NoNetwork)
            }
        }
        let account = Account(
            Hearth(InMemoryHearth(), credentials: BearerToken.none), storage: Failing(),
            now: { Date() })
        do {
            _ = try await account.session
            Issue.record("a session without a storage")
        } catch HearthError.storage(let reason) {
            #expect(reason.contains("NoNetwork"))
        }
    }

    @Test("a newer server's unknown error code is preserved, and the status determines nextStep")
    func later() throws {
        let response = APIResponse(
            status: 409, headers: ["Retry-After": "7"],
            body: Data(#"{"code": "moon_is_full", "message": "Wait.", "requestId": "r"}"#.utf8))
        let problem = try #require(Problem(response))
        #expect(problem.code == .unrecognized && problem.rawCode == "moon_is_full")
        #expect(problem.nextStep == .resolve && problem.message == "Wait.")
        #expect(problem.retryAfterSeconds == 7 && problem.requestID == "r")
    }
}
