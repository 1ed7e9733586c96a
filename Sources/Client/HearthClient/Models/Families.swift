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

/// Where a family lives.
public struct Home: Sendable, Hashable {
    /// In degrees, -90 to 90.
    public let latitude: Double
    /// In degrees, -180 to 180.
    public let longitude: Double

    /// A place on the earth.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Nil unless both are known.
    init?(latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

/// What `Hearth.updateFamily(_:_:)` changes. What is not given stays.
public struct FamilyChange: Sendable, Hashable {
    /// The new name.
    public var name: String?
    /// Where the family lives.
    public var home: Edit<Home>
    /// Whether people who join by the code wait until they are approved.
    public var isApprovalRequired: Bool?

    /// A change; nothing unless it is named.
    public init(name: String? = nil, home: Edit<Home> = .keep, isApprovalRequired: Bool? = nil) {
        self.name = name
        self.home = home
        self.isApprovalRequired = isApprovalRequired
    }

    var body: JSONValue {
        .body([
            "familyName": name.map { .string($0) },
            "homeLatitude": .edit(home) { .number($0.latitude) },
            "homeLongitude": .edit(home) { .number($0.longitude) },
            "approvalRequired": isApprovalRequired.map { .bool($0) },
        ])
    }
}

/// A family that was made, or that was there already.
public struct CreatedFamily: Sendable, Hashable {
    /// The family's id.
    public let id: FamilyID
    /// The code by which people join; nil if the caller may not see it.
    public let code: String?
    /// Its name.
    public let name: String
    /// Whether the caller had it before: `createFamily` never makes a second one.
    public let existedBefore: Bool
}

extension CreatedFamily: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("familyId")
        code = fields.textIfThere("familyCode").flatMap { $0.isEmpty ? nil : $0 }
        name = fields.text("familyName")
        existedBefore = fields["message"] != nil
    }
}

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

/// What came of joining a family by its code.
public struct JoinedFamily: Sendable, Hashable {
    /// The family.
    public let familyID: FamilyID
    /// Its name.
    public let familyName: String
    /// The caller is no member yet: somebody who may has to approve first.
    public let isAwaitingApproval: Bool
    /// A family of the caller's own, without anybody else in it, that ended by this.
    public let leftFamilyID: FamilyID?
    /// What to show, in the server's words.
    public let message: String
}

extension JoinedFamily: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        familyID = try fields.id("familyId")
        familyName = fields.text("familyName")
        isAwaitingApproval = fields.text("status") == "invited"
        leftFamilyID = fields.idIfThere("leftFamilyId")
        message = fields.text("message")
    }
}

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

/// A family's new code. The old one stopped working.
public struct RegeneratedCode: Sendable, Hashable {
    /// Such as `FAM-7K2Q9D`.
    public let code: String
    /// When it was made.
    public let generatedAt: Date?
    /// When it ends; nil if it doesn't end by itself.
    public let expiresAt: Date?
}

extension RegeneratedCode: FieldsDecodable {
    init(_ fields: Fields) {
        code = fields.text("familyCode")
        generatedAt = fields.date("codeGeneratedAt")
        expiresAt = fields.date("codeExpiresAt")
    }
}

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

/// A part of a list that can be longer.
public struct Page<Element: Sendable>: Sendable {
    /// What is on this page.
    public let elements: [Element]
    /// Asks for the next page; nil on the last one.
    public let nextCursor: String?
}

extension Page: Equatable where Element: Equatable {}
extension Page: Hashable where Element: Hashable {}
