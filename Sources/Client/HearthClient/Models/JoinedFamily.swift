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
