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
