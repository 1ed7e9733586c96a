import Crypto
package import Domain
import JSON
package import Postgres
import Repositories

/// Revokes a provider's refresh token whose account was erased, or whose sign-in was taken away.
package struct RevokeProviderToken: Sendable {
    /// What came of an attempt.
    package enum Outcome: Sendable, Equatable {
        case revoked
        /// There is nothing to revoke, or no more.
        case gone
        /// To be tried again.
        case later(String)
    }

    /// The queue of these jobs, and their kind.
    package static let (queue, kind) = ("providers", "provider.revoke")

    private let pool: Pool
    private let keys: SignInKeys
    private let revoke: AskProvider

    /// - Parameters:
    ///   - pool: As the role hearth_worker.
    ///   - revoke: Whether the provider has revoked it, or says that it is not valid: true; nil
    ///     where it gave no answer.
    package init(_ pool: Pool, _ keys: SignInKeys, revoke: @escaping AskProvider) {
        self.pool = pool
        self.keys = keys
        self.revoke = revoke
    }

    /// The token that a job names; nil for another payload.
    package static func token(of payload: [UInt8]) -> ProviderTokenID? {
        guard let value = try? JSONValue(parsing: payload),
            let text = try? JSONField(value)["token"].string()
        else { return nil }
        return ProviderTokenID(text)
    }

    /// Asks the provider to revoke the token, and forgets the token when it has.
    package func callAsFunction(_ id: ProviderTokenID) throws -> Outcome {
        let kept = try pool.withConnection { connection in
            var batch = Batch()
            let place = batch.add(ProviderTokens.toRevoke, id)
            return try connection.send(batch).first(place)
        }
        guard let kept else { return .gone }
        guard let token = try keys.open(kept) else {
            return .later("no key of HEARTH_SECRET_KEY opens the token")
        }
        guard try revoke(kept.issuer, kept.client, token) == true else {
            return .later("\(kept.issuer) has not revoked it")
        }
        try pool.withConnection { connection in
            _ = try connection.run(ProviderTokens.forget, id)
        }
        return .revoked
    }
}

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
