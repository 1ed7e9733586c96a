public import Foundation

/// The caller's profile; while acting for a managed member, that member's.
public struct Profile: Sendable, Hashable, Identifiable {
    /// The person.
    public let id: UserID
    /// The address; empty if there is none.
    public let email: String
    /// The full name; nil until one is known.
    public let fullName: String?
    /// The name to show, also for a person without one.
    public let displayName: String
    /// The side on which the person enters a family.
    public let role: MemberRole
    /// Whether nobody has said the role: ask the person, and say it by `Hearth.updateProfile(_:)`.
    public let isRoleDefault: Bool
    /// Which of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// A picture.
    public let avatarURL: URL?
    /// The language of e-mails to the account, such as `es-MX`; nil if none is known.
    public let locale: String?
    /// A child without an account: the caller acts for it.
    public let isManaged: Bool
    /// The families to which the person belongs.
    public let families: [Family]
    /// The person's requests to join that wait for a family's approval, the oldest first.
    public let joinRequests: [JoinRequest]
    /// What the account is asked to consent to and has not; see ``Hearth/ownConsents()``.
    public let missingConsents: [MissingConsent]
    /// The guardian who acts; nil while the caller acts for itself.
    public let actorID: UserID?
}

extension Profile: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        email = fields.text("email")
        fullName = fields.textIfThere("fullName")
        displayName =
            fields.textIfThere("displayName") ?? fields.textIfThere("fullName") ?? "Member"
        role = fields.word("role") ?? .unknown("")
        isRoleDefault = fields.flag("roleIsDefault")
        avatarKey = fields.text("avatarKey")
        avatarURL = fields.textIfThere("avatarUrl").flatMap { URL(string: $0) }
        locale = fields.textIfThere("locale")
        isManaged = fields.flag("isManaged")
        families = try fields.list("families", Family.init)
        joinRequests = try fields.list("joinRequests", JoinRequest.init)
        missingConsents = try fields.list("consentsMissing", MissingConsent.init)
        actorID = fields["actor"]?["id"]?.stringValue.map { UserID($0) }
    }
}

/// What `Hearth.updateProfile(_:)` changes. What is not given stays.
public struct ProfileChange: Sendable, Hashable {
    /// The new name.
    public var fullName: String?
    /// The new role; only while in no family, or once if ``Profile/isRoleDefault``.
    public var role: MemberRole?
    /// Which of the app's avatars.
    public var avatarKey: Edit<String>
    /// A picture, by an address that begins with `https:`.
    public var avatarURL: Edit<URL>
    /// The language of e-mails to the account, such as `es-MX`; not while acting for a child.
    public var locale: String?

    /// A change; nothing unless it is named.
    public init(
        fullName: String? = nil, role: MemberRole? = nil, avatarKey: Edit<String> = .keep,
        avatarURL: Edit<URL> = .keep, locale: String? = nil
    ) {
        self.fullName = fullName
        self.role = role
        self.avatarKey = avatarKey
        self.avatarURL = avatarURL
        self.locale = locale
    }

    var body: JSONValue {
        .body([
            "fullName": fullName.map { .string($0) },
            "role": role.map { .string($0.rawValue) },
            "avatarKey": .edit(avatarKey) { .string($0) },
            "avatarUrl": .edit(avatarURL) { .string($0.absoluteString) },
            "locale": locale.map { .string($0) },
        ])
    }
}

/// What a family notes about its player.
public struct PlayerDetails: Sendable, Hashable {
    /// The player's name.
    public let playerName: String?
    /// The date of birth, such as `2009-05-31`.
    public let dateOfBirth: String?
    /// The year in which the player leaves school.
    public let graduationYear: Int?
    /// The sport.
    public let sport: String?
    /// The position in a team.
    public let position: String?
    /// The gender, in the family's own word.
    public let gender: String?
    /// What else the app noted, by name.
    public let further: [String: String]
}

extension PlayerDetails: FieldsDecodable {
    init(_ fields: Fields) {
        playerName = fields.textIfThere("playerName")
        dateOfBirth = fields.textIfThere("playerDob")
        graduationYear = fields["graduationYear"]?.intValue
        sport = fields.textIfThere("sport")
        position = fields.textIfThere("position")
        gender = fields.textIfThere("gender")
        further = fields.texts(
            besides: [
                "playerName", "playerDob", "graduationYear", "sport", "position", "gender",
            ])
    }
}

/// What `Hearth.updatePlayerDetails(_:in:)` changes. What is not given stays.
public struct PlayerDetailsChange: Sendable, Hashable {
    /// The player's name.
    public var playerName: Edit<String>
    /// The date of birth, such as `2009-05-31`.
    public var dateOfBirth: Edit<String>
    /// The year in which the player leaves school.
    public var graduationYear: Edit<Int>
    /// The sport.
    public var sport: Edit<String>
    /// The position in a team.
    public var position: Edit<String>
    /// The gender, in the family's own word.
    public var gender: Edit<String>
    /// What else the app notes, by name: at most 20 texts of 200 characters.
    public var further: [String: Edit<String>]

    /// A change; nothing unless it is named.
    public init(
        playerName: Edit<String> = .keep, dateOfBirth: Edit<String> = .keep,
        graduationYear: Edit<Int> = .keep, sport: Edit<String> = .keep,
        position: Edit<String> = .keep, gender: Edit<String> = .keep,
        further: [String: Edit<String>] = [:]
    ) {
        self.playerName = playerName
        self.dateOfBirth = dateOfBirth
        self.graduationYear = graduationYear
        self.sport = sport
        self.position = position
        self.gender = gender
        self.further = further
    }

    func body(in family: FamilyID?) -> JSONValue {
        var members = further.mapValues { JSONValue.edit($0) { .string($0) } }
        members.merge([
            "familyId": family.map { .string($0.rawValue) },
            "playerName": .edit(playerName) { .string($0) },
            "playerDob": .edit(dateOfBirth) { .string($0) },
            "graduationYear": .edit(graduationYear) { .integer($0) },
            "sport": .edit(sport) { .string($0) },
            "position": .edit(position) { .string($0) },
            "gender": .edit(gender) { .string($0) },
        ]) { $1 }
        return .body(members)
    }
}

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
