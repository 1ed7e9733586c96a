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
