import Policy

/// The sections of the pages of families, each with the action whose rule decides who sees it, for
/// `docs/permissions.md`.
enum FamilySections {
    static let all: [(page: String, name: String, action: Action)] = [
        ("`/family`", "name and members", .memberList),
        ("`/family`", "code", .codeRead),
        ("`/family`", "renew the code", .codeRegenerate),
        ("`/family`", "approve", .memberApprove),
        ("`/family`", "reject and remove", .memberRemove),
        ("`/family`", "change a role, claim or give the seat", .memberSetRole),
        ("`/family`", "transfer the seat", .adminTransfer),
        ("`/family`", "pending invitations", .invitationList),
        ("`/family`", "leave", .memberLeave),
        ("`/family/invite`", "invite", .invitationCreate),
        ("`/family/invite`", "send again, new link", .invitationResend),
        ("`/family/invite`", "revoke", .invitationRevoke),
        ("`/family/child`", "add", .managedCreate),
        ("`/family/child`", "name and picture", .managedUpdate),
        ("`/family/child`", "add a guardian", .guardianAdd),
        ("`/family/child`", "remove a guardian", .guardianRemove),
        ("`/family/child`", "make primary", .guardianPromote),
        ("`/family/child`", "consents", .consentRead),
        ("`/family/child`", "preferences", .preferencesWrite),
        ("`/family/child`", "an account of its own", .managedGraduate),
        ("`/family/child`", "remove the child", .managedRemove),
        ("`/family/activity`", "all", .auditRead),
        ("`/family/settings`", "all", .familyUpdate),
    ]
}
