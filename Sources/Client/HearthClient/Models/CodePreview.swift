/// The family to which a code belongs: what a screen shows before somebody joins.
public struct CodePreview: Sendable, Hashable {
    /// Its name.
    public let familyName: String
    /// How many active members it has.
    public let memberCount: Int
}

extension CodePreview: FieldsDecodable {
    init(_ fields: Fields) {
        familyName = fields.text("familyName")
        memberCount = fields.count("memberCount")
    }
}
