import Crypto
package import Domain
import Jobs
import Postgres
import Repositories

/// An invitation that has gone out.
package struct SentInvitation: Sendable {
    package let id: InvitationID
    package let expiresAt: Timestamp
    package let delivery: InvitationDelivery
    /// It was there already and has a new link.
    package let isRenewed: Bool
    /// The link's token; nil for an invitation by e-mail, whose token only the addressee may know.
    package let token: InvitationToken?

    /// Ends the transaction that issued an invitation: keeps what its token is recognised by, and
    /// has the e-mail sent, if it is by e-mail.
    ///
    /// - Parameter wakes: Whether the transaction itself notifies workers.
    static func keepingSecret(
        of issued: IssuedInvitation, in family: FamilyID, _ keys: InvitationKeys,
        _ transaction: Transaction,
        by keepSecret: Statement<NoRow, InvitationID, Int32, PostgresBytes> = Invitations
            .keepSecret,
        wakes: Bool = false
    ) throws -> SentInvitation {
        let token = try keys.token(of: issued.id, generation: issued.generation)
        var batch = Batch()
        batch.add(keepSecret, issued.id, issued.generation, PostgresBytes(token.hash.bytes))
        if issued.delivery == .email {
            let mail = MailJob(.invitation(issued.id, generation: issued.generation))
            batch.enqueue(mail.job(in: family, notAfter: issued.expiresAt))
            if wakes { batch.wake(MailJob.queue) }
        }
        _ = try transaction.sendAndCommit(batch)
        return SentInvitation(
            id: issued.id, expiresAt: issued.expiresAt, delivery: issued.delivery,
            isRenewed: issued.isRenewed, token: issued.delivery == .link ? token : nil)
    }
}
