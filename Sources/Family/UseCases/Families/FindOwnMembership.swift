import Domain
import Policy
package import Repositories

/// Finds out whether the caller belongs to the family of a code already, or waits for it.
package struct FindOwnMembership: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Returns: Nil for a code of another family, or of none.
    package func callAsFunction(
        by context: RequestContext, typedCode: String
    ) throws -> MembershipAtCode? {
        try context.caller.facts.require(.profileRead)
        return try database.request(by: context) { batch in
            let place = batch.add(FamilyCodes.ownStatus, typedCode)
            return { answers, _ in try answers.first(place) }
        }
    }
}
