import Domain
import Policy
import Repositories

extension Roster {
    /// The member whose preferences a request is about, if the policy lets the request on.
    ///
    /// - Parameters:
    ///   - id: A member's id or its user's, which for managed members are the same; nil for the
    ///     subject's own.
    ///   - lacking: Children who lack a required consent.
    func preferencesOwner(
        _ id: MemberID?, lackingConsent lacking: [UserID] = []
    ) throws(Refusal) -> FamilyMember {
        let owner = rows.first { row in
            id.map { row.id == $0 || row.user.rawValue == $0.rawValue }
                ?? (row.user == subject.user)
        }
        guard let owner else { throw Refusal(.memberNotFound) }
        try require(facts(about: owner).with(lacksConsent: lacking.contains(owner.user)))
        return owner
    }
}
