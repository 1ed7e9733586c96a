import DomainCore
import Foundation
import Policy
import TestSupport
import Testing

@Suite("Actions of operators")
struct OperatorActionTests {
    /// Actions of support on a person who is no operator.
    private static let supported: Set<OperatorAction> = [
        .resendInvitation, .revokeInvitation, .approveMember, .endSessions, .block, .unblock,
        .clearLimits, .sendReset, .retryJob,
    ]

    /// Returns the rows of the table of roles in docs/console.md.
    static func documentedRoles() throws -> [(action: String, role: String)] {
        let page = try String(
            contentsOf: SourceTree.root.appendingPathComponent("docs/console.md"), encoding: .utf8)
        return page.matches(of: /(?m)^\| `([a-z_.]+)` \| (\w+) \|$/).map {
            (String($0.1), String($0.2))
        }
    }

    @Test("docs/console.md names the lowest role of each action")
    func documented() throws {
        let rows = try Self.documentedRoles().map { "\($0.action) \($0.role)" }
        #expect(rows == OperatorAction.allCases.map { "\($0.rawValue) \($0.role.rawValue)" })
    }

    @Test("the actions that a stolen cookie must not suffice for need a fresh proof, and no others")
    func freshProof() {
        let actions = OperatorAction.allCases.filter(\.needsFreshProof)
        #expect(
            Set(actions) == [.setAddress, .exportUser, .eraseUser, .rotateWebhook, .removeWebhook])
    }

    @Test(
        "each role may perform exactly its own actions on each kind of account",
        arguments: OperatorAction.allCases)
    func cells(_ action: OperatorAction) {
        for role in OperatorRole.allCases {
            for target in OperatorTarget.allCases {
                let expected =
                    switch (action, role, target) {
                    case (.read, _, _): true
                    case (_, _, .oneself): false
                    case (_, .viewer, _): false
                    case (_, .support, .person): Self.supported.contains(action)
                    case (_, .support, .otherOperator): false
                    case (_, .admin, _): true
                    }
                #expect(
                    decide(action, role, on: target) == expected,
                    "\(action) by \(role) on \(target)")
            }
        }
    }
}
