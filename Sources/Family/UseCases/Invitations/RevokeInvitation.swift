package import Domain
import Policy
import Postgres
import Repositories

/// Ends a pending invitation; its link is as if it had never been.
package struct RevokeInvitation: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `invitationNotFound`, also when it isn't pending.
    package func callAsFunction(by context: RequestContext, invitation: InvitationID) throws {
        try database.transaction(by: context, for: .invitationRevoke, on: invitation) {
            _, transaction in
            var batch = Batch()
            batch.add(Invitations.revoke, invitation)
            _ = try transaction.sendAndCommit(batch)
        }
    }
}
