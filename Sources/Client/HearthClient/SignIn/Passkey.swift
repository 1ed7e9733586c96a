public import Foundation

/// A passkey of the account.
public struct Passkey: Sendable, Hashable, Identifiable {
    /// The passkey.
    public let id: ID<Passkey>
    /// What the person calls it; empty if nothing.
    public let label: String
    /// Whether other devices of the person have it too.
    public let isBackedUp: Bool
    /// When it was added.
    public let createdAt: Date?
    /// When somebody last signed in with it; nil if never.
    public let lastUsedAt: Date?
}

extension Passkey: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        label = fields.text("label")
        isBackedUp = fields.flag("isBackedUp")
        createdAt = fields.date("createdAt")
        lastUsedAt = fields.date("lastUsedAt")
    }
}
