/// Proves who is calling.
public protocol Credentials: Sendable {
    /// The token for the next request; nil to call without one.
    ///
    /// - Throws: `HearthError.signedOut` if the person has to sign in first.
    func accessToken() async throws -> String?

    /// Called when Hearth refused a token: gives another, or nil if there is none.
    func replacement(for refused: String) async throws -> String?
}

/// Tokens of an identity provider, which keeps and refreshes them by its own library.
///
/// ```swift
/// let token = BearerToken { try await supabase.auth.session.accessToken }
/// let hearth = Hearth(url, credentials: token)
/// ```
public struct BearerToken: Credentials {
    private let current: @Sendable () async throws -> String?

    /// - Parameter current: The provider's token, asked for before each request and once more after
    ///   a token was refused; nil while nobody is signed in.
    public init(_ current: @escaping @Sendable () async throws -> String?) {
        self.current = current
    }

    /// A token that stays the same.
    public init(_ token: String) { self.init { token } }

    /// Nobody: for what can be read without an account.
    public static let none = BearerToken { nil }

    /// The provider's token.
    public func accessToken() async throws -> String? { try await current() }

    /// The provider's token, unless it is still the one that was refused.
    public func replacement(for refused: String) async throws -> String? {
        let token = try await current()
        return token == refused ? nil : token
    }
}
