import Crypto
package import Domain
import Postgres
import Repositories

/// How somebody who is invited names the invitation.
package enum InvitationReference: Sendable {
    /// By what its link carries, as it was given.
    case token(String)
    /// By its id, which only the account that it is addressed to may use.
    case id(InvitationID)
}

extension InvitationToken {
    /// A token to look up; the lookup is counted.
    ///
    /// - Parameter context: Nil for somebody who isn't signed in.
    /// - Throws: ``Refusal``: `invitationNotFound` for what can't be a token, which is not
    ///   counted; `tooManyAttempts`.
    init(
        lookedAt text: String, by context: RequestContext?, from client: ClientAddress,
        in database: Database
    ) throws {
        guard let token = InvitationToken(text) else { throw Refusal(.invitationNotFound) }
        if let context, context.transaction != nil {
            try database.count(by: context) { $0.add(RateLimits.lookAtInvitation, client.address) }
        } else {
            // It needs no caller.
            let limit = try database.query(RateLimits.lookAtInvitation, client.address).first
            if let limit { throw limit.refusal }
        }
        self = token
    }
}

/// An answer to an invitation: which one, by what the database's functions go by.
struct InvitationAnswer {
    let tokenHash: PostgresBytes?
    let id: InvitationID?

    /// Counts the lookup of a token.
    init(
        _ reference: InvitationReference, by context: RequestContext, from client: ClientAddress,
        in database: Database
    ) throws {
        switch reference {
        case .token(let text):
            let token = try InvitationToken(
                lookedAt: text, by: context, from: client, in: database)
            tokenHash = PostgresBytes(token.hash.bytes)
            id = nil
        case .id(let id):
            tokenHash = nil
            self.id = id
        }
    }
}
