package import Domain
import Policy
import Postgres
import Repositories

/// Lets a token be made by which another service can act for a child, as its guardian asks.
package struct Delegate: Sendable {
    /// What the token says.
    package struct Delegation: Sendable {
        /// The child that it acts for.
        package let member: UserID
        /// The account that asks for it.
        package let guardian: UserID
        /// The guardian's; Hearth refuses the token once it has ended.
        package let session: SessionID
        /// How the guardian came into the session.
        package let method: SignInMethod
        /// When the session began.
        package let signedInAt: Timestamp
    }

    private let database: Database
    private let register: ConsentRegister

    package init(_ database: Database, _ register: ConsentRegister) {
        self.database = database
        self.register = register
    }

    /// - Throws: ``Refusal``: `sessionRequired` for a token of another issuer; `actingRefused` for
    ///   a child that the caller is no guardian of; `consentRequired` for one who lacks a required
    ///   consent.
    package func callAsFunction(for member: UserID, by context: RequestContext) throws -> Delegation
    {
        try context.caller.facts.require(.accountManage)
        guard let session = context.caller.session else { throw Refusal(.sessionRequired) }
        let (own, guardian) = try database.request(by: context) { batch in
            let sessions = batch.add(Sessions.mine)
            return { answers, subject in
                (try answers.rows(sessions).first { $0.id == session.id }, subject.user)
            }
        }
        guard let own, let guardian else { throw Refusal(.sessionEnded) }
        var acting = context
        acting.caller.actingAs = member
        try RequireConsent(database, register)(by: acting)
        return Delegation(
            member: member, guardian: guardian, session: session.id, method: own.method,
            signedInAt: own.startedAt)
    }
}
