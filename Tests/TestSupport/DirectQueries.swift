/// The queries that the apps send to PostgREST, in the SQL that PostgREST generates.
package enum DirectQueries {
    /// from("family_members").select("family_unit_id").eq("user_id", ...).limit(1)
    package static func membership(of user: Person) -> String {
        """
        SELECT "api"."family_members"."family_unit_id" FROM "api"."family_members"
        WHERE "api"."family_members"."user_id" = '\(user.id.uuid)' LIMIT 1 OFFSET 0
        """
    }

    /// from("family_units").select().eq("id", ...).limit(1)
    package static func family(_ family: UInt128) -> String {
        """
        SELECT "api"."family_units".* FROM "api"."family_units"
        WHERE "api"."family_units"."id" = '\(family.uuid)' LIMIT 1 OFFSET 0
        """
    }

    /// family_members with family_units!inner embedded, for a user's own memberships as a parent
    package static func families(of user: Person) -> String {
        """
        SELECT "api"."family_members"."family_unit_id", row_to_json("f".*)::jsonb AS "family_units"
        FROM "api"."family_members"
        INNER JOIN LATERAL (
            SELECT "family_units_1"."id", "family_units_1"."family_code",
                "family_units_1"."family_name", "family_units_1"."code_generated_at"
            FROM "api"."family_units" AS "family_units_1"
            WHERE "family_units_1"."id" = "api"."family_members"."family_unit_id") AS "f" ON TRUE
        WHERE "api"."family_members"."user_id" = '\(user.id.uuid)'
            AND "api"."family_members"."role" = 'parent'
        """
    }

    /// family_members with users embedded
    package static func members(of family: UInt128) -> String {
        """
        SELECT "api"."family_members".*, row_to_json("u".*)::jsonb AS "users"
        FROM "api"."family_members"
        LEFT JOIN LATERAL (
            SELECT "users_1"."id", "users_1"."email", "users_1"."full_name", "users_1"."role"
            FROM "api"."users" AS "users_1"
            WHERE "users_1"."id" = "api"."family_members"."user_id") AS "u" ON TRUE
        WHERE "api"."family_members"."family_unit_id" = '\(family.uuid)'
        ORDER BY "api"."family_members"."added_at" ASC
        """
    }

    /// from("family_invitations").select().eq(...).eq("status", "pending").order("created_at")
    package static func pendingInvitations(of family: UInt128) -> String {
        """
        SELECT "api"."family_invitations".* FROM "api"."family_invitations"
        WHERE "api"."family_invitations"."family_unit_id" = '\(family.uuid)'
            AND "api"."family_invitations"."status" = 'pending'
        ORDER BY "api"."family_invitations"."created_at" DESC
        """
    }
}

// The apps' writes: one insert for a family, one for its first member.
extension DirectQueries {
    /// from("family_units").insert(id, created_by_user_id, family_code and times)
    package static func insertFamily(
        _ id: UInt128, code: String, by creator: Person
    ) -> DirectRequest {
        .post(
            .person(creator), "family_units",
            [
                ("code_generated_at", "timestamptz"), ("created_at", "timestamptz"),
                ("created_by_user_id", "uuid"), ("family_code", "text"), ("id", "uuid"),
                ("updated_at", "timestamptz"),
            ],
            body: """
                {"id": "\(id.uuid)", "created_by_user_id": "\(creator.id.uuid)",
                 "family_code": "\(code)", "code_generated_at": "2024-01-01T00:00:00Z",
                 "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"}
                """)
    }

    /// from("family_members").insert(id, user_id, family_unit_id, role, added_at)
    package static func insertMember(
        _ person: Person, as role: String, into family: UInt128
    ) -> DirectRequest {
        .post(
            .person(person), "family_members",
            [
                ("added_at", "timestamptz"), ("family_unit_id", "uuid"), ("id", "uuid"),
                ("role", "text"), ("user_id", "uuid"),
            ],
            body: """
                {"id": "\(UInt128.random(in: 0...UInt128.max).uuid)",
                 "user_id": "\(person.id.uuid)", "family_unit_id": "\(family.uuid)",
                 "role": "\(role)", "added_at": "2024-01-01T00:00:00Z"}
                """)
    }
}
