/// A way into an account.
package enum IdentityKind: String, Sendable, CaseIterable {
    /// A token of another issuer.
    case issuer
    /// A proved address, by mailed codes.
    case email
    case password
    case passkey
}
