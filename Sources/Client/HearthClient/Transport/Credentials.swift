/// Proves who is calling.
public protocol Credentials: Sendable {
    /// The token for the next request; nil to call without one.
    ///
    /// - Throws: `HearthError.signedOut` if the person has to sign in first.
    func accessToken() async throws -> String?

    /// Called when Hearth refused a token: gives another, or nil if there is none.
    func replacement(for refused: String) async throws -> String?
}
