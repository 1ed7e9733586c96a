package import Domain
import Policy
package import Repositories

/// Transfers the caller's seat as Parent Admin to another adult of the family.
package struct TransferAdmin: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// In one transaction: nobody ever sees two Parent Admins, or none.
    ///
    /// - Returns: The two changed members, the new Parent Admin first.
    /// - Throws: ``Refusal``: `memberNotFound`, `adminNotAdult`.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID?, to member: MemberID
    ) throws -> [ListedMember] {
        let changed = try database.change(
            .adminTransfer, in: .family(family), by: context
        ) { roster, batch in
            let target = try roster.member(member)
            try roster.facts(about: target).require(.adminTransfer, unlessNotAdult: .adminNotAdult)
            batch.add(Memberships.transferAdmin, roster.family, member)
            roster.tellAdults(ofAdmin: target, in: &batch)
            let admin = batch.add(Members.one, member)
            let former = batch.add(Members.one, roster.me.id)
            return { [try $0.row(admin), try $0.row(former)] }
        }
        database.wake(MailJob.queue, for: context)
        return changed
    }
}
