/// The actions that the policy decides about.
package enum Action: UInt8, Sendable, CaseIterable {
    case familyCreate
    case familyRead
    case familyUpdate
    case codeRead
    case codeRegenerate
    case codeJoin
    case codePreview
    case memberList
    /// Who was a member.
    case memberListRemoved
    /// E-mail addresses of members, and where the family is at home.
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
    /// Invites a child to have an account of its own.
    case managedGraduate
    case guardianAdd
    case guardianRemove
    case guardianPromote
    case actAs
    case profileRead
    case profileUpdate
    /// The caller's own account, with everything that is known of the person.
    case userErase
    /// A copy of everything that is stored about the caller and the children that it guards.
    case userExport
    /// Sessions, and the ways in.
    case accountManage
    case preferencesRead
    case preferencesWrite
    case consentRead
    case consentGive
    case consentWithdraw
    case playerDetailsRead
    case playerDetailsWrite
    case auditRead
    /// What apps keep about the family.
    case attributesRead
    case attributesWrite
}
