/// Source of the access token that identifies the caller.
public protocol Credentials: Sendable {
    /// Returns the token for the next request; nil to send none.
    ///
    /// - Throws: `HearthError.signedOut` if the person has to sign in first.
    func accessToken() async throws -> String?

    /// Returns another token after Hearth refused one; nil if there is none.
    func replacement(for refused: String) async throws -> String?
}

/// Tokens of an identity provider, whose own library stores and refreshes them.
///
/// ```swift
/// let token = BearerToken { try await supabase.auth.session.accessToken }
/// let hearth = Hearth(url, credentials: token)
/// ```
public struct BearerToken: Credentials {
    private let current: @Sendable () async throws -> String?

    /// - Parameter current: Returns the provider's token, or nil while nobody is signed in. It is
    ///   called before each request, and once more after a token was refused.
    public init(_ current: @escaping @Sendable () async throws -> String?) {
        self.current = current
    }

    /// Creates credentials with a constant token.
    public init(_ token: String) { self.init { token } }

    /// Credentials without a token, for calls that need no account.
    public static let none = BearerToken { nil }

    /// Returns the provider's token.
    ///
    /// - Throws: `HearthError.signInFailed` with the error that the closure throws.
    public func accessToken() async throws -> String? {
        try await HearthError.wrappingSignIn(current)
    }

    /// Returns the provider's token; nil if it is still the refused one.
    public func replacement(for refused: String) async throws -> String? {
        let token = try await accessToken()
        return token == refused ? nil : token
    }
}
