import Domain
import Policy
package import Repositories

/// Lists the families that the caller is an active member of.
package struct ListFamilies: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The one that the caller made first, then in the order in which it came; none at all for
    /// whoever belongs to none.
    package func callAsFunction(by caller: Caller) throws -> [ListedFamily] {
        try database.run(Self.reading(by: caller))
    }

    /// What the use case does, to be run together with others.
    package static func reading(by caller: Caller) -> Read<[ListedFamily]> {
        Read(by: caller) { batch in
            let families = batch.add(Families.mine)
            return { answers, subject in
                let families = try answers.rows(families)
                for family in families { try family.facts(of: subject).require(.familyRead) }
                return families
            }
        }
    }
}

extension ListedFamily {
    /// What is true of who reads it. Who is vouched for makes no difference to reading.
    func facts(of subject: Subject) -> Facts {
        subject.facts(
            Membership(
                role: role, householdRole: householdRole, status: .active,
                isManaged: subject.isActing, isCreator: creator == subject.user, isVouched: false))
    }
}
