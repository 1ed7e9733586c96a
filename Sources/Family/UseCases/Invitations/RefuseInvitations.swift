import Crypto
import Domain
import Postgres
import Repositories

/// Stops e-mails with invitations to somebody who has received one and wants no more.
package struct RefuseInvitations: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The family whose invitations can be refused with a token. Changes nothing.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound`; `tooManyAttempts`.
    package func family(token: String, from client: ClientAddress) throws -> String {
        let hash = try look(at: token, from: client)
        guard let family = try database.query(RefusedInvitations.family, hash).first else {
            throw Refusal(.invitationNotFound)
        }
        return family.value
    }

    /// - Parameter ofAll: Whether those of all families are refused.
    /// - Throws: As ``family(token:from:)``.
    package func callAsFunction(
        token: String, ofAll: Bool, from client: ClientAddress
    ) throws {
        let hash = try look(at: token, from: client)
        let isFound = try database.leased { connection in
            var batch = Batch()
            let place = batch.add(RefusedInvitations.refuse, hash, ofAll)
            return try connection.send(batch, writes: true).first(place)?.value
        }
        guard isFound == true else { throw Refusal(.invitationNotFound) }
    }

    private func look(at token: String, from client: ClientAddress) throws -> PostgresBytes {
        let token = try InvitationToken(lookedAt: token, by: nil, from: client, in: database)
        return PostgresBytes(token.hash.bytes)
    }
}
