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
