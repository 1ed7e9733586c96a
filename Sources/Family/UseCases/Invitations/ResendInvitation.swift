package import Domain
import Policy
import Postgres
import Repositories

/// Sends a pending invitation again, with a new link and for seven more days.
package struct ResendInvitation: Sendable {
    private let database: Database
    private let keys: InvitationKeys

    package init(_ database: Database, _ keys: InvitationKeys) {
        self.database = database
        self.keys = keys
    }

    /// The link before is dead with it.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound`, also when it isn't pending;
    ///   `invitationJustSent` within a minute.
    package func callAsFunction(
        by context: RequestContext, invitation: InvitationID
    ) throws -> SentInvitation {
        let sent = try database.transaction(
            by: context, for: .invitationResend, on: invitation
        ) { listed, transaction in
            var batch = Batch()
            let issued = batch.add(Invitations.resend, invitation)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: listed.family, keys, transaction)
        }
        if sent.delivery == .email { database.wake(MailJob.queue, for: context) }
        return sent
    }
}
