package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns the API keys, the newest first.
    ///
    /// - Parameter includesEnded: Whether to return revoked and expired keys as well.
    package func apiKeys(includesEnded: Bool) throws -> [AdminAPIKey] {
        try rows(AdminAPIKeys.list, includesEnded)
    }

    /// Returns the key with this id or name that is not revoked.
    package func apiKey(_ word: String) throws -> AdminAPIKey {
        let keys = try rows(AdminAPIKeys.list, true).filter { $0.revokedAt == nil }
        let id = APIKeyID(word)
        guard let key = keys.first(where: { $0.id == id }) ?? keys.first(where: { $0.name == word })
        else { throw afterReplication(OperatorRefusal(.apiKeyNotFound, "There is no such key.")) }
        return key
    }

    /// Creates a key and returns its secret, which is stored nowhere.
    ///
    /// - Parameter expiresAt: Time from which it no longer works; nil for a key without end.
    package func createAPIKey(
        _ name: String, _ scopes: [KeyScope], expiresAt: Timestamp?, requestsPerMinute: Int
    ) throws -> (id: APIKeyID, secret: APIKeySecret) {
        let secret = try APIKeySecret()
        let id: APIKeyID = try change(
            AdminAPIKeys.create, name, scopes.map(\.rawValue), PostgresBytes(secret.hash.bytes),
            expiresAt, Int32(requestsPerMinute))
        return (id, secret)
    }

    /// Gives a key a new secret and returns it.
    ///
    /// - Parameter hours: Hours during which the previous secret works as well.
    package func rotateAPIKey(_ id: APIKeyID, overlapHours hours: Int) throws -> APIKeySecret {
        let secret = try APIKeySecret()
        try change(AdminAPIKeys.rotate, id, PostgresBytes(secret.hash.bytes), "\(hours) hours")
        return secret
    }

    /// Revokes a key: no later request with it succeeds.
    package func revokeAPIKey(_ id: APIKeyID) throws { try change(AdminAPIKeys.revoke, id) }
}
