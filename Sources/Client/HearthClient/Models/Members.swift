public import Foundation

/// A person's membership in a family.
public struct Member: Sendable, Hashable, Identifiable, Codable {
    /// Id of the membership.
    public let id: MemberID
    /// Id of the family.
    public let familyID: FamilyID
    /// Id of the person.
    public let userID: UserID
    /// The person's side in this family.
    public let role: MemberRole
    /// The person's household role in this family.
    public let householdRole: HouseholdRole
    /// State of the membership.
    public let status: MembershipStatus
    /// Time at which the person joined.
    public let addedAt: Date?
    /// Time of the last change of the membership; nil if Hearth doesn't say.
    public let updatedAt: Date?
    /// Whether the member is a child without an account, for whom guardians act.
    public let isManaged: Bool
    /// User id of a managed member's primary guardian.
    public let guardianID: UserID?
    /// All guardians of a managed member, the primary one first.
    public let guardians: [Guardian]
    /// Name to show; empty if none is known.
    public let displayName: String
    /// Key of one of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// Address of a picture.
    public let avatarURL: URL?
    /// E-mail address; empty unless the caller may see it.
    public let email: String

    /// Creates a value, for previews and tests.
    public init(
        id: MemberID, familyID: FamilyID, userID: UserID, role: MemberRole,
        householdRole: HouseholdRole, status: MembershipStatus = .active, addedAt: Date? = nil,
        updatedAt: Date? = nil, isManaged: Bool = false, guardianID: UserID? = nil,
        guardians: [Guardian] = [], displayName: String, avatarKey: String = "",
        avatarURL: URL? = nil, email: String = ""
    ) {
        self.id = id
        self.familyID = familyID
        self.userID = userID
        self.role = role
        self.householdRole = householdRole
        self.status = status
        self.addedAt = addedAt
        self.updatedAt = updatedAt
        self.isManaged = isManaged
        self.guardianID = guardianID
        self.guardians = guardians
        self.displayName = displayName
        self.avatarKey = avatarKey
        self.avatarURL = avatarURL
        self.email = email
    }
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
        guardianID = fields.optionalID("parent_user_id")
        guardians = try fields.list("guardians", Guardian.init)
        displayName = fields.text("display_name")
        avatarKey = fields.text("avatar_key")
        avatarURL = fields.optionalText("avatar_url").flatMap { URL(string: $0) }
        email = fields["users"]?["email"]?.stringValue ?? ""
    }
}

/// An adult who is a guardian of a child without an account.
public struct Guardian: Sendable, Hashable, Identifiable, Codable {
    /// Id of the person.
    public let userID: UserID
    /// Id of the person's membership in the child's family.
    public let memberID: MemberID
    /// Name to show; empty if none is known.
    public let displayName: String
    /// Whether this guardian decides about removing the child and about its other guardians.
    public let isPrimary: Bool
    /// Time at which the person became a guardian.
    public let since: Date?

    /// Creates a value, for previews and tests.
    public init(
        userID: UserID, memberID: MemberID, displayName: String, isPrimary: Bool = false,
        since: Date? = nil
    ) {
        self.userID = userID
        self.memberID = memberID
        self.displayName = displayName
        self.isPrimary = isPrimary
        self.since = since
    }

    /// Id of the person.
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

/// A change for `Hearth.updateManagedMember(_:_:)`. Values that are not set stay as they are.
public struct ManagedMemberChange: Sendable, Hashable, Codable {
    /// The new name, 1 to 30 characters.
    public var displayName: String?
    /// Key of one of the app's avatars.
    public var avatarKey: Edit<String>

    /// Creates a change of the values that are given.
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
public struct SwitchableProfile: Sendable, Hashable, Identifiable, Codable {
    /// Id of the person; for a managed member it begins with `managed_`.
    public let userID: UserID
    /// Name to show; empty if none is known.
    public let displayName: String
    /// Key of one of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// Whether the profile is that of a child without an account.
    public let isManaged: Bool
    /// The child's primary guardian; nil for the caller's own profile.
    public let guardianID: UserID?
    /// The child's guardians, the primary one first; empty for the caller's own profile.
    public let guardians: [Guardian]
    /// The child's family.
    public let familyID: FamilyID?

    /// Id of the person.
    public var id: UserID { userID }

    /// Id of the child's membership, for calls such as `Hearth.updateManagedMember(_:_:)`; nil for
    /// the caller's own profile, which has a membership in each of its families.
    public var memberID: MemberID? { isManaged ? MemberID(userID.rawValue) : nil }

    /// Text below the name in a list from which a person chooses a profile, in English.
    public var typeLabel: String { isManaged ? "Family Member" : "You" }

    /// Creates a profile, for tests and previews.
    public init(
        userID: UserID, displayName: String, avatarKey: String = "", isManaged: Bool,
        guardianID: UserID? = nil, guardians: [Guardian] = [], familyID: FamilyID? = nil
    ) {
        self.userID = userID
        self.displayName = displayName
        self.avatarKey = avatarKey
        self.isManaged = isManaged
        self.guardianID = guardianID
        self.guardians = guardians
        self.familyID = familyID
    }

    /// Placeholder for the caller's own profile until it has been read.
    public static let placeholder = SwitchableProfile(
        userID: UserID("placeholder"), displayName: "", isManaged: false)
}

extension SwitchableProfile: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        self.init(
            userID: try fields.id("memberId"), displayName: fields.text("displayName"),
            avatarKey: fields.text("avatarKey"), isManaged: fields.flag("isManaged"),
            guardianID: fields.optionalID("parentUserId"),
            guardians: try fields.list("guardians", Guardian.init),
            familyID: fields.optionalID("familyId"))
    }
}

/// A family as a group of people, for apps about groups.
public struct FamilyGroup: Sendable, Hashable, Identifiable, Codable {
    /// Id of the family.
    public let id: FamilyID
    /// Name of the family.
    public let name: String
    /// User who created the family.
    public let createdByUserID: UserID
    /// Number of active members.
    public let memberCount: Int
    /// Time at which the family was created.
    public let createdAt: Date?
    /// Texts of the family's attribute `streaming_services`; empty if the caller may not read it.
    public let streamingServices: [String]
    /// Active members of the family.
    public let members: [GroupMember]

    /// Creates a value, for previews and tests.
    public init(
        id: FamilyID, name: String, createdByUserID: UserID, createdAt: Date? = nil,
        streamingServices: [String] = [], members: [GroupMember] = []
    ) {
        self.id = id
        self.name = name
        self.createdByUserID = createdByUserID
        memberCount = members.count
        self.createdAt = createdAt
        self.streamingServices = streamingServices
        self.members = members
    }
}

extension FamilyGroup: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("group_id")
        name = fields.text("name")
        createdByUserID = fields.optionalID("created_by") ?? UserID("")
        memberCount = fields.count("member_count")
        createdAt = fields.date("created_at")
        streamingServices = (fields["streaming_services"]?.arrayValue ?? [])
            .compactMap(\.stringValue)
        members = try fields.list("members", GroupMember.init)
    }
}

/// A member of a group.
public struct GroupMember: Sendable, Hashable, Identifiable, Codable {
    /// Id of the person.
    public let userID: UserID
    /// Name to show; empty if none is known.
    public let displayName: String
    /// E-mail address; empty unless the caller may see it.
    public let email: String
    /// Key of one of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// Whether the member created the family.
    public let isCreator: Bool
    /// Time at which the person joined.
    public let joinedAt: Date?
    /// Whether the member is a child without an account, for whom guardians act.
    public let isManaged: Bool
    /// User id of a managed member's primary guardian.
    public let guardianID: UserID?
    /// All guardians of a managed member, the primary one first.
    public let guardians: [Guardian]

    /// Creates a value, for previews and tests.
    public init(
        userID: UserID, displayName: String, email: String = "", avatarKey: String = "",
        isCreator: Bool = false, joinedAt: Date? = nil, isManaged: Bool = false,
        guardianID: UserID? = nil, guardians: [Guardian] = []
    ) {
        self.userID = userID
        self.displayName = displayName
        self.email = email
        self.avatarKey = avatarKey
        self.isCreator = isCreator
        self.joinedAt = joinedAt
        self.isManaged = isManaged
        self.guardianID = guardianID
        self.guardians = guardians
    }

    /// Id of the person.
    public var id: UserID { userID }
}

extension GroupMember: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        userID = try fields.id("user_id")
        displayName = fields.text("display_name")
        email = fields.text("email")
        avatarKey = fields.text("avatar_key")
        isCreator = fields.text("role") == "creator"
        joinedAt = fields.date("joined_at")
        isManaged = fields.flag("is_managed")
        guardianID = fields.optionalID("parent_user_id")
        guardians = try fields.list("guardians", Guardian.init)
    }
}
