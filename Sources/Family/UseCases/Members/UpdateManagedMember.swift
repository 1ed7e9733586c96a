package import Domain
import Policy
package import Repositories

/// Changes the name or avatar of a child that the caller is a guardian of.
package struct UpdateManagedMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - name: Nil leaves it as it is.
    ///   - avatarKey: Nil leaves it as it is, an empty one takes it away.
    /// - Throws: ``Refusal``: `memberNotFound`, also for a member with an account.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, name: DisplayName? = nil,
        avatarKey: AvatarKey? = nil
    ) throws -> ListedMember {
        try database.callingNames("displayName") {
            try database.change(.managedUpdate, in: .familyOf(member), by: context) {
                roster, batch in
                let child = try roster.managedMember(member)
                try roster.require(roster.facts(about: child))
                batch.add(Memberships.updateManaged, member, name?.text, avatarKey?.text)
                let changed = batch.add(Members.one, member)
                return { try $0.row(changed) }
            }
        }
    }
}
