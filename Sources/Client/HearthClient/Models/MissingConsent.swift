/// A consent that an account is asked for.
public struct MissingConsent: Sendable, Hashable, Identifiable {
    /// The name of the purpose.
    public let purpose: String
    /// The version of the present text.
    public let version: String

    /// The purpose.
    public var id: String { purpose }
}

extension MissingConsent: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        purpose = fields.text("purpose")
        version = fields.text("version")
    }
}
