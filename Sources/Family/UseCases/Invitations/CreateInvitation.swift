package import Domain
import Policy
import Postgres
import Repositories

/// Invites a person into a family, by e-mail or by a link to be shared.
package struct CreateInvitation: Sendable {
    /// How the invitation reaches the person.
    package enum Recipient: Sendable, Hashable {
        case email(EmailAddress)
        /// Anybody with the link; it binds to the first account that accepts.
        case link

        var address: EmailAddress? {
            if case .email(let address) = self { address } else { nil }
        }

        /// Reads what is pending for the address.
        func pending(in batch: inout Batch) -> (Answers) throws -> [ListedInvitation] {
            guard let address else { return { _ in [] } }
            let place = batch.add(Invitations.pendingFor, address.mailbox)
            return { try $0.rows(place) }
        }

        var delivery: InvitationDelivery { self == .link ? .link : .email }
    }

    private let database: Database
    private let keys: InvitationKeys

    package init(_ database: Database, _ keys: InvitationKeys) {
        self.database = database
        self.keys = keys
    }

    /// Creates an invitation for seven days. If the address has a pending one, and the caller may
    /// resend it, renews that one; its earlier link stops working.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - householdRole: The new member's household role; nil for the default of the role.
    /// - Throws: ``Refusal``: `personAlreadyMember`; `alreadyInvited` if the caller may not renew
    ///   the pending invitation; `invitationJustSent` if it was sent less than a minute ago;
    ///   `tooManyInvitations` after ten an hour, refusals not counted.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID?, to recipient: Recipient, role: MemberRole,
        householdRole: HouseholdRole? = nil
    ) throws -> SentInvitation {
        let sent = try database.transaction(
            by: context, for: .invitationCreate, in: .family(family),
            reading: { recipient.pending(in: &$0) }
        ) { roster, pending, transaction in
            try roster.require(roster.facts.with(inviting: role, as: householdRole))
            try Self.requireRenewal(of: pending, roster)
            var batch = Batch()
            batch.know(recipient.address)
            let issued = batch.add(
                Invitations.create, roster.family, recipient.address?.text, role, householdRole,
                recipient.delivery)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: roster.family, keys, transaction)
        }
        if sent.delivery == .email { database.wake(MailJob.queue, for: context) }
        return sent
    }

    /// A caller who may not resend a pending invitation can't take it over by a second one.
    private static func requireRenewal(
        of pending: [ListedInvitation], _ roster: Roster
    ) throws(Refusal) {
        for invitation in pending where invitation.family == roster.family {
            let isInviter = invitation.invitedBy == roster.subject.user
            if decide(.invitationResend, roster.facts.with(isInviter: isInviter)) != .allowed {
                throw Refusal(.alreadyInvited)
            }
        }
    }
}
