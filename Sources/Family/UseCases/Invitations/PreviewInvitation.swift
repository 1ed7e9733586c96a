import Crypto
package import Domain
import Policy
import Postgres
import Repositories

/// Tells the holder of an invitation's token what it is about. Changes nothing.
package struct PreviewInvitation: Sendable {
    /// A pending invitation.
    package struct Preview: Sendable {
        package let id: InvitationID
        /// Masked unless the caller is signed in with it; empty for a link.
        package let email: String
        /// The side on which whoever accepts enters the family.
        package let role: MemberRole
        package let familyName: String
        /// Empty when the inviter has none.
        package let inviterName: String
        package let expiresAt: Timestamp
        package let kind: InvitationKind
        /// Whether the caller may accept it: a link, or sent to an address that it has proved.
        package let isForCaller: Bool
        /// Whether the caller belongs to the family already.
        package let isOfOwnFamily: Bool
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - context: Nil for somebody who isn't signed in.
    ///   - token: As the link carries it.
    /// - Throws: ``Refusal``: `invitationNotFound`, `invitationAnswered`, `invitationExpired`;
    ///   `tooManyAttempts` after 60 in five minutes from one address.
    package func callAsFunction(
        by context: RequestContext?, token: String, from client: ClientAddress
    ) throws -> Preview {
        try context?.caller.facts.require(.invitationPreview)
        let token = try InvitationToken(
            lookedAt: token, by: context, from: client, in: database)
        let hash = PostgresBytes(token.hash.bytes)
        guard let context else {
            let found = try database.query(ReceivedInvitations.ofToken, hash)
            guard let found = found.first else { throw Refusal(.invitationNotFound) }
            return try Self.preview(found)
        }
        return try database.request(by: context) { batch in
            let found = batch.add(ReceivedInvitations.ofToken, hash)
            return { answers, _ in try Self.preview(try answers.row(found)) }
        }
    }

    private static func preview(_ found: InvitationOfToken) throws(Refusal) -> Preview {
        try found.requireOpen()
        guard found.state == .pending else { throw Refusal(.invitationAnswered) }
        guard let id = found.id, let role = found.role, let expiresAt = found.expiresAt else {
            throw Refusal(.invitationNotFound)
        }
        return Preview(
            id: id, email: found.email ?? "", role: role, familyName: found.familyName ?? "",
            inviterName: found.inviterName ?? "", expiresAt: expiresAt,
            kind: found.kind ?? .member,
            isForCaller: (found.email ?? "").isEmpty || found.isToCaller,
            isOfOwnFamily: found.isOfOwnFamily)
    }
}

extension InvitationOfToken {
    /// Accepts pending and accepted invitations; only the database knows whether the caller
    /// accepted it.
    func requireOpen() throws(Refusal) {
        switch state {
        case .absent: throw Refusal(.invitationNotFound)
        case .expired: throw Refusal(.invitationExpired)
        case .declined: throw Refusal(.invitationAnswered, .declined)
        case .pending, .accepted: return
        }
    }
}
