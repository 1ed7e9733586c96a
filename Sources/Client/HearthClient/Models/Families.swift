public import Foundation

/// A family that the caller belongs to, from the caller's point of view.
public struct Family: Sendable, Hashable, Identifiable, Codable {
    /// The family's id.
    public let id: FamilyID
    /// Name of the family.
    public let name: String
    /// The code by which people join, such as `FAM-7K2Q9D`; nil if there is none, it has expired or
    /// the caller may not see it.
    public let code: String?
    /// Time at which the code was made.
    public let codeGeneratedAt: Date?
    /// Time at which the code expires; nil if it doesn't.
    public let codeExpiresAt: Date?
    /// The caller's role in this family: player or parent.
    public let role: MemberRole
    /// The caller's household role in this family.
    public let householdRole: HouseholdRole
    /// Id of the caller's own membership.
    public let memberID: MemberID
    /// Number of active members.
    public let memberCount: Int
    /// Maximum number of members.
    public let memberLimit: Int
    /// User who created the family.
    public let createdByUserID: UserID
    /// Whether people who join by the code wait for approval.
    public let isApprovalRequired: Bool
    /// Location of the family's home; nil if it is unknown or the caller may not see it.
    public let home: Home?
    /// Household roles that the caller may choose for itself; nil if Hearth doesn't say.
    public let selectableRoles: [HouseholdRole]?
    /// Whether the seat of Parent Admin can be taken; nil if Hearth doesn't say.
    public let parentAdmin: ParentAdminSeat?

    /// Creates a value, for previews and tests.
    public init(
        id: FamilyID, name: String, code: String? = nil, codeGeneratedAt: Date? = nil,
        codeExpiresAt: Date? = nil, role: MemberRole, householdRole: HouseholdRole,
        memberID: MemberID, memberCount: Int = 1, memberLimit: Int = 6, createdByUserID: UserID,
        isApprovalRequired: Bool = false, home: Home? = nil,
        selectableRoles: [HouseholdRole]? = nil, parentAdmin: ParentAdminSeat? = nil
    ) {
        self.id = id
        self.name = name
        self.code = code
        self.codeGeneratedAt = codeGeneratedAt
        self.codeExpiresAt = codeExpiresAt
        self.role = role
        self.householdRole = householdRole
        self.memberID = memberID
        self.memberCount = memberCount
        self.memberLimit = memberLimit
        self.createdByUserID = createdByUserID
        self.isApprovalRequired = isApprovalRequired
        self.home = home
        self.selectableRoles = selectableRoles
        self.parentAdmin = parentAdmin
    }
}

extension Family: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("familyId")
        name = fields.text("familyName")
        code = fields.optionalText("familyCode").flatMap { $0.isEmpty ? nil : $0 }
        codeGeneratedAt = fields.date("codeGeneratedAt")
        codeExpiresAt = fields.date("codeExpiresAt")
        role = fields.word("role") ?? .unknown("")
        householdRole = fields.word("householdRole") ?? .unknown("")
        memberID = try fields.id("memberId")
        memberCount = fields.count("memberCount")
        memberLimit = fields.count("memberLimit")
        createdByUserID = fields.optionalID("createdByUserId") ?? UserID("")
        isApprovalRequired = fields.flag("approvalRequired")
        home = Home(
            latitude: fields["homeLatitude"]?.doubleValue,
            longitude: fields["homeLongitude"]?.doubleValue)
        selectableRoles = fields["selectableRoles"]?.arrayValue?
            .compactMap { $0.stringValue.map(HouseholdRole.init(rawValue:)) }
        parentAdmin = fields.optionalText("parentAdmin").map(ParentAdminSeat.init(rawValue:))
    }
}

/// Location of a family's home.
public struct Home: Sendable, Hashable, Codable {
    /// Degrees, -90 to 90.
    public let latitude: Double
    /// Degrees, -180 to 180.
    public let longitude: Double

    /// Creates a location.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Returns nil unless both coordinates are known.
    init?(latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

/// A change for `Hearth.updateFamily(_:_:)`. Values that are not set stay as they are.
public struct FamilyChange: Sendable, Hashable, Codable {
    /// The new name.
    public var name: String?
    /// Location of the family's home.
    public var home: Edit<Home>
    /// Whether people who join by the code wait for approval.
    public var isApprovalRequired: Bool?

    /// Creates a change of the values that are given.
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

/// A family that was created, or that the caller already had.
public struct CreatedFamily: Sendable, Hashable, Codable {
    /// The family's id.
    public let id: FamilyID
    /// The code by which people join; nil if the caller may not see it.
    public let code: String?
    /// Name of the family.
    public let name: String
    /// Whether the caller already had the family: `createFamily` never creates a second one.
    public let existedBefore: Bool

    /// Creates a value, for previews and tests.
    public init(id: FamilyID, code: String? = nil, name: String, existedBefore: Bool = false) {
        self.id = id
        self.code = code
        self.name = name
        self.existedBefore = existedBefore
    }
}

extension CreatedFamily: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("familyId")
        code = fields.optionalText("familyCode").flatMap { $0.isEmpty ? nil : $0 }
        name = fields.text("familyName")
        existedBefore = fields["message"] != nil
    }
}

/// The family that a code belongs to, for a screen to show before the person joins.
public struct CodePreview: Sendable, Hashable, Codable {
    /// Name of the family.
    public let familyName: String
    /// Number of active members.
    public let memberCount: Int
    /// Whether the caller would wait for approval: if so, a button says "Ask to join".
    public let isApprovalRequired: Bool

    /// Creates a value, for previews and tests.
    public init(familyName: String, memberCount: Int, isApprovalRequired: Bool = false) {
        self.familyName = familyName
        self.memberCount = memberCount
        self.isApprovalRequired = isApprovalRequired
    }
}

extension CodePreview: FieldsDecodable {
    init(_ fields: Fields) {
        familyName = fields.text("familyName")
        memberCount = fields.count("memberCount")
        isApprovalRequired = fields.flag("approvalRequired")
    }
}

/// Outcome of joining a family by its code.
public struct JoinedFamily: Sendable, Hashable, Codable {
    /// Id of the family.
    public let familyID: FamilyID
    /// Name of the family.
    public let familyName: String
    /// Whether the caller is not a member yet and waits for approval.
    public let isAwaitingApproval: Bool
    /// The caller's previous family, which had no other members and ended when the caller joined.
    public let leftFamilyID: FamilyID?
    /// Message to show, in the server's words.
    public let message: String

    /// Creates a value, for previews and tests.
    public init(
        familyID: FamilyID, familyName: String, isAwaitingApproval: Bool = false,
        leftFamilyID: FamilyID? = nil, message: String = ""
    ) {
        self.familyID = familyID
        self.familyName = familyName
        self.isAwaitingApproval = isAwaitingApproval
        self.leftFamilyID = leftFamilyID
        self.message = message
    }
}

extension JoinedFamily: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        familyID = try fields.id("familyId")
        familyName = fields.text("familyName")
        isAwaitingApproval = fields.text("status") == "invited"
        leftFamilyID = fields.optionalID("leftFamilyId")
        message = fields.text("message")
    }
}

/// The caller's request to join a family by its code, which waits for the family's approval.
///
/// `Hearth.withdrawRequest(to:)` withdraws it.
public struct JoinRequest: Sendable, Hashable, Identifiable, Codable {
    /// Id of the family.
    public let familyID: FamilyID
    /// Name of the family.
    public let familyName: String
    /// The side on which the caller enters the family when it is approved.
    public let role: MemberRole
    /// Time at which the caller asked to join.
    public let requestedAt: Date?

    /// Creates a value, for previews and tests.
    public init(
        familyID: FamilyID, familyName: String, role: MemberRole, requestedAt: Date? = nil
    ) {
        self.familyID = familyID
        self.familyName = familyName
        self.role = role
        self.requestedAt = requestedAt
    }

    /// The family's id: an account has at most one request to a family.
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

/// A family's new code. The old one no longer works.
public struct RegeneratedCode: Sendable, Hashable, Codable {
    /// The code, such as `FAM-7K2Q9D`.
    public let code: String
    /// Time at which the code was made.
    public let generatedAt: Date?
    /// Time at which the code expires; nil if it doesn't.
    public let expiresAt: Date?

    /// Creates a value, for previews and tests.
    public init(code: String, generatedAt: Date? = nil, expiresAt: Date? = nil) {
        self.code = code
        self.generatedAt = generatedAt
        self.expiresAt = expiresAt
    }
}

extension RegeneratedCode: FieldsDecodable {
    init(_ fields: Fields) {
        code = fields.text("familyCode")
        generatedAt = fields.date("codeGeneratedAt")
        expiresAt = fields.date("codeExpiresAt")
    }
}

/// An entry of a family's audit log.
public struct AuditEntry: Sendable, Hashable, Identifiable, Codable {
    /// Id of the entry.
    public let id: ID<AuditEntry>
    /// Time of the event.
    public let at: Date?
    /// Account that acted; nil if it was not an account.
    public let actorUserID: UserID?
    /// Name of the actor, if it was not an account.
    public let actorLabel: String?
    /// Person on whose behalf the action was done, or whom it concerns.
    public let subjectUserID: UserID?
    /// Action, such as `member.removed`.
    public let action: String
    /// Id of the object that the action concerns.
    public let targetID: String?
    /// Further details.
    public let details: JSONValue

    /// Creates a value, for previews and tests.
    public init(
        id: ID<AuditEntry>, at: Date? = nil, actorUserID: UserID? = nil,
        actorLabel: String? = nil, subjectUserID: UserID? = nil, action: String,
        targetID: String? = nil, details: JSONValue = .null
    ) {
        self.id = id
        self.at = at
        self.actorUserID = actorUserID
        self.actorLabel = actorLabel
        self.subjectUserID = subjectUserID
        self.action = action
        self.targetID = targetID
        self.details = details
    }
}

extension AuditEntry: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        at = fields.date("at")
        actorUserID = fields.optionalID("actorUserId")
        actorLabel = fields.optionalText("actorLabel")
        subjectUserID = fields.optionalID("subjectUserId")
        action = fields.text("action")
        targetID = fields.optionalText("targetId")
        details = fields["details"] ?? .null
    }
}

/// One page of a longer list.
public struct Page<Element: Sendable>: Sendable {
    /// Elements of this page.
    public let elements: [Element]
    /// Cursor for the next page; nil on the last one.
    public let nextCursor: String?

    /// Creates a page, for previews and tests.
    public init(elements: [Element], nextCursor: String? = nil) {
        self.elements = elements
        self.nextCursor = nextCursor
    }
}

extension Page: Codable where Element: Codable {}
extension Page: Equatable where Element: Equatable {}
extension Page: Hashable where Element: Hashable {}
