package import Domain
package import Postgres

/// An API key as operators see it.
package struct AdminAPIKey: RowDecodable, Sendable {
    package let id: APIKeyID
    package let name: String
    /// The scopes, separated by spaces.
    package let scopes: String
    package let requestsPerMinute: Int32
    package let createdAt: Timestamp
    /// Expiry of the key; nil if the key does not expire.
    package let expiresAt: Timestamp?
    package let revokedAt: Timestamp?
    /// Time until which the previous secret is accepted; nil if no previous secret is.
    package let previousUntil: Timestamp?
    /// Time of the last use, to the minute; nil if it was never used.
    package let lastUsedAt: Timestamp?
    /// Whether the key is neither revoked nor expired.
    package let isLive: Bool
    /// Requests of the present day (UTC) and of the six days before.
    package let usesToday: Int64
    package let usesInWeek: Int64
    /// Days with requests, the newest first, each with its number of requests: `2026-02-08 12`.
    private let dayWords: String

    package static let row = RowDecoder(Self.init)

    /// Requests by day (UTC), the newest day first; the last 30 days with requests.
    package var days: [(day: String, uses: Int)] {
        dayWords.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let uses = Int(words[1]) else { return nil }
            return (String(words[0]), uses)
        }
    }

    /// State of the key: `works`, `expired` or `revoked`.
    package var state: String { revokedAt != nil ? "revoked" : isLive ? "works" : "expired" }
}

/// Statements that read and change API keys for operators. `OperatorSessions.begin` goes before
/// changes.
package enum AdminAPIKeys {
    private static let columns = """
        k.id, k.name, array_to_string(k.scopes, ' '), k.requests_per_minute, k.created_at,
            k.expires_at, k.revoked_at,
            CASE WHEN k.previous_until > now() THEN k.previous_until END, k.last_used_at,
            l.works,
            coalesce((SELECT sum(u.uses) FROM app.api_key_uses AS u
                      WHERE u.key_id = k.id AND u.day = t.today), 0)::bigint,
            coalesce((SELECT sum(u.uses) FROM app.api_key_uses AS u
                      WHERE u.key_id = k.id AND u.day > t.today - 7), 0)::bigint,
            coalesce((
                SELECT string_agg(d.day || ' ' || d.uses, E'\\n' ORDER BY d.day DESC)
                FROM (SELECT u.day, u.uses FROM app.api_key_uses AS u
                      WHERE u.key_id = k.id ORDER BY u.day DESC LIMIT 30) AS d), '')
        """

    private static let tables = """
        app.api_keys AS k
        CROSS JOIN LATERAL (
            SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
                AS works) AS l
        CROSS JOIN (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS t
        """

    /// Returns keys: first the valid ones, the newest first. Parameter: whether to include keys
    /// that were revoked or have expired.
    package static let list = Statement<AdminAPIKey, Bool>(
        """
        SELECT \(columns) FROM \(tables)
        WHERE $1 OR l.works
        ORDER BY l.works DESC, k.created_at DESC, k.id LIMIT 1000
        """)

    /// Returns the key with an id or, if there is none, with a name; revoked keys are ignored.
    /// Parameters: the id (null: none), the name.
    package static let find = Statement<AdminAPIKey, APIKeyID?, String>(
        """
        SELECT \(columns) FROM \(tables)
        WHERE k.revoked_at IS NULL AND (k.id = $1 OR k.name = $2)
        ORDER BY k.id = $1 DESC NULLS LAST LIMIT 1
        """)

    /// Creates a key and returns its id. Parameters: name, scopes, SHA-256, days after which the
    /// key expires (null: never), requests a minute.
    package static let create = Statement<
        Scalar<APIKeyID>, String, [String], PostgresBytes, Int32?, Int32
    >("SELECT app.operator_create_api_key($1, $2, $3, $4, $5)")

    /// Gives a key a new secret. Parameters: key, SHA-256, period for which the previous secret is
    /// still accepted.
    package static let rotate = Statement<NoRow, APIKeyID, PostgresBytes, String>(
        "SELECT FROM app.operator_rotate_api_key($1, $2, $3::text::interval)")

    /// Revokes a key, and ends its pending invitations.
    package static let revoke = Statement<NoRow, APIKeyID>(
        "SELECT FROM app.operator_revoke_api_key($1)")
}
