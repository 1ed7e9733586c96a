import Domain
import Policy
package import Repositories

/// Lists the families that the caller is an active member of.
package enum ListFamilies {
    /// The family that the caller created first, then the others in the order of joining.
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
