import Domain
import UseCases

extension OperatorRefusal {
    private static let seat = "On the family's page, use 'Change the Parent Admin'."

    /// Buttons and fields that lead on, by the code of the refusal.
    private static let advice: [String: String] = [
        RefusalCode.accountBlocked.rawValue: "On the person's page, 'Unblock' lifts the block.",
        RefusalCode.noVerifiedAddress.rawValue:
            "On the person's page, 'Change the address' gives it one.",
        RefusalCode.operatorRoleStands.rawValue:
            "At the command line, hearth-admin operator remove takes the role away.",
        RefusalCode.parentAdminExists.rawValue: seat,
        RefusalCode.transferAdminFirst.rawValue: seat,
        OperatorRefusalCode.addressSuppressed.rawValue:
            "On the page Mail, 'Allow e-mail to an address' allows it again.",
        OperatorRefusalCode.noInviter.rawValue:
            "On the family's page, use 'Add a member'.",
    ]

    /// Whether the operator may not do this, or no longer, which was not known when the request was
    /// admitted.
    var isBarred: Bool { isEndOfSession || isProhibition }
    var isEndOfSession: Bool { reason == OperatorRefusalCode.notAnOperator.rawValue }
    var isProhibition: Bool { reason == OperatorRefusalCode.roleDoesNotAllow.rawValue }

    private static let lastGuardian =
        "This member is the only guardian of a child. Choose the new guardian of the member's "
        + "children."

    /// The sentence, followed by the console's button or field that leads on, if there is one.
    ///
    /// - Parameter guardianSentence: Sentence of the operation if a child would have no guardian,
    ///   in place of the general one.
    func advisedSentence(_ guardianSentence: String? = nil) -> String {
        if reason == RefusalCode.guardianHasManagedMembers.rawValue {
            return guardianSentence ?? Self.lastGuardian
        }
        return Self.advice[reason].map { "\(sentence) \($0)" } ?? sentence
    }
}
