package import Domain
import Policy
import Postgres
package import Repositories

/// Changes a member's household role, or claims the vacant Parent Admin's seat.
package struct SetHouseholdRole: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// When a change was made, and what its author had seen.
    package struct Stamp: Sendable {
        /// Nil: now.
        package var at: Timestamp?
        /// The family's version that the author had seen; nil if it is not known.
        package var baseVersion: Int64?

        package init(at: Timestamp? = nil, baseVersion: Int64? = nil) {
            self.at = at
            self.baseVersion = baseVersion
        }
    }

    /// A member may choose any household role up to its ceiling, which is the one that it had at
    /// entry or was given by others, and take back what it chose.
    ///
    /// Of two changes the later one counts, whichever arrives first: an allowed one that comes too
    /// late changes nothing, and the member's `conflict` says so.
    ///
    /// - Parameter heir: The member who becomes guardian of the children that a guardian who stops
    ///   being an adult leaves behind.
    /// - Returns: The member after the change.
    /// - Throws: ``Refusal``: `memberNotFound`, `memberIsWaiting`,
    ///   `guardianHasManagedMembers`, `guardianNotAdult`; `parentAdminExists`, and the other
    ///   reasons of the policy.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, to role: HouseholdRole,
        reassigningTo heir: MemberID? = nil, stamp: Stamp = Stamp()
    ) throws -> ListedMember {
        let changed = try database.transaction(
            by: context, for: .memberSetRole, in: .familyOf(member),
            reading: { batch in
                let isLate = batch.add(RoleChanges.isLate, member, stamp.at)
                return { try $0.row(isLate).value }
            }
        ) { roster, isLate, transaction in
            var batch = Batch()
            let target = try roster.member(member)
            try roster.require(
                roster.facts(about: target).with(
                    newRole: role, present: target.householdRole,
                    ceiling: target.ceiling ?? target.householdRole,
                    isSeatTaken: roster.isSeatTaken, isSeatReserved: roster.isSeatReserved))
            if target.status != .active { throw Refusal(.memberIsWaiting) }
            if role < .adult, !isLate { try roster.requireHandover(from: target, to: heir) }
            let conflict = batch.add(
                RoleChanges.make, member, role, heir, stamp.at, stamp.baseVersion, isLate)
            if role == .parentAdmin, target.householdRole != .parentAdmin, !isLate {
                roster.tellAdults(ofAdmin: target, in: &batch)
            }
            if role < .adult, !isLate {
                try roster.tellFormerGuardian(target, heir: heir, in: &batch)
            }
            let row = batch.add(Members.one, member)
            let answers = try transaction.sendAndCommit(batch)
            return ListedMember(
                try answers.row(row), conflict: try answers.first(conflict))
        }
        if role == .parentAdmin || heir != nil { database.wake(MailJob.queue, for: context) }
        return changed
    }
}
