import Domain
import Foundation
import TestSupport
import Testing

@testable import API
@testable import HearthClient
import Policy

@Suite("Error codes")
struct ErrorCodeTests {
    /// The codes of the server, with their statuses.
    private static let served: [String: Int] = Dictionary(
        uniqueKeysWithValues: ProblemCode.allCases.map { ($0.rawValue, $0.status) })

    // The client may know more: an app meets servers of other releases.
    @Test("include all of the server's")
    func same() {
        let known = Set(ErrorCode.allCases.filter { $0 != .unrecognized }.map(\.rawValue))
        let missing = Set(Self.served.keys).subtracting(known).sorted()
        #expect(missing == [], "add these to ErrorCode.swift and ErrorCode+NextStep.swift")
    }

    @Test("what an app does next fits the status")
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

    @Test("the Hearth in memory refuses with the statuses and messages of a real one")
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
        // Consent is asked of nobody there.
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

    @Test("one that a later server gives survives, and its status says what an app does next")
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
