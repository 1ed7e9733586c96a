package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns at most 1,000 API keys: first those that work, the newest first.
    ///
    /// - Parameter includesEnded: Whether to return revoked and expired keys as well.
    package func apiKeys(includesEnded: Bool) throws -> [AdminAPIKey] {
        try rows(AdminAPIKeys.list, includesEnded)
    }

    /// Returns the key with this id or name that is not revoked.
    package func apiKey(_ word: String) throws -> AdminAPIKey {
        guard let key = try rows(AdminAPIKeys.find, APIKeyID(word), word).first else {
            throw afterReplication(OperatorRefusal(.apiKeyNotFound, "There is no such key."))
        }
        return key
    }

    /// Creates a key and returns its secret, which is stored nowhere.
    ///
    /// - Parameter days: Days after which it no longer works; nil for a key without end.
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
    /// - Parameter hours: Hours during which the previous secret works as well; 0 also ends the
    ///   secret before it.
    /// - Throws: ``OperatorRefusal``: `apiKeyExpired`; `apiKeyRotating` if the secret before the
    ///   present one still works and this one would work as well.
    package func rotateAPIKey(_ id: APIKeyID, overlapHours hours: Int) throws -> APIKeySecret {
        let secret = try APIKeySecret()
        try change(AdminAPIKeys.rotate, id, PostgresBytes(secret.hash.bytes), "\(hours) hours")
        return secret
    }

    /// Revokes a key: no later request with it succeeds, and its pending invitations end.
    package func revokeAPIKey(_ id: APIKeyID) throws { try change(AdminAPIKeys.revoke, id) }
}
