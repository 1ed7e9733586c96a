package import Domain
import Policy
package import Repositories

/// Lists the members of a family of the caller's.
package enum ListMembers {
    /// The members of one family, in the order in which they came, then who waits.
    package struct Listing: Sendable {
        package let family: FamilyID
        package let members: [ListedMember]
        /// What the caller may choose for itself.
        package let choices: OwnChoices
    }

    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    package static func reading(by caller: Caller, family: FamilyID?) -> Read<Listing> {
        Read(by: caller) { batch in
            if let family {
                let members = batch.add(Members.ofFamily, family)
                return { try Self.listing(of: family, try $0.rows(members), $1) }
            }
            let members = batch.add(Members.ofMyFamilies)
            return { answers, subject in
                let rows = try answers.rows(members)
                guard let family = rows.first?.family, rows.last?.family == family,
                    rows.count < Members.limitOfMine
                else {
                    throw Refusal(.familyRequired)
                }
                return try Self.listing(of: family, rows, subject)
            }
        }
    }

    private static func listing(
        of family: FamilyID, _ members: [ListedMember], _ subject: Subject
    ) throws(Refusal) -> Listing {
        let own = members.first { $0.user == subject.user }
        try subject.facts(own?.membership).require(.memberList)
        guard let own else { throw Refusal(.familyNotFound) }
        let active = members.filter { $0.status == .active }
        let choices = OwnChoices(
            of: own.membership, isActing: subject.isActing,
            ceiling: own.ceiling ?? own.householdRole,
            isSeatTaken: active.contains { $0.householdRole == .parentAdmin },
            isSeatReserved: active.contains { $0.membership.hasRightToSeat })
        return Listing(family: family, members: members, choices: choices)
    }
}

extension ListedMember {
    fileprivate var membership: Membership {
        Membership(
            role: role, householdRole: householdRole, status: status, isManaged: isManaged,
            isCreator: isCreator, isVouched: isVouched)
    }
}
