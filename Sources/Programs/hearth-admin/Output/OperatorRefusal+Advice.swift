import Domain
import UseCases

extension OperatorRefusal {
    /// Commands and options that lead on, by the code of the refusal.
    private static let advice: [String: String] = [
        RefusalCode.accountBlocked.rawValue: "'hearth-admin user unblock' lifts the block.",
        RefusalCode.codeExpired.rawValue:
            "'hearth-admin family code --regenerate' makes a new one.",
        RefusalCode.guardianHasManagedMembers.rawValue:
            "Name the new guardian with --reassign-managed-to MEMBER, or with 'hearth-admin "
            + "managed guardians --add MEMBER'.",
        RefusalCode.noVerifiedAddress.rawValue:
            "'hearth-admin user set-address' gives it one.",
        RefusalCode.operatorRoleStands.rawValue:
            "'hearth-admin operator remove' takes the role away.",
        RefusalCode.parentAdminExists.rawValue:
            "'hearth-admin family transfer-admin' moves the seat.",
        RefusalCode.transferAdminFirst.rawValue:
            "'hearth-admin family transfer-admin' moves the seat.",
        OperatorRefusalCode.addressSuppressed.rawValue:
            "'hearth-admin mail unsuppress' allows it again.",
        OperatorRefusalCode.noInviter.rawValue: "'hearth-admin member add' adds a member.",
        OperatorRefusalCode.operatorExists.rawValue:
            "'hearth-admin operator role' changes the role.",
        OperatorRefusalCode.operatorNotFound.rawValue:
            "'hearth-admin operator list' lists operators.",
    ]

    /// The refusal with the command or option that leads on, if there is one.
    var withAdvice: OperatorRefusal {
        Self.advice[reason].map { adding($0) } ?? self
    }
}
