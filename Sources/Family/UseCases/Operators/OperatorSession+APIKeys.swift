package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns at most 1,000 API keys: valid keys before others, and newer keys before older ones.
    ///
    /// - Parameter includesEnded: Whether to return revoked and expired keys as well.
    package func apiKeys(includesEnded: Bool) throws -> [AdminAPIKey] {
        try rows(AdminAPIKeys.list, includesEnded)
    }

    /// Returns the key that has this id or name and is not revoked.
    package func apiKey(_ word: String) throws -> AdminAPIKey {
        guard let key = try rows(AdminAPIKeys.find, APIKeyID(word), word).first else {
            throw afterReplication(OperatorRefusal(.apiKeyNotFound, "There is no such key."))
        }
        return key
    }

    /// Creates a key and returns its secret. Only the hash of the secret is stored.
    ///
    /// - Parameter days: Days after which the key no longer works; nil for a key that does not
    ///   expire.
    package func createAPIKey(
        _ name: String, _ scopes: [KeyScope], expiresInDays days: Int?, requestsPerMinute: Int
    ) throws -> (id: APIKeyID, secret: APIKeySecret) {
        let secret = try APIKeySecret()
        let id: APIKeyID = try change(
            AdminAPIKeys.create, name, scopes.map(\.rawValue), PostgresBytes(secret.hash.bytes),
            days.map { Int32($0) }, Int32(requestsPerMinute))
        return (id, secret)
    }

    /// Gives a key a new secret and returns it.
    ///
    /// - Parameter hours: Hours for which the secret that is replaced keeps working; with 0, all
    ///   earlier secrets stop working at once.
    /// - Throws: ``OperatorRefusal``: `apiKeyExpired`; `apiKeyRotating` if `hours` is not 0 and an
    ///   earlier rotation's overlap has not ended, because at most two secrets work at a time.
    package func rotateAPIKey(_ id: APIKeyID, overlapHours hours: Int) throws -> APIKeySecret {
        let secret = try APIKeySecret()
        try change(AdminAPIKeys.rotate, id, PostgresBytes(secret.hash.bytes), "\(hours) hours")
        return secret
    }

    /// Revokes a key: no later request with it succeeds, and its pending invitations end.
    package func revokeAPIKey(_ id: APIKeyID) throws { try change(AdminAPIKeys.revoke, id) }
}
