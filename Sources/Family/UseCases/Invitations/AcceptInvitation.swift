import Domain
import Policy
package import Repositories

/// Accepts an invitation: the caller becomes a member of the family.
package struct AcceptInvitation: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The same account again gets the same answer. Who is a member already leaves a link unused.
    ///
    /// - Throws: ``Refusal``, in this order: `invitationNotFound`, `invitationExpired`,
    ///   `invitationAnswered`, `notTheAddressee`; `removedFromFamily` where another removed
    ///   the caller after a link was made; then `playerHasFamily`, `familyFull`.
    ///   Before all, `tooManyAttempts` after 60 looks at tokens in five minutes from one address.
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
