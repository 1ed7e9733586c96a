import Domain
import Policy
package import Repositories

/// Lists the families that the caller is an active member of.
package struct ListFamilies: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The family that the caller created first, then the others in the order of joining.
    package func callAsFunction(by caller: Caller) throws -> [ListedFamily] {
        try database.run(Self.reading(by: caller))
    }

    /// The use case as a read, which can be batched with others.
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
    /// The facts of the reader. Being vouched makes no difference to reading.
    func facts(of subject: Subject) -> Facts {
        subject.facts(
            Membership(
                role: role, householdRole: householdRole, status: .active,
                isManaged: subject.isActing, isCreator: creator == subject.user, isVouched: false))
    }
}
