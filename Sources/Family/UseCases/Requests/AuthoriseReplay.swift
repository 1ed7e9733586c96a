package import Domain
package import Policy
import Repositories

/// Decides anew whether a caller may be told what was told before.
package struct AuthoriseReplay: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - family: The one that the answer tells of.
    ///   - action: What reading the answer comes to; depends on nothing but the caller's own
    ///     standing.
    /// - Throws: ``Refusal``: `familyNotFound` for whoever is in it no more, or a refusal.
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
