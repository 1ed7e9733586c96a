public import Foundation

/// A pending invitation to the caller's own address.
public struct ReceivedInvitation: Sendable, Hashable, Identifiable {
    /// Its id.
    public let id: InvitationID
    /// The family's name.
    public let familyName: String
    /// Who invites.
    public let inviterName: String
    /// The side on which the caller would come in.
    public let role: MemberRole
    /// When it ends.
    public let expiresAt: Date?
    /// Whether the caller would be a new member, or takes over the membership of a child.
    public let kind: InvitationKind
}

extension ReceivedInvitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        familyName = fields.text("familyName")
        inviterName = fields.text("inviterName")
        role = fields.word("role") ?? .unknown("")
        expiresAt = fields.date("expiresAt")
        kind = fields.word("kind") ?? .member
    }
}
