package import Domain
import Policy
package import Repositories

/// Reads a family with its members, as one group.
package enum ReadGroup {
    /// A family and its members.
    package struct Group: Sendable {
        package let id: FamilyID
        package let name: String
        /// Active members, in the order in which they came.
        package let members: [ListedMember]
    }

    /// The use case as a read, which can be batched with others.
    package static func reading(by caller: Caller, family: FamilyID) -> Read<Group> {
        Read(by: caller) { batch in
            let row = batch.add(Families.one, family)
            let members = batch.add(Members.ofFamily, family)
            return { answers, subject in
                let family = try ReadFamily.require(
                    .familyRead, of: try answers.first(row), subject)
                try family.facts(of: subject).require(.memberList)
                let active = try answers.rows(members).filter { $0.status == .active }
                return Group(id: family.id, name: family.name, members: active)
            }
        }
    }
}
