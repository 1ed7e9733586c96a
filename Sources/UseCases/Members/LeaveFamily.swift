package import Domain
import Policy
import Repositories

/// Ends the caller's own membership.
package struct LeaveFamily: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - family: Which one; nil is enough for a member of exactly one.
    ///   - heir: The member who becomes guardian of the children that the caller guards.
    /// - Throws: ``UseCaseError``: `transferAdminFirst`, `guardianHasManagedMembers`,
    ///   `guardianNotAdult`.
    package func callAsFunction(
        by caller: Caller, family: FamilyID?, reassigningTo heir: MemberID? = nil
    ) throws {
        try database.change(.memberLeave, in: .family(family), by: caller) { roster, batch in
            try roster.require(roster.facts)
            let me = roster.me
            let hasOtherAdult = roster.rows.contains {
                $0.member != me.member && $0.membership.standing.contains(.adult)
            }
            if me.householdRole == .parentAdmin, hasOtherAdult {
                throw UseCaseError(.transferAdminFirst)
            }
            try roster.requireHandover(from: me, to: heir)
            batch.add(Memberships.leave, roster.family, heir)
            return { _ in }
        }
    }
}
