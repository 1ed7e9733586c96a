package import Domain
import Policy
import Repositories

/// Withdraws a guardian's consent for a child. It counts with the next request.
package struct WithdrawConsent: Sendable {
    private let database: Database
    private let register: ConsentRegister

    package init(_ database: Database, _ register: ConsentRegister) {
        self.database = database
        self.register = register
    }

    /// Withdrawing what does not stand changes nothing.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, purpose: String
    ) throws -> ListedConsent {
        try database.change(.consentWithdraw, in: .familyOf(member), by: context) { roster, batch in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            let before = batch.add(Consents.ofChild, member)
            batch.add(Consents.withdraw, member, purpose)
            let after = batch.add(Consents.ofChild, member)
            return { answers in
                _ = try register.ofChildren.listed(purpose, with: try answers.rows(before))
                return ListedConsent(
                    name: purpose, purpose: register.ofChildren[purpose],
                    consent: try answers.rows(after).first { $0.purpose == purpose })
            }
        }
    }
}
