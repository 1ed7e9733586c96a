/// How a person came into a session of Hearth's own.
package enum SignInMethod: String, Sendable, CaseIterable {
    /// By another issuer's token.
    case exchange
    /// By a code or link that was sent to an address.
    case email
    case password
    case passkey

    /// The word for it in `amr` (RFC 8176; `fed`, a sign-in elsewhere, is not registered there).
    package var reference: String {
        switch self {
        case .exchange: "fed"
        case .email: "otp"
        case .password: "pwd"
        case .passkey: "pop"
        }
    }
}
