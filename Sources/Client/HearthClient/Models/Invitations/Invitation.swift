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
