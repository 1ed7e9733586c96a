import Domain
import Policy
package import Repositories

/// Lists the families that the caller is an active member of.
package enum ListFamilies {
    /// The family that the caller created first, then the others in the order of joining.
    package static func reading(by context: RequestContext) -> Read<[ListedFamily]> {
        Read(by: context) { batch in
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
    /// The facts of the reader.
    func facts(of subject: Subject) -> Facts {
        subject.facts(membership(isCreator: creator == subject.user))
    }

    private func membership(isCreator: Bool) -> Membership {
        Membership(
            role: role, householdRole: householdRole, status: .active, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched)
    }

    /// What the reader may choose for itself. Whether it is the creator makes no difference: every
    /// creator is vouched.
    package var choices: OwnChoices {
        OwnChoices(
            of: membership(isCreator: false), isActing: isManaged, ceiling: ceiling,
            isSeatTaken: isSeatTaken, isSeatReserved: isSeatReserved)
    }
}
