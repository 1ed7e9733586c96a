import Domain
import UseCases

extension OperatorRefusal {
    private static let seat = "On the family's page, use 'Change the Parent Admin'."

    /// Buttons and fields that lead on, by the code of the refusal.
    private static let advice: [String: String] = [
        RefusalCode.accountBlocked.rawValue: "On the person's page, 'Unblock' lifts the block.",
        RefusalCode.guardianHasManagedMembers.rawValue:
            "Choose the new guardian of the member's children.",
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

    /// The sentence, followed by the console's button or field that leads on, if there is one.
    ///
    /// - Parameter advice: Advice for the operation, in place of the general one.
    func advisedSentence(_ advice: String? = nil) -> String {
        guard let advice = advice ?? Self.advice[reason] else { return sentence }
        return "\(sentence) \(advice)"
    }
}
