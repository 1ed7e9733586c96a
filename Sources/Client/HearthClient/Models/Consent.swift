public import Foundation

/// What a child's guardians, or an account for itself, are asked to consent to, and whether they
/// did.
public struct Consent: Sendable, Hashable, Identifiable {
    /// The name of the purpose.
    public let purpose: String
    /// Whether consent stands. A required one stands only for the present version of its text.
    public let isGiven: Bool
    /// The version that was consented to; nil if none stands.
    public let version: String?
    /// Which guardian gave it; nil for a consent of the account itself.
    public let givenBy: UserID?
    /// When it was given.
    public let givenAt: Date?
    /// How it was proved.
    public let method: ConsentMethod?
    /// The version of the present text; nil for a purpose that nobody is asked for any more.
    public let currentVersion: String?
    /// Whether the child's preferences can be written only with this consent; of an account,
    /// whether it is asked for it.
    public let isRequired: Bool
    /// The permissions that the account lacks without this consent, such as `family.create`; empty
    /// for consents of guardians.
    public let refusedPermissions: [String]
    /// The title, by language; a text without a language stands under `und`.
    public let title: [String: String]
    /// The text to show, the same.
    public let text: [String: String]

    /// The purpose.
    public var id: String { purpose }
}

extension Consent: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        purpose = fields.text("purpose")
        isGiven = fields.flag("given")
        version = fields.textIfThere("version")
        givenBy = fields.idIfThere("givenBy")
        givenAt = fields.date("givenAt")
        method = fields.word("method")
        currentVersion = fields.textIfThere("currentVersion")
        isRequired = fields.flag("required")
        refusedPermissions = Self.names(fields["refuses"])
        title = Self.texts(fields["title"])
        text = Self.texts(fields["text"])
    }

    private static func names(_ value: JSONValue?) -> [String] {
        guard case .array(let list)? = value else { return [] }
        return list.compactMap(\.stringValue)
    }

    private static func texts(_ value: JSONValue?) -> [String: String] {
        guard case .array(let list)? = value else { return [:] }
        var texts: [String: String] = [:]
        for element in list {
            if let language = element["language"]?.stringValue {
                texts[language] = element["text"]?.stringValue
            }
        }
        return texts
    }
}
