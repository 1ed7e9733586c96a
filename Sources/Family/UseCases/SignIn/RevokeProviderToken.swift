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
