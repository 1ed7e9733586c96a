import Domain
import Foundation
import Testing

@testable import API
@testable import HearthClient

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
