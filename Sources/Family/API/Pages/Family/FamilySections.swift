import Policy

/// The sections of the pages of families, each with the action whose rule decides who sees it, for
/// `docs/permissions.md`.
enum FamilySections {
    struct Section {
        let page: String
        let name: String
        let action: Action
        /// Facts that are never true of a request from this section. A clause that requires one of
        /// them does not apply here.
        let impossible: Facts

        init(_ page: String, _ name: String, _ action: Action, never impossible: Facts = []) {
            self.page = page
            self.name = name
            self.action = action
            self.impossible = impossible
        }
    }

    static let all = [
        Section("`/family`", "name and members", .memberList),
        Section("`/family`", "code", .codeRead),
        Section("`/family`", "renew the code", .codeRegenerate),
        Section("`/family`", "approve", .memberApprove),
        // A child is removed on its own page.
        Section(
            "`/family`", "reject and remove", .memberRemove,
            never: [.targetManaged, .guardianUnvouched]),
        Section("`/family`", "change a role, claim or give the seat", .memberSetRole),
        Section("`/family`", "transfer the seat", .adminTransfer),
        Section("`/family`", "pending invitations", .invitationList),
        Section("`/family`", "leave", .memberLeave),
        Section("`/family/invite`", "invite", .invitationCreate),
        Section("`/family/invite`", "send again, new link", .invitationResend),
        Section("`/family/invite`", "revoke", .invitationRevoke),
        Section("`/family/child`", "add", .managedCreate),
        Section("`/family/child`", "name and picture", .managedUpdate),
        Section("`/family/child`", "add a guardian", .guardianAdd),
        Section("`/family/child`", "remove a guardian", .guardianRemove),
        Section("`/family/child`", "make primary", .guardianPromote),
        Section("`/family/child`", "consents", .consentRead),
        // These are the child's preferences, not the person's own.
        Section("`/family/child`", "preferences", .preferencesWrite, never: .oneself),
        Section("`/family/child`", "an account of its own", .managedGraduate),
        Section("`/family/child`", "remove the child", .managedRemove),
        Section("`/family/activity`", "all", .auditRead),
        Section("`/family/settings`", "all", .familyUpdate),
    ]
}
