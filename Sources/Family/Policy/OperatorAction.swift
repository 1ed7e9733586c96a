package import DomainCore

/// The actions of operators in the console.
///
/// An operator belongs to no family, so facts about memberships are not used: the operator's role
/// decides, and the kind of account that the action concerns. The database's functions for
/// operators check every invariant in addition.
package enum OperatorAction: String, Sendable, CaseIterable {
    /// Opens the screens of the console. What a viewer sees there is masked by the database.
    case read = "read"

    case resendInvitation = "invitation.resend"
    case revokeInvitation = "invitation.revoke"
    case approveMember = "member.approve"
    case endSessions = "user.end_sessions"
    case block = "user.block"
    case unblock = "user.unblock"
    case clearLimits = "user.clear_limits"
    case sendReset = "user.send_reset"
    case retryJob = "job.retry"

    case setAddress = "user.set_address"
    case removePasskey = "user.remove_passkey"
    case exportUser = "user.export"
    case eraseUser = "user.erase"
    case createFamily = "family.create"
    case renameFamily = "family.rename"
    case replaceCode = "family.replace_code"
    case transferAdmin = "family.transfer_admin"
    case addMember = "member.add"
    case removeMember = "member.remove"
    case setHouseholdRole = "member.set_role"
    case addChild = "child.add"
    case changeGuardians = "child.change_guardians"
    case startGraduation = "child.start_graduation"
    case sendInvitation = "invitation.send"
    case retryJobs = "job.retry_all"
    case cancelJob = "job.cancel"
    case pauseQueue = "queue.pause"
    case resumeQueue = "queue.resume"
    case runSchedule = "schedule.run"
    case suppressAddress = "mail.suppress"
    case unsuppressAddress = "mail.unsuppress"
    case testMail = "mail.test"
    case testWebhook = "webhook.test"
    case replayWebhook = "webhook.replay"
    case pauseWebhook = "webhook.pause"
    case resumeWebhook = "webhook.resume"
    case rotateWebhook = "webhook.rotate"
    case removeWebhook = "webhook.remove"
    case runDoctor = "doctor.run"
    case repairByDoctor = "doctor.fix"
    case applyIssuers = "issuers.apply"
    case checkToken = "token.check"

    /// The lowest role that may take the action.
    package var role: OperatorRole {
        switch self {
        case .read: .viewer
        case .resendInvitation, .revokeInvitation, .approveMember, .endSessions, .block, .unblock,
            .clearLimits, .sendReset, .retryJob:
            .support
        case .setAddress, .removePasskey, .exportUser, .eraseUser, .createFamily, .renameFamily,
            .replaceCode, .transferAdmin,
            .addMember, .removeMember, .setHouseholdRole, .addChild, .changeGuardians,
            .startGraduation, .sendInvitation, .retryJobs, .cancelJob, .pauseQueue, .resumeQueue,
            .runSchedule, .suppressAddress, .unsuppressAddress, .testMail, .testWebhook,
            .replayWebhook, .pauseWebhook, .resumeWebhook, .rotateWebhook, .removeWebhook,
            .runDoctor, .repairByDoctor, .applyIssuers, .checkToken:
            .admin
        }
    }

    /// Whether the operator must have proved who they are within the last few minutes, with a
    /// passkey or at the trusted proxy: a stolen cookie does not suffice for an action that can't
    /// be undone, shows a secret, exports data that the console does not show, or gives the account
    /// to whoever reads another mailbox.
    package var needsFreshProof: Bool {
        switch self {
        case .setAddress, .exportUser, .eraseUser, .rotateWebhook, .removeWebhook: true
        default: false
        }
    }
}

/// The kind of account that an operator's action concerns.
package enum OperatorTarget: Sendable, CaseIterable {
    /// A person who is no operator, or an object without a person, such as a job.
    case person
    /// Another operator.
    case otherOperator
    /// The operator who acts.
    case oneself
}

/// Decides whether an operator with a role may do `action`.
///
/// No operator can raise its own rights: only an admin may act on another operator's account, and
/// nobody may act on their own.
package func decide(
    _ action: OperatorAction, _ role: OperatorRole, on target: OperatorTarget = .person
) -> Bool {
    if action == .read { return true }
    switch target {
    case .person: break
    case .otherOperator: if role != .admin { return false }
    case .oneself: return false
    }
    return switch (action.role, role) {
    case (.viewer, _), (.support, .support), (_, .admin): true
    default: false
    }
}
