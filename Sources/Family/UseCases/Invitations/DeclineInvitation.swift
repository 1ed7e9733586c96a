import Domain
import Policy
import Repositories

/// Declines an invitation.
package struct DeclineInvitation: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: As ``AcceptInvitation``.
    package func callAsFunction(
        by context: RequestContext, _ invitation: InvitationReference, from client: ClientAddress
    ) throws {
        let answer = try InvitationAnswer(
            invitation, by: context, from: client, in: database)
        _ = try database.answer(
            .invitationDecline, answer, by: context, with: ReceivedInvitations.decline)
    }
}
