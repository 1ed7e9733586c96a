import Crypto
import Postgres
import Repositories

/// A refresh token that an identity provider gave for a sign-in.
package struct ProviderTokenGrant: Sendable {
    /// The app or service that it was given to.
    package let client: String
    /// Secret: it is sealed before it is stored.
    package let refreshToken: String

    package init(client: String, refreshToken: String) {
        self.client = client
        self.refreshToken = refreshToken
    }
}

/// Asks a provider about a refresh token: issuer, client, token. Nil: nothing is known now.
package typealias AskProvider =
    @Sendable (
        _ issuer: String, _ client: String, _ refreshToken: String
    ) throws -> Bool?

extension SignInKeys {
    /// The token as the database keeps it.
    func seal(_ grant: ProviderTokenGrant, of issuer: String) throws(CryptoError) -> PostgresBytes {
        PostgresBytes(
            try providerTokens[0].seal(
                Array(grant.refreshToken.utf8), for: Self.context(issuer, grant.client)))
    }

    /// The token itself; nil if none of the keys has sealed it.
    func open(_ kept: KeptProviderToken) throws(CryptoError) -> String? {
        for key in providerTokens {
            let text = try key.open(
                kept.sealed.bytes, for: Self.context(kept.issuer, kept.client))
            if let text { return String(decoding: text, as: UTF8.self) }
        }
        return nil
    }

    private static func context(_ issuer: String, _ client: String) -> [UInt8] {
        Array("\(issuer)\n\(client)".utf8)
    }
}
