public import Foundation

/// The caller's profile; while acting for a managed member, that member's.
public struct Profile: Sendable, Hashable, Identifiable, Codable {
    /// Id of the person.
    public let id: UserID
    /// E-mail address; empty if there is none.
    public let email: String
    /// Full name; nil until it is known.
    public let fullName: String?
    /// Name to show, even for a person without a full name.
    public let displayName: String
    /// The side on which the person joins families.
    public let role: MemberRole
    /// Whether the role is a default. If so, ask the person and set it with
    /// `Hearth.updateProfile(_:)`.
    public let isRoleDefault: Bool
    /// Key of one of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// Address of a picture.
    public let avatarURL: URL?
    /// Language of e-mails to the account, such as `es-MX`; nil if none is known.
    public let locale: String?
    /// Whether the profile is that of a child without an account, for whom the caller acts.
    public let isManaged: Bool
    /// Families that the person belongs to.
    public let families: [Family]
    /// The person's pending requests to join, oldest first.
    public let joinRequests: [JoinRequest]
    /// Consents that the account is asked for and has not given; see ``Hearth/ownConsents()``.
    public let missingConsents: [MissingConsent]
    /// The guardian who acts; nil while the caller acts for itself.
    public let actorID: UserID?

    /// Creates a value, for previews and tests.
    public init(
        id: UserID, email: String = "", fullName: String? = nil, displayName: String,
        role: MemberRole, isRoleDefault: Bool = false, avatarKey: String = "",
        avatarURL: URL? = nil, locale: String? = nil, isManaged: Bool = false,
        families: [Family] = [], joinRequests: [JoinRequest] = [],
        missingConsents: [MissingConsent] = [], actorID: UserID? = nil
    ) {
        self.id = id
        self.email = email
        self.fullName = fullName
        self.displayName = displayName
        self.role = role
        self.isRoleDefault = isRoleDefault
        self.avatarKey = avatarKey
        self.avatarURL = avatarURL
        self.locale = locale
        self.isManaged = isManaged
        self.families = families
        self.joinRequests = joinRequests
        self.missingConsents = missingConsents
        self.actorID = actorID
    }

    /// Whether to ask the person for name or role, as after a first sign-in with a mailed code.
    public var lacksNameOrRole: Bool { fullName == nil || isRoleDefault }
}

extension Profile: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        email = fields.text("email")
        fullName = fields.optionalText("fullName")
        displayName =
            fields.optionalText("displayName") ?? fields.optionalText("fullName") ?? "Member"
        role = fields.word("role") ?? .unknown("")
        isRoleDefault = fields.flag("roleIsDefault")
        avatarKey = fields.text("avatarKey")
        avatarURL = fields.optionalText("avatarUrl").flatMap { URL(string: $0) }
        locale = fields.optionalText("locale")
        isManaged = fields.flag("isManaged")
        families = try fields.list("families", Family.init)
        joinRequests = try fields.list("joinRequests", JoinRequest.init)
        missingConsents = try fields.list("consentsMissing", MissingConsent.init)
        actorID = fields["actor"]?["id"]?.stringValue.map { UserID($0) }
    }
}

/// A change for `Hearth.updateProfile(_:)`. Values that are not set stay as they are.
public struct ProfileChange: Sendable, Hashable, Codable {
    /// The new name.
    public var fullName: String?
    /// The new role. It can change only while the person is in no family or alone in one, and
    /// waits for none; or once if ``Profile/isRoleDefault`` is true.
    public var role: MemberRole?
    /// Key of one of the app's avatars.
    public var avatarKey: Edit<String>
    /// Address of a picture, beginning with `https:`.
    public var avatarURL: Edit<URL>
    /// Language of e-mails to the account, such as `es-MX`; can't change while acting for a child.
    public var locale: String?

    /// Creates a change of the values that are given.
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

/// Details that a family stores about its player.
public struct PlayerDetails: Sendable, Hashable, Codable {
    /// The player's name.
    public let playerName: String?
    /// The date of birth, such as `2009-05-31`.
    public let dateOfBirth: String?
    /// Year in which the player leaves school.
    public let graduationYear: Int?
    /// The sport.
    public let sport: String?
    /// The position in a team.
    public let position: String?
    /// The gender, in the family's own word.
    public let gender: String?
    /// Further details that the app stored, by name.
    public let further: [String: String]

    /// Creates a value, for previews and tests.
    public init(
        playerName: String? = nil, dateOfBirth: String? = nil, graduationYear: Int? = nil,
        sport: String? = nil, position: String? = nil, gender: String? = nil,
        further: [String: String] = [:]
    ) {
        self.playerName = playerName
        self.dateOfBirth = dateOfBirth
        self.graduationYear = graduationYear
        self.sport = sport
        self.position = position
        self.gender = gender
        self.further = further
    }
}

extension PlayerDetails: FieldsDecodable {
    init(_ fields: Fields) {
        playerName = fields.optionalText("playerName")
        dateOfBirth = fields.optionalText("playerDob")
        graduationYear = fields["graduationYear"]?.intValue
        sport = fields.optionalText("sport")
        position = fields.optionalText("position")
        gender = fields.optionalText("gender")
        further = fields.texts(
            besides: [
                "playerName", "playerDob", "graduationYear", "sport", "position", "gender",
            ])
    }
}

/// A change for `Hearth.updatePlayerDetails(_:in:)`. Values that are not set stay as they are.
public struct PlayerDetailsChange: Sendable, Hashable, Codable {
    /// The player's name.
    public var playerName: Edit<String>
    /// The date of birth, such as `2009-05-31`.
    public var dateOfBirth: Edit<String>
    /// Year in which the player leaves school.
    public var graduationYear: Edit<Int>
    /// The sport.
    public var sport: Edit<String>
    /// The position in a team.
    public var position: Edit<String>
    /// The gender, in the family's own word.
    public var gender: Edit<String>
    /// Further details, by name: at most 20 strings of 200 characters.
    public var further: [String: Edit<String>]

    /// Creates a change of the values that are given.
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

/// A consent that a child's guardians, or an account for itself, are asked for, and its state.
public struct Consent: Sendable, Hashable, Identifiable, Codable {
    /// Name of the purpose.
    public let purpose: String
    /// Whether consent is in force. A required one is in force only for the current version of its
    /// text.
    public let isGiven: Bool
    /// Version of the text that was consented to; nil if no consent is in force.
    public let version: String?
    /// Guardian who gave the consent; nil for an account's consent for itself.
    public let givenBy: UserID?
    /// Time at which consent was given.
    public let givenAt: Date?
    /// Method by which consent was proved.
    public let method: ConsentMethod?
    /// Version of the current text; nil for a purpose that is no longer asked for.
    public let currentVersion: String?
    /// Whether the child's preferences can be written only with this consent; for an account,
    /// whether it is asked for the consent.
    public let isRequired: Bool
    /// Permissions that the account lacks without this consent, such as `family.create`; empty for
    /// consents of guardians.
    public let refusedPermissions: [String]
    /// Titles by language; a title without a language has the key `und`.
    public let title: [String: String]
    /// Texts to show, by language like ``title``.
    public let text: [String: String]

    /// Creates a value, for previews and tests.
    public init(
        purpose: String, isGiven: Bool = false, version: String? = nil, givenBy: UserID? = nil,
        givenAt: Date? = nil, method: ConsentMethod? = nil, currentVersion: String? = nil,
        isRequired: Bool = false, refusedPermissions: [String] = [],
        title: [String: String] = [:], text: [String: String] = [:]
    ) {
        self.purpose = purpose
        self.isGiven = isGiven
        self.version = version
        self.givenBy = givenBy
        self.givenAt = givenAt
        self.method = method
        self.currentVersion = currentVersion
        self.isRequired = isRequired
        self.refusedPermissions = refusedPermissions
        self.title = title
        self.text = text
    }

    /// Name of the purpose.
    public var id: String { purpose }
}

extension Consent: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        purpose = fields.text("purpose")
        isGiven = fields.flag("given")
        version = fields.optionalText("version")
        givenBy = fields.optionalID("givenBy")
        givenAt = fields.date("givenAt")
        method = fields.word("method")
        currentVersion = fields.optionalText("currentVersion")
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

/// A consent that an account is asked for and has not given.
public struct MissingConsent: Sendable, Hashable, Identifiable, Codable {
    /// Name of the purpose.
    public let purpose: String
    /// Version of the current text.
    public let version: String

    /// Creates a value, for previews and tests.
    public init(purpose: String, version: String) {
        self.purpose = purpose
        self.version = version
    }

    /// Name of the purpose.
    public var id: String { purpose }
}

extension MissingConsent: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        purpose = fields.text("purpose")
        version = fields.text("version")
    }
}
