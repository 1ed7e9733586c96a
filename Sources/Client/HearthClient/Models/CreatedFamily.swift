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
