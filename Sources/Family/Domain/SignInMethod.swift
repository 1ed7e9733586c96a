/// The way a person signed in to a session issued by Hearth.
package enum SignInMethod: String, Sendable, CaseIterable {
    /// An external issuer's token.
    case exchange
    /// A code or link sent to an e-mail address.
    case email
    case password
    case passkey

    /// The value in `amr` (RFC 8176; `fed`, a sign-in elsewhere, is not registered there).
    package var reference: String {
        switch self {
        case .exchange: "fed"
        case .email: "otp"
        case .password: "pwd"
        case .passkey: "pop"
        }
    }
}
