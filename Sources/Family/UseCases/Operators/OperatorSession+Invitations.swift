package import Domain
import Policy
import Postgres
package import Repositories

extension OperatorSession {
    /// Invitations of a family (nil: of all), newest first.
    package func invitations(
        of family: FamilyID?, onlyPending: Bool, _ page: OperatorPageRequest
    ) throws -> OperatorPage<OperatedInvitation> {
        let rows = try rows(
            OperatedInvitations.page, family, onlyPending, page.start?.at,
            page.id(Invitation.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.createdAt, $0.id) }
    }

    /// The member in whose name a family invites where nobody is named: the Parent Admin, else
    /// the adult who has been there longest, else a player (who invites parents only).
    ///
    /// - Throws: ``OperatorRefusal`` when there is nobody.
    package func inviter(for role: MemberRole, of family: FamilyID) throws -> OperatedMember {
        let members = try members(of: family).filter { $0.status == .active && !$0.isManaged }
        let inviter =
            members.first { $0.householdRole == .parentAdmin }
            ?? members.first { $0.householdRole == .adult && $0.role == .parent }
            ?? members.first {
                role == .parent && $0.role == .player && $0.householdRole != .visitor
            }
        guard let inviter else {
            throw OperatorRefusal(
                .noInviter, "Nobody in the family could invite a \(role.rawValue).",
                details: ["Add one with 'hearth-admin member add'."])
        }
        return inviter
    }

    /// Invites a person into a family, in a member's name.
    ///
    /// An invitation that is pending for the address is renewed: its link before is dead. Neither
    /// the member's hourly allowance nor the pause between two mails holds an operator off.
    package func sendInvitation(
        to recipient: CreateInvitation.Recipient, inviter: MemberID, role: MemberRole,
        householdRole: HouseholdRole?, _ keys: InvitationKeys
    ) throws -> SentInvitation {
        try issue(keys) { batch in
            batch.add(
                OperatedInvitations.create, inviter, recipient.address, role, householdRole,
                recipient.delivery)
        }
    }

    /// Sends a pending invitation again, with a new link and for seven more days.
    package func resendInvitation(
        _ invitation: InvitationID, _ keys: InvitationKeys
    ) throws -> SentInvitation {
        try issue(keys) { $0.add(OperatedInvitations.resend, invitation) }
    }

    /// Looks whether an invitation is pending.
    ///
    /// - Throws: ``OperatorRefusal`` when it isn't, or isn't there.
    package func requirePending(_ invitation: InvitationID) throws {
        guard try rows(OperatedInvitations.isPending, invitation).first?.value == true else {
            throw OperatorRefusal(
                .invitationNotFound, "There is no such pending invitation.")
        }
    }

    /// Ends a pending invitation; its link is dead.
    package func revokeInvitation(_ invitation: InvitationID) throws {
        try change(OperatedInvitations.revoke, invitation)
    }

    private func issue(
        _ keys: InvitationKeys, _ add: (inout Batch) -> Batch.Place<IssuedInvitation>
    ) throws -> SentInvitation {
        try transaction { transaction in
            var batch = Batch()
            let place = add(&batch)
            let issued = try transaction.send(batch).row(place)
            var question = Batch()
            let family = question.add(OperatedInvitations.family, issued.id)
            question.add(OperatedInvitations.cancelDeadMail, issued.id)
            return try SentInvitation.keepingSecret(
                of: issued, in: transaction.send(question).row(family).value, keys, transaction,
                by: OperatedInvitations.keepSecret, wakes: true)
        }
    }
}
