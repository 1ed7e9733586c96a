package import Domain
import Policy
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns invitations of a family (nil: of all), newest first.
    package func invitations(
        of family: FamilyID?, onlyPending: Bool, _ page: OperatorPageRequest
    ) throws -> OperatorPage<AdminInvitation> {
        let rows = try rows(
            AdminInvitations.page, family, onlyPending, page.start?.at,
            page.id(Invitation.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.createdAt, $0.id) }
    }

    /// Returns the default inviter of a family: the Parent Admin, else the adult who joined first,
    /// else a player (who can invite parents only). A blocked member invites nobody.
    ///
    /// - Throws: ``OperatorRefusal`` if there is none.
    package func inviter(for role: MemberRole, of family: FamilyID) throws -> AdminMember {
        let members = try members(of: family).filter {
            $0.status == .active && !$0.isManaged && !$0.isBlocked
        }
        let inviter =
            members.first { $0.householdRole == .parentAdmin }
            ?? members.first { $0.householdRole == .adult && $0.role == .parent }
            ?? members.first {
                role == .parent && $0.role == .player && $0.householdRole != .visitor
            }
        guard let inviter else {
            throw afterReplication(
                OperatorRefusal(
                    .noInviter,
                    "No member of the family may invite a \(role.rawValue): add one who may."))
        }
        return inviter
    }

    /// Invites a person into a family, in a member's name.
    ///
    /// If the address has a pending invitation, it is renewed and its earlier link stops working.
    /// The member's hourly limit and the pause between two e-mails don't apply to operators.
    package func sendInvitation(
        to recipient: InvitationService.Recipient, inviter: MemberID, role: MemberRole,
        householdRole: HouseholdRole?, _ keys: InvitationKeys
    ) throws -> SentInvitation {
        try issue(keys) { batch in
            batch.storeLabel(of: recipient.address)
            return batch.add(
                AdminInvitations.create, inviter, recipient.address?.text, role, householdRole,
                recipient.delivery)
        }
    }

    /// Invites a child without an account to have one, in its primary guardian's name. The
    /// guardians are notified by e-mail.
    ///
    /// A pending invitation of the child is renewed, and its earlier link stops working.
    package func startGraduation(
        of child: MemberID, to recipient: InvitationService.Recipient, role: MemberRole,
        _ keys: InvitationKeys
    ) throws -> SentInvitation {
        try issue(keys) { batch in
            batch.storeLabel(of: recipient.address)
            return batch.add(
                AdminInvitations.startGraduation, child, recipient.address?.text, role,
                role == .player ? .kid : .adult, recipient.delivery)
        }
    }

    /// Resends a pending invitation, with a new link and for seven more days.
    package func resendInvitation(
        _ invitation: InvitationID, _ keys: InvitationKeys
    ) throws -> SentInvitation {
        try issue(keys) { $0.add(AdminInvitations.resend, invitation) }
    }

    /// Requires that an invitation is pending.
    ///
    /// - Throws: ``OperatorRefusal`` if it isn't, or does not exist.
    package func requirePending(_ invitation: InvitationID) throws {
        guard try rows(AdminInvitations.isPending, invitation).first?.value == true else {
            throw afterReplication(
                OperatorRefusal(
                    .invitationNotFound, "There is no such pending invitation."))
        }
    }

    /// Revokes a pending invitation. Its link stops working.
    package func revokeInvitation(_ invitation: InvitationID) throws {
        try change(AdminInvitations.revoke, invitation)
    }

    /// Makes an invitation's link and enqueues its e-mail.
    ///
    /// - Throws: Also ``OperatorRefusal`` if the running programs have another key: they could not
    ///   show the link again, and would report that their own key is wrong.
    private func issue(
        _ keys: InvitationKeys, _ add: (inout Batch) -> Batch.ResultKey<IssuedInvitation>
    ) throws -> SentInvitation {
        try transaction { transaction in
            guard try keys.haveMadeNewestLink(in: transaction) != false else {
                throw afterReplication(.secretKeyDiffers)
            }
            var batch = Batch()
            let resultKey = add(&batch)
            let issued = try transaction.send(batch).row(resultKey)
            var question = Batch()
            let family = question.add(AdminInvitations.family, issued.id)
            question.add(AdminInvitations.cancelDeadMail, issued.id)
            return try SentInvitation.keepingSecret(
                of: issued, in: transaction.send(question).row(family).value, keys, transaction,
                by: AdminInvitations.addSecret, notifiesWorkers: true)
        }
    }
}

extension OperatorRefusal {
    /// Refusal of a command whose links the running programs could not show.
    static let secretKeyDiffers = OperatorRefusal(
        .secretKeyDiffers, "HEARTH_SECRET_KEY is not the key that links are made with.",
        details: ["Set it to the value that hearth-api and hearth-worker have."])
}
