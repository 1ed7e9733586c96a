/// Key that identifies an entity in a store.
struct EntityKey: Sendable, Hashable {
    let kind: EntityKind
    /// Id of the family; empty for an entity that belongs to no family.
    let family: String
    let id: String

    init(_ kind: EntityKind, family: String = "", id: String) {
        self.kind = kind
        self.family = family
        self.id = id
    }

    /// The key, encoded for the queue.
    var json: JSONValue {
        ["kind": .string(kind.rawValue), "family": .string(family), "id": .string(id)]
    }

    init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue, let family = json["family"]?.stringValue,
            let id = json["id"]?.stringValue
        else { return nil }
        self.init(EntityKind(rawValue: kind), family: family, id: id)
    }
}

/// A change in a page of `GET /api/sync`.
struct EntityChange: Sendable, Hashable {
    let key: EntityKey
    let version: Int64
    /// New value; nil if the entity was deleted or is no longer visible.
    let value: JSONValue?
}

extension EntityChange: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        let kind = EntityKind(rawValue: fields.text("kind"))
        // A change of a family has the family's id as `id`, and may repeat it as `familyId`.
        let family = kind == .family ? "" : fields.text("familyId")
        guard let id = fields.optionalText("id") else { throw DecodingFailure("`id`") }
        key = EntityKey(kind, family: family, id: id)
        version = Int64(fields.count("version"))
        // The value is wrapped and names the owner, as the route of preferences returns it. The key
        // already has the owner.
        let shown = kind == .preferences ? fields["value"]?["preferences"] : fields["value"]
        value = fields.flag("deleted") ? nil : shown
    }
}

/// A page of `GET /api/sync`.
struct SyncPage: Sendable {
    let changes: [EntityChange]
    let cursor: String
    let hasMore: Bool
    let isReset: Bool
}

extension SyncPage: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        changes = try fields.list("changes", EntityChange.init)
        guard let cursor = fields.optionalText("cursor") else { throw DecodingFailure("`cursor`") }
        self.cursor = cursor
        hasMore = fields.flag("hasMore")
        isReset = fields.flag("reset")
    }
}

/// Kind of an entity in a store.
public enum EntityKind: RawRepresentable, Hashable, Sendable, Codable {
    /// One of the person's families.
    case family
    /// A membership in one of the families.
    case member
    /// A pending invitation of one of the families.
    case invitation
    /// A pending invitation to the person.
    case receivedInvitation
    /// The profile of the person, or of a child whose guardian the person is.
    case profile
    /// The preferences of the person, or of a child whose guardian the person is.
    case preferences
    /// The details that a family stores about its player.
    case playerDetails
    /// The attributes that an app stores with a family.
    case attributes
    /// A kind from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a kind; other names become `unknown`.
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

    /// Hearth's name for the kind.
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
