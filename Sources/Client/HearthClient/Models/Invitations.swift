public import Foundation

/// An invitation as the family sees it.
public struct Invitation: Sendable, Hashable, Identifiable {
    /// Its id.
    public let id: InvitationID
    /// The family.
    public let familyID: FamilyID
    /// Who sent it.
    public let invitedBy: UserID
    /// To which address; empty for a link.
    public let email: String
    /// Whether it is for a new member, or for a child that gets an account.
    public let kind: InvitationKind
    /// Of a graduation: the child that whoever accepts becomes.
    public let graduateID: MemberID?
    /// The side on which the invited person comes in.
    public let role: MemberRole
    /// What the invited person may do then.
    public let householdRole: HouseholdRole
    /// What became of it.
    public let status: InvitationStatus
    /// Whether the e-mail could not be delivered.
    public let hasDeliveryFailed: Bool
    /// When it ends.
    public let expiresAt: Date?
    /// When it was made.
    public let createdAt: Date?

    /// Whether it ended, by this device's clock.
    public func isExpired(at now: Date = Date()) -> Bool { expiresAt.map { $0 < now } ?? false }
}

extension Invitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        familyID = try fields.id("family_unit_id")
        invitedBy = fields.idIfThere("invited_by") ?? UserID("")
        email = fields.text("invited_email")
        kind = fields.word("kind") ?? .member
        graduateID = fields.idIfThere("member_id")
        role = fields.word("role") ?? .unknown("")
        householdRole = fields.word("household_role") ?? .unknown("")
        status = fields.word("status") ?? .unknown("")
        hasDeliveryFailed = fields.text("delivery_status") == "failed"
        expiresAt = fields.date("expires_at")
        createdAt = fields.date("created_at")
    }
}

/// Whom an invitation is for.
public enum Invitee: Sendable, Hashable {
    /// Whoever can prove this address; Hearth sends an e-mail.
    case email(String)
    /// Whoever opens the link, which the app shares.
    case link
}

/// An invitation that was sent.
public struct SentInvitation: Sendable, Hashable {
    /// Its id.
    public let id: InvitationID
    /// The link to share; nil for an invitation by e-mail.
    public let url: URL?
}

extension SentInvitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("invitationId")
        url = fields.textIfThere("inviteUrl").flatMap { URL(string: $0) }
    }
}

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
