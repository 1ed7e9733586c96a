/// What an identity provider gave when the person signed in there.
public struct ProviderToken: Sendable, Hashable {
    /// The provider's token; for Apple the identity token.
    public var token: String
    /// The value whose SHA-256 the request to the provider carried.
    public var nonce: String?
    /// Apple's: lets Hearth end the connection with Apple when the account is erased.
    public var authorizationCode: String?
    /// The name, which Apple gives the first time only.
    public var fullName: String?

    /// A token, with what came with it.
    public init(
        _ token: String, nonce: String? = nil, authorizationCode: String? = nil,
        fullName: String? = nil
    ) {
        self.token = token
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.fullName = fullName
    }
}
