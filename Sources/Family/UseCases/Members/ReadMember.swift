package import Domain
import Policy
package import Repositories

/// Reads one member of a family of the caller's.
package enum ReadMember {
    /// - Parameter isManaged: Whether only a managed member will do.
    /// - Throws: ``Refusal``: `memberNotFound`, the same for a member of another family.
    package static func reading(
        by context: RequestContext, member: MemberID, isManaged: Bool = false
    ) -> Read<ListedMember> {
        Read(by: context) { batch in
            let roster = Scope.familyOf(member).roster(for: .memberList, in: &batch)
            let row = batch.add(Members.one, member)
            return { answers, subject in
                let roster = try roster(answers, subject)
                try roster.require(roster.facts)
                context.trace?.note(family: roster.family)
                guard let found = try answers.first(row), found.isManaged || !isManaged else {
                    throw Refusal(.memberNotFound)
                }
                return found
            }
        }
    }
}
