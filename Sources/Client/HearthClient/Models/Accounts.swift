public import Foundation

/// A session of the account, on this device or another.
public struct OpenSession: Sendable, Hashable, Identifiable, Codable {
    /// Id of the session.
    public let id: ID<Session>
    /// Method by which the person signed in.
    public let method: SessionMethod
    /// Issuer of the exchanged token; nil for other methods.
    public let issuer: String?
    /// Name of the device, as it was given at sign-in.
    public let device: String?
    /// Time at which the session began.
    public let startedAt: Date?
    /// Time of the last use, to within a few minutes.
    public let lastUsedAt: Date?
    /// Time at which the session ends unless it is used.
    public let endsAt: Date?
    /// Session of the app that opened this one in a browser; nil if the person signed in.
    public let openedBy: ID<Session>?
    /// Whether this is the session of the caller.
    public let isCurrent: Bool

    /// Creates a value, for previews and tests.
    public init(
        id: ID<Session>, method: SessionMethod, issuer: String? = nil, device: String? = nil,
        startedAt: Date? = nil, lastUsedAt: Date? = nil, endsAt: Date? = nil,
        openedBy: ID<Session>? = nil, isCurrent: Bool = false
    ) {
        self.id = id
        self.method = method
        self.issuer = issuer
        self.device = device
        self.startedAt = startedAt
        self.lastUsedAt = lastUsedAt
        self.endsAt = endsAt
        self.openedBy = openedBy
        self.isCurrent = isCurrent
    }
}

extension OpenSession: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        method = fields.word("method") ?? .unknown("")
        issuer = fields.optionalText("issuer")
        device = fields.optionalText("device")
        startedAt = fields.date("startedAt")
        lastUsedAt = fields.date("lastUsedAt")
        endsAt = fields.date("endsAt")
        openedBy = fields.optionalID("openedBy")
        isCurrent = fields.flag("isCurrent")
    }
}

/// Method by which a session began.
public enum SessionMethod: RawRepresentable, Hashable, Sendable, Codable {
    /// The token of an identity provider.
    case exchange
    /// A mailed code or link.
    case email
    /// A password.
    case password
    /// A passkey.
    case passkey
    /// A method of a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a method; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "exchange": self = .exchange
        case "email": self = .email
        case "password": self = .password
        case "passkey": self = .passkey
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the method.
    public var rawValue: String {
        switch self {
        case .exchange: "exchange"
        case .email: "email"
        case .password: "password"
        case .passkey: "passkey"
        case .unknown(let word): word
        }
    }
}

/// One way to sign in to the account.
public struct SignInIdentity: Sendable, Hashable, Identifiable, Codable {
    /// Id with which this way to sign in can be removed.
    public let id: ID<SignInIdentity>
    /// Kind of sign-in: a provider, an address, a password or a passkey.
    public let kind: SignInKind
    /// Identity provider; nil for other kinds.
    public let issuer: String?
    /// E-mail address; nil for other kinds.
    public let email: String?
    /// Time since which the person has been able to sign in this way.
    public let since: Date?

    /// Creates a value, for previews and tests.
    public init(
        id: ID<SignInIdentity>, kind: SignInKind, issuer: String? = nil, email: String? = nil,
        since: Date? = nil
    ) {
        self.id = id
        self.kind = kind
        self.issuer = issuer
        self.email = email
        self.since = since
    }
}

extension SignInIdentity: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        kind = fields.word("kind") ?? .unknown("")
        issuer = fields.optionalText("issuer")
        email = fields.optionalText("email")
        since = fields.date("since")
    }
}

/// Kind of a way to sign in.
public enum SignInKind: RawRepresentable, Hashable, Sendable, Codable {
    /// An identity provider.
    case issuer
    /// A verified e-mail address.
    case email
    /// A password, together with a verified address.
    case password
    /// A passkey.
    case passkey
    /// A kind from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a kind; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "issuer": self = .issuer
        case "email": self = .email
        case "password": self = .password
        case "passkey": self = .passkey
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the kind.
    public var rawValue: String {
        switch self {
        case .issuer: "issuer"
        case .email: "email"
        case .password: "password"
        case .passkey: "passkey"
        case .unknown(let word): word
        }
    }
}

/// Members who take over the duties of an account that is erased.
public struct AccountHandover: Sendable, Hashable, Codable {
    /// New guardians of children who have no other, at most one for each family.
    public var guardians: [MemberID]
    /// New Parent Admins of families whose seat the account holds, at most one for each family.
    public var admins: [MemberID]
    /// Whether children who get no new guardian are erased as well.
    public var erasesChildren: Bool

    /// Creates a handover; by default nobody takes over.
    public init(
        guardians: [MemberID] = [], admins: [MemberID] = [], erasesChildren: Bool = false
    ) {
        self.guardians = guardians
        self.admins = admins
        self.erasesChildren = erasesChildren
    }
}

/// An obstacle to the erasure of an account, from the problem `erasureBlocked`.
public struct HandoverBlocker: Sendable, Hashable, Codable {
    /// Kind of an obstacle.
    public enum Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// A child would have no guardian: name one in `AccountHandover.guardians`.
        case guardianHasManagedMembers
        /// Another adult must become Parent Admin: name one in `AccountHandover.admins`.
        case transferAdminFirst
        /// An obstacle from a later version of Hearth.
        case unknown(String)

        /// Parses Hearth's name for a kind; other names become `unknown`.
        public init(rawValue: String) {
            switch rawValue {
            case "guardian_has_managed_members": self = .guardianHasManagedMembers
            case "transfer_admin_first": self = .transferAdminFirst
            default: self = .unknown(rawValue)
            }
        }

        /// Hearth's name for the kind.
        public var rawValue: String {
            switch self {
            case .guardianHasManagedMembers: "guardian_has_managed_members"
            case .transferAdminFirst: "transfer_admin_first"
            case .unknown(let word): word
            }
        }
    }

    /// Kind of the obstacle.
    public let kind: Kind
    /// Family in which the obstacle has to be removed.
    public let familyID: FamilyID
    /// The child, or the caller's own membership.
    public let memberID: MemberID

    /// Creates a value, for previews and tests.
    public init(kind: Kind, familyID: FamilyID, memberID: MemberID) {
        self.kind = kind
        self.familyID = familyID
        self.memberID = memberID
    }
}

extension HandoverBlocker: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        kind = fields.word("kind") ?? .unknown("")
        familyID = try fields.id("familyId")
        memberID = try fields.id("memberId")
    }
}

extension Problem {
    /// Obstacles to the erasure of an account; empty for other problems.
    public var blockers: [HandoverBlocker] {
        (try? Fields(details).list("blockers", HandoverBlocker.init)) ?? []
    }
}

/// A token with which another service acts for a child for a few minutes.
public struct ChildToken: Sendable, Hashable, Codable {
    /// The token.
    public let token: String
    /// Time at which the token expires, by this device's clock.
    public let endsAt: Date

    /// Creates a value, for previews and tests.
    public init(token: String, endsAt: Date) {
        self.token = token
        self.endsAt = endsAt
    }
}
