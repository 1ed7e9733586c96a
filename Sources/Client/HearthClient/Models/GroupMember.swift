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
