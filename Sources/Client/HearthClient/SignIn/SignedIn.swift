/// Somebody who has just signed in.
public struct SignedIn: Sendable, Hashable {
    /// The session that began.
    public let session: Session
    /// The person; nil where Hearth doesn't say.
    public let profile: Profile?
    /// Whether the account was made by this.
    public let isNew: Bool
}
