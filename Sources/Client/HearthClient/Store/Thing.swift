/// What distinguishes a thing of a store from all others.
struct ThingKey: Sendable, Hashable {
    let kind: ThingKind
    /// Empty for what belongs to no family.
    let family: String
    let id: String

    init(_ kind: ThingKind, family: String = "", id: String) {
        self.kind = kind
        self.family = family
        self.id = id
    }

    /// As a queued mutation keeps it.
    var json: JSONValue {
        ["kind": .string(kind.rawValue), "family": .string(family), "id": .string(id)]
    }

    init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue, let family = json["family"]?.stringValue,
            let id = json["id"]?.stringValue
        else { return nil }
        self.init(ThingKind(rawValue: kind), family: family, id: id)
    }
}

/// One change of a page of `GET /api/sync`.
struct ThingChange: Sendable, Hashable {
    let key: ThingKey
    let version: Int64
    /// Nil for what is gone, or may not be seen any more.
    let value: JSONValue?
}

extension ThingChange: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        let kind = ThingKind(rawValue: fields.text("kind"))
        // A family's own changes name it as their id, and may name it as their family as well.
        let family = kind == .family ? "" : fields.text("familyId")
        guard let id = fields.textIfThere("id") else { throw DecodingFailure("`id`") }
        key = ThingKey(kind, family: family, id: id)
        version = Int64(fields.count("version"))
        // Preferences come as their route shows them, with their owner, which the key has already.
        let shown = kind == .preferences ? fields["value"]?["preferences"] : fields["value"]
        value = fields.flag("deleted") ? nil : shown
    }
}

/// A page of `GET /api/sync`.
struct SyncPage: Sendable {
    let changes: [ThingChange]
    let cursor: String
    let hasMore: Bool
    let isReset: Bool
}

extension SyncPage: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        changes = try fields.list("changes", ThingChange.init)
        guard let cursor = fields.textIfThere("cursor") else { throw DecodingFailure("`cursor`") }
        self.cursor = cursor
        hasMore = fields.flag("hasMore")
        isReset = fields.flag("reset")
    }
}

/// What a store holds.
public enum ThingKind: RawRepresentable, Hashable, Sendable {
    /// One of the person's families.
    case family
    /// A membership in one of them.
    case member
    /// A pending invitation of one of them.
    case invitation
    /// A pending invitation to the person.
    case receivedInvitation
    /// The person's own profile, or that of a child whose guardian the person is.
    case profile
    /// What the person, or such a child, likes.
    case preferences
    /// What a family notes about its player.
    case playerDetails
    /// What an app keeps with a family.
    case attributes
    /// A kind that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "family": self = .family
        case "member": self = .member
        case "invitation": self = .invitation
        case "receivedInvitation": self = .receivedInvitation
        case "profile": self = .profile
        case "preferences": self = .preferences
        case "playerDetails": self = .playerDetails
        case "attributes": self = .attributes
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .family: "family"
        case .member: "member"
        case .invitation: "invitation"
        case .receivedInvitation: "receivedInvitation"
        case .profile: "profile"
        case .preferences: "preferences"
        case .playerDetails: "playerDetails"
        case .attributes: "attributes"
        case .unknown(let word): word
        }
    }
}
