package import Domain
import Policy
import Postgres
import Repositories

/// Reads preferences: the caller's own, or those of a child whose guardian the caller is.
package struct ReadPreferences: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// A JSON object in UTF-8; `{}` where nothing was stored.
    ///
    /// - Parameter member: Whose, by member id or user id; nil for the subject's own.
    /// - Throws: ``Refusal``: `memberNotFound`; a refusal for another's.
    package func callAsFunction(
        by caller: Caller, family: FamilyID, member: MemberID?
    ) throws -> [UInt8] {
        try database.change(.preferencesRead, in: .family(family), by: caller) { roster, batch in
            let owner = try roster.preferencesOwner(member)
            let stored = batch.add(Preferences.read, family, owner.user)
            return { try $0.first(stored)?.value.utf8 ?? Array("{}".utf8) }
        }
    }
}
