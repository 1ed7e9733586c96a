/// A kind of sign-in method of an account.
package enum IdentityKind: String, Sendable, CaseIterable {
    /// A token of an external issuer.
    case issuer
    /// A verified e-mail address, with codes sent to it.
    case email
    case password
    case passkey
}
