package import Domain
import Policy
package import Repositories

/// Creates another family for the caller.
package struct CreateAnotherFamily: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Always makes a new one.
    ///
    /// - Throws: ``Refusal``: `tooManyFamilies` for more than five; `playerHasFamily`, since a
    ///   player belongs to one only.
    package func callAsFunction(by context: RequestContext, name: FamilyName) throws
        -> CreatedFamily
    {
        try context.caller.facts.require(.familyCreate)
        return try database.request(by: context, writes: true) { batch in
            let created = batch.add(Families.create, name.text, nil, true)
            return { answers, _ in try answers.row(created) }
        }
    }
}
