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
