package import Domain
package import Postgres

/// What a member likes, as a JSON document that only apps understand.
package enum Preferences {
    /// Of a family's member, by its user; no row when nothing was stored or it is none of the
    /// caller's business.
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
