import Domain
package import Identity
package import UseCases
package import Credentials

/// Configuration of sign-in, for deployments where Hearth issues its own tokens.
package struct SignInSetup: Sendable {
    /// A sign-in method that can be switched off.
    package enum Way: String, Sendable, CaseIterable {
        case exchange, email, password, passkey
    }

    package let tokens: AccessTokens
    let keys: SignInKeys
    let passwords = PasswordHashing()
    /// The relying party that passkeys are bound to.
    let party: RelyingParty
    private let ways: Set<Way>

    /// - Parameter party: The relying party of passkeys; nil for the site of the tokens.
    package init(
        tokens: AccessTokens, keys: SignInKeys, ways: Set<Way> = Set(Way.allCases),
        party: RelyingParty? = nil
    ) {
        self.party = party ?? RelyingParty(baseURL: tokens.issuer)
        self.tokens = tokens
        self.keys = keys
        self.ways = ways
    }

    func offers(_ way: Way) -> Bool { ways.contains(way) }
}

extension Services {
    /// The sign-in methods that this deployment offers for an account.
    var offeredSignInMethods: OfferedSignInMethods {
        let kinds: [(SignInSetup.Way, IdentityKind)] = [
            (.email, .email), (.password, .password), (.passkey, .passkey),
        ]
        return OfferedSignInMethods(
            kinds: Set(kinds.filter { signIn?.offers($0.0) ?? false }.map(\.1)),
            issuers: verifier.issuers.filter { !$0.isOwn }.map(\.name))
    }

    /// Whether people can sign in on pages with the providers of the issuers file.
    package var offersProviders: Bool { signIn?.offers(.exchange) == true }

    /// The providers with which people can sign in on pages, in the order of the issuers file.
    var providers: [ProviderClient] {
        offersProviders ? verifier.issuers.compactMap(\.client) : []
    }

    /// Returns the provider of an issuer, with which people can sign in on pages.
    func provider(_ issuer: String) -> ProviderClient? {
        providers.first { $0.issuer.utf8.elementsEqual(issuer.utf8) }
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if the method is switched off.
    func signInSetup(by way: SignInSetup.Way? = nil) throws(Problem) -> SignInSetup {
        guard let signIn, way.map({ signIn.offers($0) }) ?? true else {
            throw .routeNotFound
        }
        return signIn
    }
}
