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

    @Test("a code of a later server keeps its name, and its status determines the next step")
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
