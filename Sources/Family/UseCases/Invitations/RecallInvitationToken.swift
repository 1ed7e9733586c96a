import Crypto
package import Domain
import Policy
import Postgres
import Repositories

/// Computes again the token of a shared link, which is stored nowhere.
package struct RecallInvitationToken: Sendable {
    private let database: Database
    private let keys: InvitationKeys

    package init(_ database: Database, _ keys: InvitationKeys) {
        self.database = database
        self.keys = keys
    }

    /// The token of the current link, made with any of the keys; nil for an invitation by e-mail.
    ///
    /// - Throws: ``LinkKeyMissing`` if none of the keys has made it; ``Refusal``:
    ///   `invitationNotFound`, also if it isn't pending; a refusal if the caller may not resend it.
    package func callAsFunction(
        by context: RequestContext, invitation id: InvitationID
    ) throws -> InvitationToken? {
        try database.transaction(by: context, for: .invitationResend, on: id) {
            invitation, transaction in
            guard invitation.delivery == .link,
                let generation = try transaction.run(Invitations.generation, id).first?.value
            else { return nil }
            let tokens = try keys.tokens(of: id, generation: generation)
            var batch = Batch()
            let places = tokens.map {
                batch.add(ReceivedInvitations.ofToken, PostgresBytes($0.hash.bytes))
            }
            let answers = try transaction.sendAndCommit(batch)
            for (token, place) in zip(tokens, places) where try answers.row(place).id == id {
                return token
            }
            throw LinkKeyMissing()
        }
    }
}
