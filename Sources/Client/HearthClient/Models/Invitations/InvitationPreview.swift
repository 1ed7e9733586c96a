public import Foundation

/// An invitation as the holder of its link sees it. Looking changes nothing.
public struct InvitationPreview: Sendable, Hashable, Identifiable {
    /// Its id.
    public let id: InvitationID
    /// To which address; masked unless it is the caller's own, and empty for a link.
    public let email: String
    /// The side on which the invited person comes in.
    public let role: MemberRole
    /// The family's name.
    public let familyName: String
    /// Who invites.
    public let inviterName: String
    /// When it ends.
    public let expiresAt: Date?
    /// Whether the caller would be a new member, or takes over the membership of a child.
    public let kind: InvitationKind
}

extension InvitationPreview: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("invitationId")
        email = fields.text("email")
        role = fields.word("role") ?? .unknown("")
        familyName = fields.text("familyName")
        inviterName = fields.text("inviterName")
        expiresAt = fields.date("expiresAt")
        kind = fields.word("kind") ?? .member
    }
}
