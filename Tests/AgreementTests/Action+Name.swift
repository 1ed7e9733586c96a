import Policy

extension Action {
    /// The name that the written table uses.
    var name: String {
        switch self {
        case .familyCreate: "family.create"
        case .familyRead: "family.read"
        case .familyUpdate: "family.update"
        case .codeRead: "code.read"
        case .codeRegenerate: "code.regenerate"
        case .codeJoin: "code.join"
        case .codePreview: "code.preview"
        case .memberList: "member.list"
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
        case .actAs: "act_as"
        case .profileRead: "profile.read"
        case .profileUpdate: "profile.update"
        case .preferencesRead: "preferences.read"
        case .preferencesWrite: "preferences.write"
        case .playerDetailsRead: "player_details.read"
        case .playerDetailsWrite: "player_details.write"
        case .auditRead: "audit.read"
        }
    }
}
