package import Domain
import Policy
package import Repositories

/// The use cases of children's guardians.
package struct GuardianService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Makes another adult of the family a further guardian of a child.
    ///
    /// The adult is a guardian at once, is notified by e-mail, and may decline.
    ///
    /// - Returns: The child after the change; nothing changes if the adult is already a guardian of
    ///   the child.
    /// - Throws: ``Refusal``: `memberNotFound` for the child or the adult, `guardianNotAdult`,
    ///   `tooManyGuardians`.
    package func add(
        by context: RequestContext, member: MemberID, guardian: MemberID
    ) throws -> MemberWithGuardians {
        let changed = try database.change(
            .guardianAdd, in: .familyOf(member), by: context
        ) { roster, batch in
            let child = try roster.managedMember(member)
            let named = try roster.member(guardian)
            try roster.facts(about: named, of: child)
                .require(.guardianAdd, unlessNotAdult: .guardianNotAdult)
            batch.add(Guardianships.add, member, guardian)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return changed
    }

    /// Makes one of a child's guardians its primary guardian. The current one stays a guardian.
    ///
    /// - Throws: ``Refusal``: `memberNotFound` if the member is not a child, or `guardian` is not
    ///   one of its guardians.
    package func makePrimary(
        by context: RequestContext, member: MemberID, guardian: MemberID
    ) throws -> MemberWithGuardians {
        try database.change(.guardianPromote, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            let next = try roster.member(guardian)
            try roster.facts(about: next, of: child).require(.guardianPromote)
            if !child.guardians.contains(next.user) || next.isGone {
                throw Refusal(.memberNotFound)
            }
            batch.add(Guardianships.makePrimary, member, guardian)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
    }

    /// Ends a guardianship: a guardian declines, or the primary guardian removes another.
    ///
    /// If the primary guardian goes, the longest-standing guardian becomes the primary one.
    ///
    /// - Parameter guardian: The guardian; nil for the caller itself.
    /// - Throws: ``Refusal``: `memberNotFound` if the member is not a child, or `guardian` is not
    ///   one of its guardians; `guardianHasManagedMembers` for a child's only guardian.
    package func remove(
        by context: RequestContext, member: MemberID, guardian: MemberID? = nil
    ) throws -> MemberWithGuardians {
        let changed = try database.change(
            .guardianRemove, in: .familyOf(member), by: context
        ) { roster, batch in
            let child = try roster.managedMember(member)
            let leaver = try roster.member(guardian ?? roster.me.id)
            try roster.facts(about: leaver, of: child).require(.guardianRemove)
            if !child.guardians.contains(leaver.user) { throw Refusal(.memberNotFound) }
            if !roster.hasGuardian(child, besides: leaver) {
                throw Refusal(.guardianHasManagedMembers)
            }
            batch.add(Guardianships.remove, member, leaver.id)
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return changed
    }
}
