package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of profiles: the caller's own, and those that the caller can switch to.
package struct ProfileService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// A profile; while acting, the managed member's.
    package struct Profile: Sendable {
        /// The profile; nil for an anonymous caller, who has none.
        package let own: OwnProfile?
        /// Families of the profile's owner.
        package let families: [ListedFamily]
        /// Pending requests to join of the profile's owner, the oldest first.
        package let joinRequests: [JoinRequest]
        /// Consents that the profile's owner is asked for and has not given; empty for a managed
        /// member.
        package let missingConsents: [MissingConsent]
        /// The acting account; nil unless the profile is read on behalf of a managed member.
        package let actor: SwitchableProfile?
    }

    /// Reads the caller's profile, families and requests to join, in a separate transaction.
    package func profile(by context: RequestContext) throws -> Profile {
        try database.run(Self.read(by: context))
    }

    /// Reads the result of ``profile(by:)``, alone or together with other reads.
    package static func read(by context: RequestContext) throws -> Read<Profile> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { [isActing = context.caller.actingAs != nil] batch in
            Self.read(isActing: isActing, in: &batch)
        }
    }

    /// Adds the statements that read the profile after a change in the same transaction.
    static func read(
        isActing: Bool, in batch: inout Batch
    ) -> (BatchResults, Subject) throws -> Profile {
        let own = batch.add(Profiles.mine)
        let families = batch.add(Families.mine)
        let requests = batch.add(Profiles.joinRequests)
        let missing = batch.add(Consents.missing)
        // The acting account is one of the profiles that the caller can switch to.
        let profiles = isActing ? batch.add(Profiles.switchable) : nil
        return { results, _ in
            let actor = try profiles.flatMap { try results.rows($0).first { !$0.isManaged } }
            return Profile(
                own: try results.first(own), families: try results.rows(families),
                joinRequests: try results.rows(requests),
                missingConsents: try results.rows(missing),
                actor: actor)
        }
    }

    /// The requested change. Nil keeps a value, an empty avatar clears it.
    package struct Change: Sendable {
        package var fullName: PersonName?
        package var avatarKey: AvatarKey?
        package var avatarURL: AvatarURL?
        /// The account's role. It may be set while the account is in no family or alone in one, and
        /// waits for none; or if no role has ever been set.
        package var role: MemberRole?
        /// The language of e-mails to the account.
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
    ///   `guardianHasManagedMembers` if the account, a parent by default, can't become a player;
    ///   `notWhileActing` for fields that a managed member lacks; `invalidField` for a managed
    ///   member's name that is too long.
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
        return try database.namingField("fullName") {
            try database.request(by: context, writes: true) { batch in
                batch.add(
                    Profiles.update, change.fullName?.text, change.avatarKey?.text,
                    change.avatarURL?.text, change.role)
                if let locale = change.locale { batch.add(Locales.choose, locale.text) }
                return Self.read(isActing: context.caller.actingAs != nil, in: &batch)
            }
        }
    }

    /// Lists the profiles that the caller's account can switch to, whether or not it acts for a
    /// member at the moment: first the account's own, then those of the children whose guardian it
    /// is, in order of creation. A token for one child lists only that child.
    ///
    /// - Parameter family: The family; may be nil if the caller is a member of at most one.
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
            return { results, _ in
                let families = try results.rows(families).map(\.id)
                let chosen = try Self.choose(family, of: families)
                return try results.rows(profiles)
                    .filter { !$0.isManaged || $0.family == chosen }
                    .filter { !caller.isDelegated || $0.user == caller.actingAs }
                    .map { $0.inFamily(chosen) }
            }
        }
    }

    /// Returns whether the caller's account is a guardian of a child, in any of its families.
    package static func guardsChildren(by context: RequestContext) throws -> Read<Bool> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            let profiles = batch.add(Profiles.switchable)
            return { answers, _ in try answers.rows(profiles).contains { $0.isManaged } }
        }
    }

    /// Returns whether the caller's account may take the other role: it is in no family or alone in
    /// one, and waits for none. The change decides again: somebody may wait for the family without
    /// the caller seeing it.
    package static func mayChangeRole(by context: RequestContext) throws -> Read<Bool> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            // The caller's own membership is always among the members.
            let members = batch.add(Members.ofMyFamilies)
            let requests = batch.add(Profiles.joinRequests)
            return { answers, _ in
                try answers.rows(members).count <= 1 && answers.rows(requests).isEmpty
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
