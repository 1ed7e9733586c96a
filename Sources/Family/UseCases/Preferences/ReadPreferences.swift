package import Domain
import Policy
import Postgres
import Repositories

/// Reads preferences: the caller's own, or those of a child whose guardian the caller is.
package struct ReadPreferences: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameter member: Whose, by member id or user id; nil for the subject's own.
    /// - Throws: ``Refusal``: `memberNotFound`; a refusal for another's.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID, member: MemberID?
    ) throws -> MemberPreferences {
        try database.change(.preferencesRead, in: .family(family), by: context) { roster, batch in
            let owner = try roster.preferencesOwner(member)
            let stored = batch.add(Preferences.read, family, owner.user)
            return { MemberPreferences(of: owner, try $0.first(stored)) }
        }
    }
}
