package import Domain
import Policy
package import Repositories

/// Makes one of a child's guardians its primary guardian. The present one stays a guardian.
package struct PromoteGuardian: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `memberNotFound` for a child or a guardian that is none.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, guardian: MemberID
    ) throws -> ListedMember {
        try database.change(.guardianPromote, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            let next = try roster.member(guardian)
            try roster.facts(about: next, of: child).require(.guardianPromote)
            if !child.guardians.contains(next.user) { throw Refusal(.memberNotFound) }
            batch.add(Guardianships.promote, member, guardian)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
    }
}
