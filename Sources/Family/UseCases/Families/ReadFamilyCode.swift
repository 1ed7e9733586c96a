package import Domain
import Policy
package import Repositories

/// Reads a family's code, to show it to people who want to join.
package struct ReadFamilyCode: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The family, its code certainly there.
    ///
    /// - Throws: ``Refusal``: `codeExpired`; `familyNotFound`.
    package func callAsFunction(by context: RequestContext, family: FamilyID) throws -> ListedFamily
    {
        try database.request(by: context) { batch in
            let row = batch.add(Families.one, family)
            return { answers, subject in
                let family = try ReadFamily.require(.codeRead, of: try answers.first(row), subject)
                if family.code.isEmpty { throw Refusal(.codeExpired) }
                return family
            }
        }
    }
}
