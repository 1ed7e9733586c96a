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

/// The kind of an event in the log of sign-ins.
package enum SignInEventKind: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    /// A failed attempt to sign in: a wrong password or code, or a refused passkey.
    case failed
    case passwordChange = "password_change"
    case passwordReset = "password_reset"
    /// The account's owner ended one or several sessions.
    case signOut = "sign_out"
    /// Further events of the hour, which are only counted.
    case more
}
