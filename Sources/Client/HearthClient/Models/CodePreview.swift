/// The family to which a code belongs: what a screen shows before somebody joins.
public struct CodePreview: Sendable, Hashable {
    /// Its name.
    public let familyName: String
    /// How many active members it has.
    public let memberCount: Int
    /// Whether the caller would wait for approval: a button says "Ask to join" then.
    public let isApprovalRequired: Bool
}

extension CodePreview: FieldsDecodable {
    init(_ fields: Fields) {
        familyName = fields.text("familyName")
        memberCount = fields.count("memberCount")
        isApprovalRequired = fields.flag("approvalRequired")
    }
}
