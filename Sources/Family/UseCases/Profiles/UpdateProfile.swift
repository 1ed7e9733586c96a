package import Domain
import Policy
import Repositories

/// Changes the caller's profile; while acting, the managed member's.
package struct UpdateProfile: Sendable {
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

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Throws: ``Refusal``: `roleFixedInFamily`; `playerHasFamily` and
    ///   `guardianHasManagedMembers` for a parent by default who can't be a player;
    ///   `notWhileActing` for what a managed member does not have; `invalidField` for a name that
    ///   is too long for one.
    package func callAsFunction(by context: RequestContext, _ change: Change) throws
        -> ReadProfile.Profile
    {
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
                return ReadProfile.reading(
                    isActing: context.caller.actingAs != nil, in: &batch)
            }
        }
    }
}
