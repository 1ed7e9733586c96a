/// What a member may do in the household.
public enum HouseholdRole: RawRepresentable, Hashable, Sendable {
    /// Governs the family; at most one member has this role.
    case parentAdmin
    /// A grown-up.
    case adult
    /// A child, with an account or without.
    case kid
    /// Sees the family and changes nothing.
    case visitor
    /// A role that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "parent_admin": self = .parentAdmin
        case "adult": self = .adult
        case "kid": self = .kid
        case "visitor": self = .visitor
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .parentAdmin: "parent_admin"
        case .adult: "adult"
        case .kid: "kid"
        case .visitor: "visitor"
        case .unknown(let word): word
        }
    }

    /// The roles that this release knows, highest first: what a screen offers.
    public static let known: [HouseholdRole] = [.parentAdmin, .adult, .kid, .visitor]

    /// What a badge shows, in English.
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

/// The side of the family: the young person it is about, or a grown-up.
public enum MemberRole: RawRepresentable, Hashable, Sendable {
    /// The young person.
    case player
    /// A grown-up.
    case parent
    /// A role that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "player": self = .player
        case "parent": self = .parent
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .player: "player"
        case .parent: "parent"
        case .unknown(let word): word
        }
    }
}

/// Whether a membership counts.
public enum MembershipStatus: RawRepresentable, Hashable, Sendable {
    /// A member.
    case active
    /// Joined by the family's code and waits for approval; sees nothing of the family.
    case invited
    /// Was a member.
    case removed
    /// A status that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "active": self = .active
        case "invited": self = .invited
        case "removed": self = .removed
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .active: "active"
        case .invited: "invited"
        case .removed: "removed"
        case .unknown(let word): word
        }
    }
}

/// Whether a family's position of Parent Admin can be taken by the caller.
public enum ParentAdminSeat: RawRepresentable, Hashable, Sendable {
    /// Nobody has it.
    case free
    /// Somebody has it.
    case taken
    /// Nobody has it, and others than the caller decide who gets it.
    case reserved
    /// A state that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "free": self = .free
        case "taken": self = .taken
        case "reserved": self = .reserved
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .free: "free"
        case .taken: "taken"
        case .reserved: "reserved"
        case .unknown(let word): word
        }
    }
}

/// What accepting an invitation makes of an account.
public enum InvitationKind: RawRepresentable, Hashable, Sendable {
    /// A new member.
    case member
    /// The member that a child without an account has been.
    case graduation
    /// Another one, of a Hearth that is newer than this library.
    case unknown(String)

    /// The one of this name; `unknown` for others.
    public init(rawValue: String) {
        switch rawValue {
        case "member": self = .member
        case "graduation": self = .graduation
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .member: "member"
        case .graduation: "graduation"
        case .unknown(let name): name
        }
    }
}

/// What became of an invitation.
public enum InvitationStatus: RawRepresentable, Hashable, Sendable {
    /// Nobody answered it yet.
    case pending
    /// The invited person is, or was, a member.
    case accepted
    /// The invited person did not want to.
    case declined
    /// Taken back.
    case revoked
    /// Nobody answered it in time.
    case expired
    /// A status that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
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

    /// As Hearth writes it.
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

/// How a guardian, or an account for itself, proves a consent.
public enum ConsentMethod: RawRepresentable, Hashable, Sendable {
    /// By being signed in.
    case signedIn
    /// By a code that is mailed to the guardian's verified address, besides.
    case emailCode
    /// By being signed in as the account whose consent it is.
    case oneself
    /// Another one, of a Hearth that is newer than this library.
    case unknown(String)

    /// The one of this name; `unknown` for others.
    public init(rawValue: String) {
        switch rawValue {
        case "signed_in": self = .signedIn
        case "email_code": self = .emailCode
        case "self": self = .oneself
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .signedIn: "signed_in"
        case .emailCode: "email_code"
        case .oneself: "self"
        case .unknown(let name): name
        }
    }
}

/// The kinds of picture in which Hearth draws QR codes.
public enum QRCodeFormat: String, Sendable, Hashable {
    /// A picture of pixels.
    case png
    /// A picture that can be scaled.
    case svg
}
