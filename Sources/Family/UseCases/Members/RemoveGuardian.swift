package import Domain
import Policy
package import Repositories

/// Ends a guardianship: a guardian declines, or the primary guardian removes another.
package struct RemoveGuardian: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// If the primary guardian goes, the one who has been a guardian for longest takes its place.
    ///
    /// - Parameter guardian: The guardian; nil for the caller itself.
    /// - Throws: ``Refusal``: `memberNotFound` for a child or a guardian that is none;
    ///   `guardianHasManagedMembers` for a child's only guardian.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, guardian: MemberID? = nil
    ) throws -> ListedMember {
        let changed = try database.change(
            .guardianRemove, in: .familyOf(member), by: context
        ) { roster, batch in
            let child = try roster.managedMember(member)
            let leaver = try roster.member(guardian ?? roster.me.id)
            try roster.facts(about: leaver, of: child).require(.guardianRemove)
            if !child.guardians.contains(leaver.user) { throw Refusal(.memberNotFound) }
            if child.guardians.count == 1 { throw Refusal(.guardianHasManagedMembers) }
            batch.add(Guardianships.remove, member, leaver.id)
            roster.tellRemovedGuardian(leaver, of: child, in: &batch)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
        database.wake(MailJob.queue, for: context)
        return changed
    }
}
