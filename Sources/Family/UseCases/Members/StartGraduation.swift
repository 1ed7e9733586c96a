package import Domain
import Policy
import Postgres
import Repositories

/// Invites a child without an account to have one: whoever accepts becomes the member that the
/// child has been.
package struct StartGraduation: Sendable {
    private let database: Database
    private let keys: InvitationKeys

    package init(_ database: Database, _ keys: InvitationKeys) {
        self.database = database
        self.keys = keys
    }

    /// Creates the invitation for seven days, or renews the one that is pending with all that is
    /// given now; its earlier link stops working. The other guardians are told by e-mail.
    ///
    /// - Parameters:
    ///   - role: The side that the person will be on; with `householdRole` either a player who is a
    ///     kid or a parent who is an adult.
    /// - Throws: ``Refusal``: `memberNotFound`; `invalidField` for roles that don't fit together;
    ///   `personAlreadyMember`; `alreadyInvited` if the address has another invitation of the
    ///   family; `tooManyInvitations`.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, to recipient: CreateInvitation.Recipient,
        role: MemberRole, householdRole: HouseholdRole
    ) throws -> SentInvitation {
        let sent = try database.transaction(
            by: context, for: .managedGraduate, in: .familyOf(member)
        ) { roster, transaction in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            var batch = Batch()
            batch.know(recipient.address)
            let issued = batch.add(
                Invitations.startGraduation, member, recipient.address?.text, role, householdRole,
                recipient.delivery)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: roster.family, keys, transaction)
        }
        database.wake(MailJob.queue, for: context)
        return sent
    }
}
