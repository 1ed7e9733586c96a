package import Domain
import Policy
import Repositories

/// Lists what the guardians of a child are asked to consent to, and what they did.
package struct ReadConsents: Sendable {
    private let database: Database
    private let register: ConsentRegister

    package init(_ database: Database, _ register: ConsentRegister) {
        self.database = database
        self.register = register
    }

    /// - Throws: ``Refusal`` with `memberNotFound`.
    package func callAsFunction(by context: RequestContext, member: MemberID) throws
        -> [ListedConsent]
    {
        try database.change(.consentRead, in: .familyOf(member), by: context) { roster, batch in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            let consents = batch.add(Consents.ofChild, member)
            return { register.ofChildren.listed(with: try $0.rows(consents)) }
        }
    }

    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, purpose: String
    ) throws -> ListedConsent {
        let all = try self(by: context, member: member)
        guard let found = all.first(where: { $0.name == purpose }) else {
            throw Refusal(.purposeNotFound)
        }
        return found
    }
}
