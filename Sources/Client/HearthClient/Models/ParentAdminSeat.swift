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
