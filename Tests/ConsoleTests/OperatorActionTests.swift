import DomainCore
import Policy
import Testing

@Suite("Actions of operators")
struct OperatorActionTests {
    /// What each role may do to a person who is no operator.
    private static let supported: Set<OperatorAction> = [
        .resendInvitation, .revokeInvitation, .approveMember, .endSessions, .block, .unblock,
        .clearLimits, .retryJob,
    ]

    @Test(
        "each role may do what the table says, to each kind of account",
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
