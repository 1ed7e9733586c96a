/// The actions that the policy decides about.
package enum Action: UInt8, Sendable, CaseIterable {
    case familyCreate
    case familyRead
    case familyUpdate
    case codeRead
    case codeRegenerate
    case codeJoin
    case codePreview
    /// Joins by a code at once, without waiting for the family's approval.
    case codeEnter
    case memberList
    /// Lists former members.
    case memberListRemoved
    /// Reads members' e-mail addresses and the family's location.
    case emailRead
    case memberRemove
    case memberLeave
    case memberSetRole
    case memberApprove
    case adminTransfer
    case invitationCreate
    case invitationList
    case invitationRevoke
    case invitationResend
    case invitationPreview
    case invitationAccept
    case invitationDecline
    case managedCreate
    case managedUpdate
    case managedRemove
    case managedReassign
    /// Invites a child to get an account of its own.
    case managedGraduate
    case guardianAdd
    case guardianRemove
    case guardianPromote
    case actAs
    case profileRead
    case profileUpdate
    /// Erases the caller's own account, with all data about the person.
    case userErase
    /// Exports all data about the caller and the children it is a guardian of.
    case userExport
    /// Manages the caller's sessions and sign-in methods.
    case accountManage
    case preferencesRead
    case preferencesWrite
    case consentRead
    case consentGive
    case consentWithdraw
    case playerDetailsRead
    case playerDetailsWrite
    case auditRead
    /// Reads the attributes that apps store about the family.
    case attributesRead
    case attributesWrite
}

extension Action {
    /// The name in documents, and in the audit log if the action is recorded there.
    package var name: String {
        switch self {
        case .familyCreate: "family.create"
        case .familyRead: "family.read"
        case .familyUpdate: "family.update"
        case .codeRead: "code.read"
        case .codeRegenerate: "code.regenerate"
        case .codeJoin: "code.join"
        case .codePreview: "code.preview"
        case .codeEnter: "code.enter"
        case .memberList: "member.list"
        case .memberListRemoved: "member.list_removed"
        case .emailRead: "email.read"
        case .memberRemove: "member.remove"
        case .memberLeave: "member.leave"
        case .memberSetRole: "member.set_role"
        case .memberApprove: "member.approve"
        case .adminTransfer: "admin.transfer"
        case .invitationCreate: "invitation.create"
        case .invitationList: "invitation.list"
        case .invitationRevoke: "invitation.revoke"
        case .invitationResend: "invitation.resend"
        case .invitationPreview: "invitation.preview"
        case .invitationAccept: "invitation.accept"
        case .invitationDecline: "invitation.decline"
        case .managedCreate: "managed.create"
        case .managedUpdate: "managed.update"
        case .managedRemove: "managed.remove"
        case .managedReassign: "managed.reassign"
        case .managedGraduate: "managed.graduate"
        case .guardianAdd: "guardian.add"
        case .guardianRemove: "guardian.remove"
        case .guardianPromote: "guardian.promote"
        case .actAs: "act_as"
        case .profileRead: "profile.read"
        case .profileUpdate: "profile.update"
        case .userErase: "user.erase"
        case .userExport: "user.export"
        case .accountManage: "account.manage"
        case .preferencesRead: "preferences.read"
        case .preferencesWrite: "preferences.write"
        case .consentRead: "consent.read"
        case .consentGive: "consent.give"
        case .consentWithdraw: "consent.withdraw"
        case .playerDetailsRead: "player_details.read"
        case .playerDetailsWrite: "player_details.write"
        case .auditRead: "audit.read"
        case .attributesRead: "attributes.read"
        case .attributesWrite: "attributes.write"
        }
    }
}
