public import Foundation

/// The caller's request to join a family by its code, which waits for the family's approval.
///
/// `Hearth.withdrawRequest(to:)` withdraws it.
public struct JoinRequest: Sendable, Hashable, Identifiable {
    /// The family.
    public let familyID: FamilyID
    /// Its name.
    public let familyName: String
    /// The side on which the caller enters the family when it is approved.
    public let role: MemberRole
    /// Since when the caller has waited.
    public let requestedAt: Date?

    /// The family's id: there is one request at most to a family.
    public var id: FamilyID { familyID }
}

extension JoinRequest: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        familyID = try fields.id("familyId")
        familyName = fields.text("familyName")
        role = fields.word("role") ?? .unknown("")
        requestedAt = fields.date("requestedAt")
    }
}
