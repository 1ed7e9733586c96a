/// Whom an invitation is for.
public enum Invitee: Sendable, Hashable {
    /// Whoever can prove this address; Hearth sends an e-mail.
    case email(String)
    /// Whoever opens the link, which the app shares.
    case link
}
