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
