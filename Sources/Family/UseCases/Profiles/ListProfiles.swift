package import Domain
import Policy
package import Repositories

/// Lists the profiles that the caller's account can switch to.
///
/// The account's, whether or not it acts for a member at the moment. A token for one child alone
/// tells of that child alone.
package enum ListProfiles {
    /// A profile.
    package struct Profile: Sendable {
        package let user: UserID
        /// The name to show.
        package let name: String
        /// The app's name of a picture, such as `fox`; nil where none is chosen.
        package let avatarKey: String?
        /// Whether it is a child's; false for the account itself.
        package let isManaged: Bool
        /// The primary guardian of a managed member; nil for the account itself.
        package let guardian: UserID?
        /// All guardians of a managed member, the primary one first; none of the account itself.
        package let guardians: [ListedGuardian]
        /// Nil only for an account without a family.
        package let family: FamilyID?
    }

    /// The caller first, then the children whose guardian the caller is, in order of creation.
    ///
    /// - Parameter family: Which one; nil is enough for a member of at most one.
    package static func reading(by context: RequestContext, family: FamilyID?) throws -> Read<
        [Profile]
    > {
        let caller = context.caller
        try caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            if !caller.isDelegated {
                // The delegation has been verified; the second call undoes it.
                var account = context
                account.caller.actingAs = nil
                _ = Database.begin(account, false, &batch)
            }
            let profiles = batch.add(Profiles.switchable)
            let families = batch.add(Families.mine)
            return { answers, _ in
                let families = try answers.rows(families).map(\.id)
                let chosen = try Self.choose(family, of: families)
                return try answers.rows(profiles)
                    .filter { !$0.isManaged || $0.family == chosen }
                    .filter { !caller.isDelegated || $0.user == caller.actingAs }
                    .map {
                        Profile(
                            user: $0.user, name: $0.name, avatarKey: $0.avatarKey,
                            isManaged: $0.isManaged, guardian: $0.guardian,
                            guardians: $0.guardians, family: chosen)
                    }
            }
        }
    }

    private static func choose(
        _ family: FamilyID?, of families: [FamilyID]
    ) throws(Refusal) -> FamilyID? {
        if let family {
            guard families.contains(family) else { throw Refusal(.familyNotFound) }
            return family
        }
        guard families.count <= 1 else { throw Refusal(.familyRequired) }
        return families.first
    }
}
