import Domain
import Policy
package import Repositories

/// Accepts an invitation: the caller becomes a member of the family.
package struct AcceptInvitation: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// A repetition by the same account gets the same result. A caller who is already a member does
    /// not use up a link.
    ///
    /// A caller in no family takes on the invitation's side. A player who lives alone in a family
    /// leaves that one. Of an invitation to grow up the caller becomes the child's membership.
    /// - Throws: ``Refusal``, in this order: `invitationNotFound`, `invitationExpired`,
    ///   `invitationAnswered`, `notTheAddressee`; `removedFromFamily` if another member removed the
    ///   caller after the link was made; then `roleMismatch`, `playerHasFamily` or
    ///   `notTheGraduate`, `familyFull`, `tooManyFamilies`.
    ///   Before all of these, `tooManyAttempts` after 60 lookups of tokens in five minutes from one
    ///   address.
    package func callAsFunction(
        by context: RequestContext, _ invitation: InvitationReference, from client: ClientAddress
    ) throws -> Acceptance {
        let answer = try InvitationAnswer(
            invitation, by: context, from: client, in: database)
        let accepted = try database.answer(
            .invitationAccept, answer, by: context, with: ReceivedInvitations.accept)
        guard let accepted else { throw Refusal(.invitationNotFound) }
        switch accepted.outcome {
        case .joined, .alreadyMember, .alreadyAccepted: break
        case .playerHasFamily:
            throw Refusal(
                .playerHasFamily, .family(accepted.ownFamily, name: accepted.ownFamilyName))
        case .roleMismatch: throw Refusal(.roleMismatch, .invited(accepted.invitedRole))
        }
        // People who waited in the family that was left get an e-mail, and the guardians of a child
        // that the caller has become.
        if accepted.outcome == .joined { database.wake(MailJob.queue, for: context) }
        return accepted
    }
}
