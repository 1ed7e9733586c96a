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
    /// - Throws: ``Refusal``, in this order: `invitationNotFound`, `invitationExpired`,
    ///   `invitationAnswered`, `notTheAddressee`; `removedFromFamily` if another member removed the
    ///   caller after the link was made; then `playerHasFamily`, `familyFull`. Before all of these,
    ///   `tooManyAttempts` after 60 lookups of tokens in five minutes from one address.
    package func callAsFunction(
        by caller: Caller, _ invitation: InvitationReference, from client: ClientAddress
    ) throws -> Acceptance {
        let answer = try InvitationAnswer(
            invitation, by: caller, from: client, in: database)
        let accepted = try database.answer(
            .invitationAccept, answer, by: caller, with: ReceivedInvitations.accept)
        guard let accepted else { throw Refusal(.invitationNotFound) }
        return accepted
    }
}
