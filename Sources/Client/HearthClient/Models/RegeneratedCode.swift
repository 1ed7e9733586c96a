public import Foundation

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
