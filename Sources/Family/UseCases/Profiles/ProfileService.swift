package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of profiles: the caller's own, and those that it can switch to.
package struct ProfileService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// A profile; while acting, the managed member's.
    package struct Profile: Sendable {
        /// The account that acts for the profile's owner.
        package struct Actor: Sendable {
            package let id: UserID
            /// The name to show for the account, as in ``SwitchableProfile``.
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

    /// Tells who the caller is, which families it has, and which it has asked to join: in a
    /// transaction of its own.
    package func profile(by context: RequestContext) throws -> Profile {
        try database.run(Self.read(by: context))
    }

    /// Reads what ``profile(by:)`` gives, alone or together with other reads.
    package static func read(by context: RequestContext) throws -> Read<Profile> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { [isActing = context.caller.actingAs != nil] batch in
            Self.read(isActing: isActing, in: &batch)
        }
    }

    /// Adds the statements that read the profile after a change in the same transaction.
    static func read(
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

    /// The requested change; nil keeps a value, an empty avatar clears it.
    package struct Change: Sendable {
        package var fullName: PersonName?
        package var avatarKey: AvatarKey?
        package var avatarURL: AvatarURL?
        /// The account's role: while it belongs to no family, or if nobody has said it before.
        package var role: MemberRole?
        /// The language that the account is written to in.
        package var locale: LanguageTag?

        package init(
            fullName: PersonName? = nil, avatarKey: AvatarKey? = nil, avatarURL: AvatarURL? = nil,
            role: MemberRole? = nil, locale: LanguageTag? = nil
        ) {
            self.fullName = fullName
            self.avatarKey = avatarKey
            self.avatarURL = avatarURL
            self.role = role
            self.locale = locale
        }
    }

    /// Changes the caller's profile; while acting, the managed member's.
    ///
    /// - Throws: ``Refusal``: `roleFixedInFamily`; `playerHasFamily` and
    ///   `guardianHasManagedMembers` for a parent by default who can't be a player;
    ///   `notWhileActing` for what a managed member does not have; `invalidField` for a name that
    ///   is too long for one.
    package func update(by context: RequestContext, _ change: Change) throws -> Profile {
        try context.caller.facts.require(.profileUpdate)
        if context.caller.actingAs != nil {
            guard change.role == nil, change.avatarURL == nil, change.locale == nil else {
                throw Refusal(.notWhileActing)
            }
            if let name = change.fullName, DisplayName(name.text) == nil {
                throw Refusal(.invalidField, .field("fullName"))
            }
        }
        return try database.callingNames("fullName") {
            try database.request(by: context, writes: true) { batch in
                batch.add(
                    Profiles.update, change.fullName?.text, change.avatarKey?.text,
                    change.avatarURL?.text, change.role)
                if let locale = change.locale { batch.add(Locales.choose, locale.text) }
                return Self.read(isActing: context.caller.actingAs != nil, in: &batch)
            }
        }
    }

    /// A profile that an account can switch to.
    package struct SwitchableProfile: Sendable {
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

    /// Lists the profiles that the caller's account can switch to, whether or not it acts for a
    /// member at the moment: the account's own first, then those of the children whose guardian it
    /// is, in order of creation. A token for one child alone tells of that child alone.
    ///
    /// - Parameter family: Which one; nil is enough for a member of at most one.
    package static func list(
        by context: RequestContext, family: FamilyID?
    ) throws -> Read<[SwitchableProfile]> {
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
                        SwitchableProfile(
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
