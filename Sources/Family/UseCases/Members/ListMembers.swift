package import Domain
import Policy
package import Repositories

/// Lists the members of a family of the caller's.
package enum ListMembers {
    /// The members of one family, in the order in which they came, then who waits.
    package struct Listing: Sendable {
        package let family: FamilyID
        package let members: [ListedMember]
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
        try subject.facts(own.map(Self.membership)).require(.memberList)
        return Listing(family: family, members: members)
    }

    private static func membership(of member: ListedMember) -> Membership {
        // Being the creator or vouched makes no difference to reading.
        Membership(
            role: member.role, householdRole: member.householdRole, status: member.status,
            isManaged: member.isManaged, isCreator: false, isVouched: false)
    }
}
