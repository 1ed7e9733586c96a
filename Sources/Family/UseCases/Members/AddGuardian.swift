package import Domain
import Policy
package import Repositories

/// Makes another adult of the family a guardian of a child, besides those that it has.
///
/// The adult counts at once, is told by e-mail, and may decline.
package struct AddGuardian: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Returns: The child after the change, which is none if the adult is its guardian already.
    /// - Throws: ``Refusal``: `memberNotFound` for either, `guardianNotAdult`, `tooManyGuardians`.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, guardian: MemberID
    ) throws -> ListedMember {
        let changed = try database.change(
            .guardianAdd, in: .familyOf(member), by: context
        ) { roster, batch in
            let child = try roster.managedMember(member)
            let named = try roster.member(guardian)
            try roster.facts(about: named, of: child)
                .require(.guardianAdd, unlessNotAdult: .guardianNotAdult)
            batch.add(Guardianships.add, member, guardian)
            if !child.guardians.contains(named.user) {
                roster.tellNamedGuardian(named, of: child, in: &batch)
            }
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
        database.wake(MailJob.queue, for: context)
        return changed
    }
}
