package import Domain
import Policy
import Postgres
package import Repositories

/// Adds a child without an account to a family; the caller becomes its guardian.
package struct AddManagedMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    /// - Throws: ``Refusal``: `familyFull`.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID?, name: DisplayName,
        avatarKey: AvatarKey? = nil
    ) throws -> ListedMember {
        try database.callingNames("displayName") {
            try database.transaction(by: context, for: .managedCreate, in: .family(family)) {
                roster, transaction in
                try roster.require(roster.facts)
                var adding = Batch()
                let avatar = avatarKey.flatMap { $0.text.isEmpty ? nil : $0.text }
                let id = adding.add(Memberships.addManaged, roster.family, name.text, avatar)
                let member = try transaction.send(adding).row(id).value
                var reading = Batch()
                let added = reading.add(Members.one, member)
                return try transaction.sendAndCommit(reading).row(added)
            }
        }
    }
}
