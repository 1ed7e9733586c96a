public import Foundation

/// A person's membership in a family.
public struct Member: Sendable, Hashable, Identifiable {
    /// The membership's id.
    public let id: MemberID
    /// The family.
    public let familyID: FamilyID
    /// The person.
    public let userID: UserID
    /// The person's side in this family.
    public let role: MemberRole
    /// What the person may do in it.
    public let householdRole: HouseholdRole
    /// Whether the membership counts.
    public let status: MembershipStatus
    /// When the person came in.
    public let addedAt: Date?
    /// When the membership changed last; nil where Hearth doesn't say.
    public let updatedAt: Date?
    /// A child without an account, for whom its guardians act.
    public let isManaged: Bool
    /// The primary guardian of a managed member.
    public let guardianID: UserID?
    /// All guardians of a managed member, the primary one first.
    public let guardians: [Guardian]
    /// The name to show; empty if none is known.
    public let displayName: String
    /// Which of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// A picture.
    public let avatarURL: URL?
    /// The address; empty unless the caller may see it.
    public let email: String
}

extension Member: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        familyID = try fields.id("family_unit_id")
        userID = try fields.id("user_id")
        role = fields.word("role") ?? .unknown("")
        householdRole = fields.word("household_role") ?? .unknown("")
        status = fields.word("status") ?? .unknown("")
        addedAt = fields.date("added_at")
        updatedAt = fields.date("updated_at")
        isManaged = fields.flag("is_managed")
        guardianID = fields.idIfThere("parent_user_id")
        guardians = try fields.list("guardians", Guardian.init)
        displayName = fields.text("display_name")
        avatarKey = fields.text("avatar_key")
        avatarURL = fields.textIfThere("avatar_url").flatMap { URL(string: $0) }
        email = fields["users"]?["email"]?.stringValue ?? ""
    }
}

/// An adult who guards a child without an account.
public struct Guardian: Sendable, Hashable, Identifiable {
    /// The person.
    public let userID: UserID
    /// The person's membership in the child's family.
    public let memberID: MemberID
    /// The name to show; empty if none is known.
    public let displayName: String
    /// The one who decides about removing the child, and about its other guardians.
    public let isPrimary: Bool
    /// When the person became a guardian.
    public let since: Date?

    /// The person.
    public var id: UserID { userID }
}

extension Guardian: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        userID = try fields.id("userId")
        memberID = try fields.id("memberId")
        displayName = fields.text("displayName")
        isPrimary = fields.flag("isPrimary")
        since = fields.date("since")
    }
}

/// What `Hearth.updateManagedMember(_:_:)` changes. What is not given stays.
public struct ManagedMemberChange: Sendable, Hashable {
    /// The new name, 1 to 30 characters.
    public var displayName: String?
    /// Which of the app's avatars.
    public var avatarKey: Edit<String>

    /// A change; nothing unless it is named.
    public init(displayName: String? = nil, avatarKey: Edit<String> = .keep) {
        self.displayName = displayName
        self.avatarKey = avatarKey
    }

    var body: JSONValue {
        .body([
            "displayName": displayName.map { .string($0) },
            "avatarKey": .edit(avatarKey) { .string($0) },
        ])
    }
}

/// A profile that the caller can act as: its own, or that of a child whose guardian it is.
public struct SwitchableProfile: Sendable, Hashable, Identifiable {
    /// The person: for a managed member `managed_` and an id.
    public let memberID: MemberID
    /// The name to show; empty if none is known.
    public let displayName: String
    /// Which of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// A child without an account.
    public let isManaged: Bool
    /// The child's primary guardian; nil for the caller's own profile.
    public let guardianID: UserID?
    /// The child's guardians, the primary one first; empty for the caller's own profile.
    public let guardians: [Guardian]
    /// The child's family.
    public let familyID: FamilyID?

    /// The person.
    public var id: MemberID { memberID }

    /// The line below the name in a switcher, in English.
    public var typeLabel: String { isManaged ? "Family Member" : "You" }

    /// A profile, for tests and previews.
    public init(
        memberID: MemberID, displayName: String, avatarKey: String = "", isManaged: Bool,
        guardianID: UserID? = nil, guardians: [Guardian] = [], familyID: FamilyID? = nil
    ) {
        self.memberID = memberID
        self.displayName = displayName
        self.avatarKey = avatarKey
        self.isManaged = isManaged
        self.guardianID = guardianID
        self.guardians = guardians
        self.familyID = familyID
    }

    /// What stands in for the caller's own profile until it has been read.
    public static let placeholder = SwitchableProfile(
        memberID: MemberID("placeholder"), displayName: "", isManaged: false)
}

extension SwitchableProfile: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        self.init(
            memberID: try fields.id("memberId"), displayName: fields.text("displayName"),
            avatarKey: fields.text("avatarKey"), isManaged: fields.flag("isManaged"),
            guardianID: fields.idIfThere("parentUserId"),
            guardians: try fields.list("guardians", Guardian.init),
            familyID: fields.idIfThere("familyId"))
    }
}

/// A family as a group of people, as apps for groups show it.
public struct FamilyGroup: Sendable, Hashable, Identifiable {
    /// The family's id.
    public let id: FamilyID
    /// Its name.
    public let name: String
    /// Its active members.
    public let members: [GroupMember]
}

extension FamilyGroup: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("group_id")
        name = fields.text("name")
        members = try fields.list("members", GroupMember.init)
    }
}

/// A member of a group.
public struct GroupMember: Sendable, Hashable, Identifiable {
    /// The person.
    public let userID: UserID
    /// The name to show; empty if none is known.
    public let displayName: String
    /// Which of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// A child without an account, for whom its guardians act.
    public let isManaged: Bool
    /// The primary guardian of a managed member.
    public let guardianID: UserID?

    /// The person.
    public var id: UserID { userID }
}

extension GroupMember: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        userID = try fields.id("user_id")
        displayName = fields.text("display_name")
        avatarKey = fields.text("avatar_key")
        isManaged = fields.flag("is_managed")
        guardianID = fields.idIfThere("parent_user_id")
    }
}
