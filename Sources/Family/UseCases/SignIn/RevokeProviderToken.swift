import Crypto
package import Domain
import JSON
package import Postgres
import Repositories

/// Revokes a provider's refresh token after the account was erased or the sign-in was removed.
package struct RevokeProviderToken: Sendable {
    /// The outcome of an attempt.
    package enum Outcome: Sendable, Equatable {
        case revoked
        /// The token does not exist, or no longer exists.
        case missing
        /// The attempt is to be retried.
        case retry(String)
    }

    /// Queue and kind of the jobs that revoke tokens.
    package static let (queue, kind) = ("providers", "provider.revoke")

    private let pool: Pool
    private let keys: SignInKeys
    private let revoke: ProviderTokenRequest

    /// - Parameters:
    ///   - pool: Connections as the role hearth_worker.
    ///   - revoke: Returns true if the provider has revoked the token or reports it as invalid; nil
    ///     if it did not respond.
    package init(_ pool: Pool, _ keys: SignInKeys, revoke: @escaping ProviderTokenRequest) {
        self.pool = pool
        self.keys = keys
        self.revoke = revoke
    }

    /// Returns the token that a job names; nil for another payload.
    package static func token(of payload: [UInt8]) -> ProviderTokenID? {
        guard let value = try? JSONValue(parsing: payload),
            let text = try? JSONField(value)["token"].string()
        else { return nil }
        return ProviderTokenID(text)
    }

    /// Asks the provider to revoke the token, and deletes the token on success.
    package func callAsFunction(_ id: ProviderTokenID) throws -> Outcome {
        let stored = try pool.withConnection { connection in
            var batch = Batch()
            let resultKey = batch.add(ProviderTokens.revocation, id)
            return try connection.send(batch).first(resultKey)
        }
        guard let stored else { return .missing }
        guard let token = try keys.open(stored) else {
            return .retry("no key of HEARTH_SECRET_KEY opens the token")
        }
        guard try revoke(stored.issuer, stored.client, token) == true else {
            return .retry("\(stored.issuer) has not revoked it")
        }
        try pool.withConnection { connection in
            _ = try connection.run(ProviderTokens.delete, id)
        }
        return .revoked
    }
}

/// A refresh token that an identity provider issued for a sign-in.
package struct ProviderTokenGrant: Sendable {
    /// The app or service to which the token was issued.
    package let client: String
    /// The refresh token, a secret: it is encrypted before it is stored.
    package let refreshToken: String

    package init(client: String, refreshToken: String) {
        self.client = client
        self.refreshToken = refreshToken
    }
}

/// Asks a provider whether a refresh token (issuer, client, token) is still valid. Returns nil if
/// that is unknown at present.
package typealias ProviderTokenRequest =
    @Sendable (
        _ issuer: String, _ client: String, _ refreshToken: String
    ) throws -> Bool?

extension SignInKeys {
    /// Encrypts the token for storage.
    func seal(_ grant: ProviderTokenGrant, of issuer: String) throws(CryptoError) -> PostgresBytes {
        PostgresBytes(
            try providerTokens[0].seal(
                Array(grant.refreshToken.utf8), for: Self.context(issuer, grant.client)))
    }

    /// Decrypts the token; nil if none of the keys fits.
    func open(_ stored: StoredProviderToken) throws(CryptoError) -> String? {
        for key in providerTokens {
            let text = try key.open(
                stored.sealed.bytes, for: Self.context(stored.issuer, stored.client))
            if let text { return String(decoding: text, as: UTF8.self) }
        }
        return nil
    }

    private static func context(_ issuer: String, _ client: String) -> [UInt8] {
        Array("\(issuer)\n\(client)".utf8)
    }
}
