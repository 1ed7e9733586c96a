package import Domain
import Policy
package import Repositories

/// Creates a family with the caller as its first member.
package struct CreateFamily: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Gives the family that the caller has already, or a new one.
    ///
    /// Any number of calls at once make one family.
    /// - Parameters:
    ///   - name: The family's name; nil for the standard name.
    ///   - role: The caller's role in the family; nil for the account's own role.
    /// - Throws: ``Refusal``: what the policy says, such as to somebody who acts for a child.
    package func callAsFunction(
        by context: RequestContext, name: FamilyName?, role: MemberRole?
    ) throws -> CreatedFamily {
        try context.caller.facts.require(.familyCreate)
        return try database.request(by: context, writes: true) { batch in
            let created = batch.add(Families.create, name?.text, role, false)
            return { answers, _ in try answers.row(created) }
        }
    }
}
