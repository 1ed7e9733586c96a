package import Domain
import Policy
package import Repositories

/// Changes a member's household role, or claims the vacant Parent Admin's seat.
package struct SetHouseholdRole: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// A member may choose any household role up to its ceiling, which is the one that it had at
    /// entry or was given by others, and take back what it chose.
    ///
    /// - Parameter heir: The member who becomes guardian of the children that a guardian who stops
    ///   being an adult leaves behind.
    /// - Returns: The member after the change.
    /// - Throws: ``Refusal``: `memberNotFound`, `memberIsWaiting`,
    ///   `guardianHasManagedMembers`, `guardianNotAdult`; `parentAdminExists`, and the other
    ///   reasons of the policy.
    package func callAsFunction(
        by caller: Caller, member: MemberID, to role: HouseholdRole,
        reassigningTo heir: MemberID? = nil
    ) throws -> ListedMember {
        let changed = try database.change(
            .memberSetRole, in: .familyOf(member), by: caller
        ) { roster, batch in
            let target = try roster.member(member)
            try roster.require(
                roster.facts(about: target).with(
                    newRole: role, present: target.householdRole,
                    ceiling: target.ceiling ?? target.householdRole,
                    isSeatTaken: roster.isSeatTaken, isSeatReserved: roster.isSeatReserved))
            if target.status != .active { throw Refusal(.memberIsWaiting) }
            if role < .adult { try roster.requireHandover(from: target, to: heir) }
            batch.add(Memberships.setHouseholdRole, member, role, heir)
            if role == .parentAdmin, target.householdRole != .parentAdmin {
                roster.tellAdults(ofAdmin: target, in: &batch)
            }
            if role < .adult {
                try roster.tellFormerGuardian(target, heir: heir, in: &batch)
            }
            let changed = batch.add(Members.one, member)
            return { try $0.row(changed) }
        }
        if role == .parentAdmin || heir != nil { database.wake(MailJob.queue, for: caller) }
        return changed
    }
}
