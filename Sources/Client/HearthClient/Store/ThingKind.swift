/// What a store holds.
public enum ThingKind: RawRepresentable, Hashable, Sendable {
    /// One of the person's families.
    case family
    /// A membership in one of them.
    case member
    /// A pending invitation of one of them.
    case invitation
    /// A pending invitation to the person.
    case receivedInvitation
    /// The person's own profile, or that of a child whose guardian the person is.
    case profile
    /// What the person, or such a child, likes.
    case preferences
    /// What a family notes about its player.
    case playerDetails
    /// What an app keeps with a family.
    case attributes
    /// A kind that a later Hearth knows.
    case unknown(String)

    /// As Hearth writes it.
    public init(rawValue: String) {
        switch rawValue {
        case "family": self = .family
        case "member": self = .member
        case "invitation": self = .invitation
        case "receivedInvitation": self = .receivedInvitation
        case "profile": self = .profile
        case "preferences": self = .preferences
        case "playerDetails": self = .playerDetails
        case "attributes": self = .attributes
        default: self = .unknown(rawValue)
        }
    }

    /// As Hearth writes it.
    public var rawValue: String {
        switch self {
        case .family: "family"
        case .member: "member"
        case .invitation: "invitation"
        case .receivedInvitation: "receivedInvitation"
        case .profile: "profile"
        case .preferences: "preferences"
        case .playerDetails: "playerDetails"
        case .attributes: "attributes"
        case .unknown(let word): word
        }
    }
}
