package import Domain
package import Postgres

/// A person's own profile.
package struct OwnProfile: RowDecodable, Sendable {
    package let id: UserID
    /// Whether the person signs in, or is a managed child.
    package let kind: UserKind
    /// E-mail address; nil if there is none, as for every managed member.
    package let email: String?
    /// The person's name; nil if there is none.
    package let fullName: String?
    /// Whether the account is a player or a parent; a membership may have the other role.
    package let role: MemberRole
    /// The app's name of a picture, such as `fox`; nil if none is chosen.
    package let avatarKey: String?
    /// An https address of a picture; nil if there is none, as for every managed member.
    package let avatarURL: String?
    /// Language of messages to the account; nil if it is unknown.
    package let locale: String?
    /// Whether the role is the default, parent, because nobody has stated it.
    package let isRoleDefault: Bool
    /// Display name, even for a person without a name.
    package let displayName: String

    package static let row = RowDecoder(Self.init)
}

/// A person's request to join a family by its code, which waits for the family's approval.
package struct JoinRequest: RowDecodable, Sendable {
    package let family: FamilyID
    /// The family's current name.
    package let familyName: String
    /// Whether the person becomes a player or a parent on approval.
    package let role: MemberRole
    /// Time when the person began to wait.
    package let requestedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A profile that an account can use: its own, or that of a child whose guardian it is. Unlike
/// ``OwnProfile``, it has the values that a profile switcher shows, and describes the account's
/// profiles even while the account acts for a child.
package struct SwitchableProfile: RowDecodable, Sendable {
    package let user: UserID
    /// Display name.
    package let name: String
    /// The app's name of a picture, such as `fox`; nil if none is chosen.
    package let avatarKey: String?
    /// Whether the profile is a child's; false for the account's own.
    package let isManaged: Bool
    /// The primary guardian of a managed member; nil for the account itself.
    package let guardian: UserID?
    /// The child's family; nil for the account itself, which may belong to any number of families.
    /// ``inFamily(_:)`` adds the chosen family.
    package private(set) var family: FamilyID?
    /// All guardians of a managed member, the primary one first; empty for the account itself.
    package let guardians: [ListedGuardian]

    package static let row = RowDecoder {
        (
            user: UserID, name: String, avatarKey: String?, isManaged: Bool, guardian: UserID?,
            family: FamilyID?, guardians: [ListedGuardian]?
        ) in
        SwitchableProfile(
            user: user, name: name, avatarKey: avatarKey, isManaged: isManaged,
            guardian: guardian, family: family,
            guardians: ListedGuardian.list(guardians, primary: guardian))
    }

    /// Returns the profile with a family; nil for an account that belongs to none.
    package func inFamily(_ family: FamilyID?) -> SwitchableProfile {
        var profile = self
        profile.family = family
        return profile
    }
}

/// Statements about people's own profiles.
package enum Profiles {
    /// Returns the subject's own profile; no row without a caller.
    package static let mine = Statement<OwnProfile>(
        selectMine("app.my_profile"),
        forEach: selectMine("app.profiles_of_batch WHERE caller_index = q.caller_index")
    )

    private static func selectMine(_ seen: String) -> String {
        """
        SELECT id, kind, email, full_name, role, avatar_key, avatar_url, locale, role_is_default,
            display_name
        FROM \(seen)
        """
    }

    /// Returns the subject's requests to join, oldest first.
    package static let joinRequests = Statement<JoinRequest>(
        selectRequests("app.my_requests"),
        forEach: selectRequests("app.requests_of_batch WHERE caller_index = q.caller_index"))

    private static func selectRequests(_ seen: String) -> String {
        """
        SELECT family_unit_id, family_name, role, requested_at FROM \(seen)
        ORDER BY requested_at, family_unit_id LIMIT 100
        """
    }

    /// Changes the subject's own profile. Parameters: name, avatar key, avatar URL (empty: remove
    /// either), role. Null keeps a value. Does nothing without a caller.
    package static let update = Statement<NoRow, String?, String?, String?, MemberRole?>(
        "SELECT FROM app.update_profile($1, $2, $3, $4) WHERE app.user_id() IS NOT NULL")

    /// Returns the account's own profile first, then the children whose guardian it is, in order of
    /// creation.
    package static let switchable = Statement<SwitchableProfile>(
        """
        SELECT user_id, display_name, avatar_key, is_managed, parent_user_id, family_unit_id,
            guardians
        FROM app.my_profiles ORDER BY is_managed, created_at, user_id LIMIT 200
        """)
}
