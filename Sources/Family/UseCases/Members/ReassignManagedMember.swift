package import Domain
import Policy
package import Repositories

/// Makes another adult of the family the primary guardian of a child in the caller's place, who
/// stops being a guardian.
package struct ReassignManagedMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Returns: The child after the change.
    /// - Throws: ``Refusal``: `memberNotFound` for either, `guardianNotAdult`.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, to guardian: MemberID
    ) throws -> ListedMember {
        try database.change(.managedReassign, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            try roster.requireReassignment(of: child, to: try roster.member(guardian))
            batch.add(Memberships.reassignManaged, member, guardian)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
    }
}
