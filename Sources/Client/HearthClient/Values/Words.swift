/// Rights of a member in the household.
public enum HouseholdRole: RawRepresentable, Hashable, Sendable, Codable {
    /// The person who governs the family; at most one member has this role.
    case parentAdmin
    /// A grown-up.
    case adult
    /// A child, with an account or without.
    case kid
    /// A person who sees the family but can't change anything.
    case visitor
    /// A role from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a role; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "parent_admin": self = .parentAdmin
        case "adult": self = .adult
        case "kid": self = .kid
        case "visitor": self = .visitor
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the role.
    public var rawValue: String {
        switch self {
        case .parentAdmin: "parent_admin"
        case .adult: "adult"
        case .kid: "kid"
        case .visitor: "visitor"
        case .unknown(let word): word
        }
    }

    /// Roles that this release knows, highest first, for a screen to offer.
    public static let known: [HouseholdRole] = [.parentAdmin, .adult, .kid, .visitor]

    /// Name to show in a badge, in English.
    public var displayName: String {
        switch self {
        case .parentAdmin: "Parent Admin"
        case .adult: "Adult"
        case .kid: "Kid"
        case .visitor: "Visitor"
        case .unknown(let word): word
        }
    }
}

/// A person's side in a family: the young person whom it is about, or a grown-up.
public enum MemberRole: RawRepresentable, Hashable, Sendable, Codable {
    /// The young person.
    case player
    /// A grown-up.
    case parent
    /// A role from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a role; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "player": self = .player
        case "parent": self = .parent
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the role.
    public var rawValue: String {
        switch self {
        case .player: "player"
        case .parent: "parent"
        case .unknown(let word): word
        }
    }
}

/// State of a membership.
public enum MembershipStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The person is a member.
    case active
    /// The person joined by the family's code, waits for approval, and sees nothing of the family.
    case invited
    /// The membership has ended.
    case removed
    /// A status from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a status; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "active": self = .active
        case "invited": self = .invited
        case "removed": self = .removed
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the status.
    public var rawValue: String {
        switch self {
        case .active: "active"
        case .invited: "invited"
        case .removed: "removed"
        case .unknown(let word): word
        }
    }
}

/// Availability of a family's seat of Parent Admin to the caller.
public enum ParentAdminSeat: RawRepresentable, Hashable, Sendable, Codable {
    /// The seat is vacant, and the caller can take it.
    case free
    /// The seat is taken.
    case taken
    /// The seat is vacant, but others than the caller decide who gets it.
    case reserved
    /// A state from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a state; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "free": self = .free
        case "taken": self = .taken
        case "reserved": self = .reserved
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the state.
    public var rawValue: String {
        switch self {
        case .free: "free"
        case .taken: "taken"
        case .reserved: "reserved"
        case .unknown(let word): word
        }
    }
}

/// Effect of accepting an invitation.
public enum InvitationKind: RawRepresentable, Hashable, Sendable, Codable {
    /// The account becomes a new member.
    case member
    /// The account takes over the membership of a child without an account.
    case graduation
    /// A kind from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a kind; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "member": self = .member
        case "graduation": self = .graduation
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the kind.
    public var rawValue: String {
        switch self {
        case .member: "member"
        case .graduation: "graduation"
        case .unknown(let name): name
        }
    }
}

/// State of an invitation.
public enum InvitationStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The invitation has not been answered yet.
    case pending
    /// The invited person accepted, and is or was a member.
    case accepted
    /// The invited person declined.
    case declined
    /// The invitation was revoked.
    case revoked
    /// The invitation expired without an answer.
    case expired
    /// A status from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a status; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "pending": self = .pending
        case "accepted": self = .accepted
        case "declined": self = .declined
        case "revoked": self = .revoked
        case "expired": self = .expired
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the status.
    public var rawValue: String {
        switch self {
        case .pending: "pending"
        case .accepted: "accepted"
        case .declined: "declined"
        case .revoked: "revoked"
        case .expired: "expired"
        case .unknown(let word): word
        }
    }
}

/// Proof of a consent by a guardian, or by an account for itself.
public enum ConsentMethod: RawRepresentable, Hashable, Sendable, Codable {
    /// Being signed in as the guardian.
    case signedIn
    /// A code mailed to the guardian's verified address, in addition to being signed in.
    case emailCode
    /// Being signed in as the account that consents for itself.
    case oneself
    /// A method from a later version of Hearth.
    case unknown(String)

    /// Parses Hearth's name for a method; other names become `unknown`.
    public init(rawValue: String) {
        switch rawValue {
        case "signed_in": self = .signedIn
        case "email_code": self = .emailCode
        case "self": self = .oneself
        default: self = .unknown(rawValue)
        }
    }

    /// Hearth's name for the method.
    public var rawValue: String {
        switch self {
        case .signedIn: "signed_in"
        case .emailCode: "email_code"
        case .oneself: "self"
        case .unknown(let name): name
        }
    }
}

/// Image format of a QR code.
public enum QRCodeFormat: String, Sendable, Hashable, Codable {
    /// A bitmap image.
    case png
    /// A scalable image.
    case svg
}
