package import Domain
import Policy
import Postgres
package import Repositories

/// Tells who the caller is, which families it has, and which it has asked to join.
package struct ReadProfile: Sendable {
    /// A profile; while acting, the managed member's.
    package struct Profile: Sendable {
        /// The account that acts for the profile's owner.
        package struct Actor: Sendable {
            package let id: UserID
            /// The name to show for the account, as in ``ListProfiles``.
            package let fullName: String?
        }

        /// Nil for an anonymous caller: there is nothing of it.
        package let own: OwnProfile?
        /// Those of the profile's owner.
        package let families: [ListedFamily]
        /// Those of the profile's owner that no family has answered yet, the oldest first.
        package let joinRequests: [JoinRequest]
        /// What the profile's owner is asked to consent to and has not; none of a managed member.
        package let missingConsents: [MissingConsent]
        /// Nil unless the profile is read on behalf of a managed member.
        package let actor: Actor?
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Reads it by itself, in a transaction of its own.
    package func callAsFunction(by context: RequestContext) throws -> Profile {
        try database.run(Self.reading(by: context))
    }

    /// The use case as a read, which can be batched with others.
    package static func reading(by context: RequestContext) throws -> Read<Profile> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { [isActing = context.caller.actingAs != nil] batch in
            Self.reading(isActing: isActing, in: &batch)
        }
    }

    /// Adds the statements that read the profile after a change in the same transaction.
    static func reading(
        isActing: Bool, in batch: inout Batch
    ) -> (Answers, Subject) throws -> Profile {
        let own = batch.add(Profiles.mine)
        let families = batch.add(Families.mine)
        let requests = batch.add(Profiles.joinRequests)
        let missing = batch.add(Consents.missing)
        // Of the profiles that the caller can switch to, the account is the one who acts.
        let profiles = isActing ? batch.add(Profiles.switchable) : nil
        return { answers, _ in
            let actor = try profiles.flatMap { try answers.rows($0).first { !$0.isManaged } }
            return Profile(
                own: try answers.first(own), families: try answers.rows(families),
                joinRequests: try answers.rows(requests),
                missingConsents: try answers.rows(missing),
                actor: actor.map { Profile.Actor(id: $0.user, fullName: $0.name) })
        }
    }
}
