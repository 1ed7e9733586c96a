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
