package import Domain
package import Postgres

/// A member's preferences, as stored.
package struct StoredPreferences: RowDecodable, Sendable {
    /// The preferences as a JSON object.
    package let document: PostgresJSON
    package let updatedAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A member's preferences, a JSON document that only apps understand.
package enum Preferences {
    static let columns = "preferences, updated_at"

    /// Returns a member's preferences; no row if nothing is stored or the caller may not see them.
    /// Parameters: family, user.
    package static let read = Statement<StoredPreferences, FamilyID, UserID>(
        """
        SELECT \(columns) FROM app.member_preferences
        WHERE family_unit_id = $1 AND user_id = $2
        """)

    /// Replaces the preferences and returns them as stored.
    package static let write = Statement<
        StoredPreferences, FamilyID, UserID, PostgresJSON
    >(
        """
        INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
        VALUES ($1, $2, $3)
        ON CONFLICT (family_unit_id, user_id) DO UPDATE SET preferences = excluded.preferences
        RETURNING \(columns)
        """)
}
