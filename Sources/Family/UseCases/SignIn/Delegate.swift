package import Domain
import Policy
import Postgres
import Repositories

/// Lets a token be made by which another service can act for a child, as its guardian asks.
package struct Delegate: Sendable {
    /// What the token says.
    package struct Delegation: Sendable {
        package let member: UserID
        package let guardian: UserID
        package let session: SessionID
        package let method: SignInMethod
        package let signedInAt: Timestamp
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `sessionRequired` for a token of another issuer; `actingRefused` for
    ///   a child that the caller is no guardian of.
    package func callAsFunction(for member: UserID, by caller: Caller) throws -> Delegation {
        try caller.facts.require(.accountManage)
        guard let session = caller.session else { throw Refusal(.sessionRequired) }
        let own = try database.request(by: caller) { batch in
            let sessions = batch.add(Sessions.mine)
            return { answers, _ in try answers.rows(sessions).first { $0.id == session.id } }
        }
        guard let own else { throw Refusal(.sessionEnded) }
        var acting = caller
        acting.actingAs = member
        try database.request(by: acting) { _ in { _, _ in } }
        return Delegation(
            member: member, guardian: session.account, session: session.id, method: own.method,
            signedInAt: own.startedAt)
    }
}
