package import Domain
package import Policy
import Repositories

/// Decides whether a caller may still see a stored response.
package struct AuthoriseReplay: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - family: The family that the response is about.
    ///   - action: The action that seeing the response needs; it may depend only on the caller's
    ///     own membership.
    /// - Throws: ``Refusal``: `familyNotFound` if the caller is no longer a member, or a refusal.
    package func callAsFunction(
        by caller: Caller, family: FamilyID, reading action: Action
    ) throws {
        try database.request(by: caller) { batch in
            let row = batch.add(Families.one, family)
            return { answers, subject in
                let family = try answers.first(row)
                _ = try ReadFamily.require(action, of: family, subject)
            }
        }
    }
}
