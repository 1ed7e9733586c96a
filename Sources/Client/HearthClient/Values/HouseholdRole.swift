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
