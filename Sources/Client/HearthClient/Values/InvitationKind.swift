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
