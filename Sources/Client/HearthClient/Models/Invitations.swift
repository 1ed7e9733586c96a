public import Foundation

/// An invitation, as the family's members see it.
public struct Invitation: Sendable, Hashable, Identifiable, Codable {
    /// Id of the invitation.
    public let id: InvitationID
    /// Id of the family.
    public let familyID: FamilyID
    /// User who sent the invitation.
    public let invitedBy: UserID
    /// Address of the invited person; empty for a link.
    public let email: String
    /// Whether the invitation is for a new member, or gives a child an account.
    public let kind: InvitationKind
    /// Child that the accepting account becomes, for a graduation; else nil.
    public let graduateID: MemberID?
    /// The side on which the invited person joins.
    public let role: MemberRole
    /// Household role that the invited person gets.
    public let householdRole: HouseholdRole
    /// State of the invitation.
    public let status: InvitationStatus
    /// Whether the e-mail could not be delivered.
    public let hasDeliveryFailed: Bool
    /// Time at which the invitation expires.
    public let expiresAt: Date?
    /// Time at which the invitation was created.
    public let createdAt: Date?

    /// Creates a value, for previews and tests.
    public init(
        id: InvitationID, familyID: FamilyID, invitedBy: UserID, email: String = "",
        kind: InvitationKind = .member, graduateID: MemberID? = nil, role: MemberRole,
        householdRole: HouseholdRole, status: InvitationStatus = .pending,
        hasDeliveryFailed: Bool = false, expiresAt: Date? = nil, createdAt: Date? = nil
    ) {
        self.id = id
        self.familyID = familyID
        self.invitedBy = invitedBy
        self.email = email
        self.kind = kind
        self.graduateID = graduateID
        self.role = role
        self.householdRole = householdRole
        self.status = status
        self.hasDeliveryFailed = hasDeliveryFailed
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }

    /// Whether the invitation has expired, by this device's clock.
    public func isExpired(at now: Date = Date()) -> Bool { expiresAt.map { $0 < now } ?? false }
}

extension Invitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        familyID = try fields.id("family_unit_id")
        invitedBy = fields.optionalID("invited_by") ?? UserID("")
        email = fields.text("invited_email")
        kind = fields.word("kind") ?? .member
        graduateID = fields.optionalID("member_id")
        role = fields.word("role") ?? .unknown("")
        householdRole = fields.word("household_role") ?? .unknown("")
        status = fields.word("status") ?? .unknown("")
        hasDeliveryFailed = fields.text("delivery_status") == "failed"
        expiresAt = fields.date("expires_at")
        createdAt = fields.date("created_at")
    }
}

/// The recipient of an invitation.
public enum Invitee: Sendable, Hashable, Codable {
    /// Anybody who can prove this address; Hearth sends an e-mail.
    case email(String)
    /// Anybody who opens the link, which the app shares.
    case link
}

/// An invitation that was just sent.
public struct SentInvitation: Sendable, Hashable, Codable {
    /// Id of the invitation.
    public let id: InvitationID
    /// The link to share; nil for an invitation by e-mail.
    public let url: URL?

    /// Creates a value, for previews and tests.
    public init(id: InvitationID, url: URL? = nil) {
        self.id = id
        self.url = url
    }
}

extension SentInvitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("invitationId")
        url = fields.optionalText("inviteUrl").flatMap { URL(string: $0) }
    }
}

/// An invitation, as the holder of its link sees it. Previewing changes nothing.
public struct InvitationPreview: Sendable, Hashable, Identifiable, Codable {
    /// Id of the invitation.
    public let id: InvitationID
    /// Address of the invited person; masked unless it is the caller's own, and empty for a link.
    public let email: String
    /// The side on which the invited person joins.
    public let role: MemberRole
    /// Name of the family.
    public let familyName: String
    /// Name of the inviter.
    public let inviterName: String
    /// Time at which the invitation expires.
    public let expiresAt: Date?
    /// Whether the caller would be a new member, or take over the membership of a child.
    public let kind: InvitationKind

    /// Creates a value, for previews and tests.
    public init(
        id: InvitationID, email: String = "", role: MemberRole, familyName: String,
        inviterName: String, expiresAt: Date? = nil, kind: InvitationKind = .member
    ) {
        self.id = id
        self.email = email
        self.role = role
        self.familyName = familyName
        self.inviterName = inviterName
        self.expiresAt = expiresAt
        self.kind = kind
    }
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
public struct ReceivedInvitation: Sendable, Hashable, Identifiable, Codable {
    /// Id of the invitation.
    public let id: InvitationID
    /// Name of the family.
    public let familyName: String
    /// Name of the inviter.
    public let inviterName: String
    /// The side on which the caller would join.
    public let role: MemberRole
    /// Time at which the invitation expires.
    public let expiresAt: Date?
    /// Whether the caller would be a new member, or take over the membership of a child.
    public let kind: InvitationKind

    /// Creates a value, for previews and tests.
    public init(
        id: InvitationID, familyName: String, inviterName: String, role: MemberRole,
        expiresAt: Date? = nil, kind: InvitationKind = .member
    ) {
        self.id = id
        self.familyName = familyName
        self.inviterName = inviterName
        self.role = role
        self.expiresAt = expiresAt
        self.kind = kind
    }
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
