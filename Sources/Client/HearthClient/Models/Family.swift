public import Foundation

/// One of the families that the caller belongs to, as the caller sees it.
public struct Family: Sendable, Hashable, Identifiable {
    /// The family's id.
    public let id: FamilyID
    /// Its name.
    public let name: String
    /// The code by which people join, such as `FAM-7K2Q9D`; nil if there is none, it has expired or
    /// the caller may not see it.
    public let code: String?
    /// When the code was made.
    public let codeGeneratedAt: Date?
    /// When the code ends; nil if it doesn't end by itself.
    public let codeExpiresAt: Date?
    /// The caller's side in this family.
    public let role: MemberRole
    /// What the caller may do in it.
    public let householdRole: HouseholdRole
    /// The caller's own membership.
    public let memberID: MemberID
    /// How many active members it has.
    public let memberCount: Int
    /// How many it can have.
    public let memberLimit: Int
    /// Who made it.
    public let createdByUserID: UserID
    /// Whether people who join by the code wait until they are approved.
    public let isApprovalRequired: Bool
    /// Where it lives, if the caller may see that and it is known.
    public let home: Home?
    /// The household roles that the caller may choose for itself; nil where Hearth doesn't say.
    public let selectableRoles: [HouseholdRole]?
    /// Whether the position of the Parent Admin can be taken; nil where Hearth doesn't say.
    public let parentAdmin: ParentAdminSeat?
}

extension Family: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("familyId")
        name = fields.text("familyName")
        code = fields.textIfThere("familyCode").flatMap { $0.isEmpty ? nil : $0 }
        codeGeneratedAt = fields.date("codeGeneratedAt")
        codeExpiresAt = fields.date("codeExpiresAt")
        role = fields.word("role") ?? .unknown("")
        householdRole = fields.word("householdRole") ?? .unknown("")
        memberID = try fields.id("memberId")
        memberCount = fields.count("memberCount")
        memberLimit = fields.count("memberLimit")
        createdByUserID = fields.idIfThere("createdByUserId") ?? UserID("")
        isApprovalRequired = fields.flag("approvalRequired")
        home = Home(
            latitude: fields["homeLatitude"]?.doubleValue,
            longitude: fields["homeLongitude"]?.doubleValue)
        selectableRoles = fields["selectableRoles"]?.arrayValue?
            .compactMap { $0.stringValue.map(HouseholdRole.init(rawValue:)) }
        parentAdmin = fields.textIfThere("parentAdmin").map(ParentAdminSeat.init(rawValue:))
    }
}
