package import Domain
package import Postgres

/// A member's preferences, a JSON document that only apps understand.
package enum Preferences {
    /// The preferences of a family's member, by user; no row if nothing is stored or the caller may
    /// not see them.
    package static let read = Statement<Scalar<PostgresJSON>, FamilyID, UserID>(
        """
        SELECT preferences FROM app.member_preferences WHERE family_unit_id = $1 AND user_id = $2
        """)

    /// Replaces them and gives back what is stored.
    package static let write = Statement<Scalar<PostgresJSON>, FamilyID, UserID, PostgresJSON>(
        """
        INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
        VALUES ($1, $2, $3)
        ON CONFLICT (family_unit_id, user_id) DO UPDATE SET preferences = excluded.preferences
        RETURNING preferences
        """)
}
