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
