package import Domain
import Policy
import Repositories

/// Removes a child without an account from its family.
package struct RemoveManagedMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `memberNotFound`, also for a member with an account.
    package func callAsFunction(by context: RequestContext, member: MemberID) throws {
        try database.change(.managedRemove, in: .familyOf(member), by: context) { roster, batch in
            let child = try roster.managedMember(member)
            try roster.require(roster.facts(about: child))
            batch.add(Memberships.remove, member, nil, false, false)
            return { _ in }
        }
    }
}
