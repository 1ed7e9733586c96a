public import Foundation

/// Something that happened in a family, as its audit trail has it.
public struct AuditEntry: Sendable, Hashable, Identifiable {
    /// Its id.
    public let id: ID<AuditEntry>
    /// When.
    public let at: Date?
    /// Who did it; nil if it was no account.
    public let actorUserID: UserID?
    /// Who did it, if it was no account.
    public let actorLabel: String?
    /// For whom it was done, or who it is about.
    public let subjectUserID: UserID?
    /// What was done, such as `member.removed`.
    public let action: String
    /// To what.
    public let targetID: String?
    /// Whatever else is known.
    public let details: JSONValue
}

extension AuditEntry: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        at = fields.date("at")
        actorUserID = fields.idIfThere("actorUserId")
        actorLabel = fields.textIfThere("actorLabel")
        subjectUserID = fields.idIfThere("subjectUserId")
        action = fields.text("action")
        targetID = fields.textIfThere("targetId")
        details = fields["details"] ?? .null
    }
}
