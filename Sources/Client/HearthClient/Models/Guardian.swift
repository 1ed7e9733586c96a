public import Foundation

/// An adult who guards a child without an account.
public struct Guardian: Sendable, Hashable, Identifiable {
    /// The person.
    public let userID: UserID
    /// The person's membership in the child's family.
    public let memberID: MemberID
    /// The name to show; empty if none is known.
    public let displayName: String
    /// The one who decides about removing the child, and about its other guardians.
    public let isPrimary: Bool
    /// When the person became a guardian.
    public let since: Date?

    /// The person.
    public var id: UserID { userID }
}

extension Guardian: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        userID = try fields.id("userId")
        memberID = try fields.id("memberId")
        displayName = fields.text("displayName")
        isPrimary = fields.flag("isPrimary")
        since = fields.date("since")
    }
}
