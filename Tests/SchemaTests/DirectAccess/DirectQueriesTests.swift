import Foundation
import Postgres
import TestSupport
import Testing

/// The queries that the applications send past Hearth's API, in the SQL that PostgREST makes of
/// them, each for a member, a stranger, somebody who was removed, and nobody.
@Suite("The applications' direct queries")
struct DirectQueriesTests {
    /// A player's family with a parent in it, an invitation pending, and one who was removed.
    struct Scene: Sendable {
        let house: House
        let player, parent, stranger, removed: Person
        let family: Family
        let invitation: UInt128

        init() throws {
            house = try House()
            player = try house.person("player")
            family = try house.family(of: player)
            parent = try house.person()
            try house.join(parent, family)
            stranger = try house.person()
            _ = try house.family(of: stranger)
            removed = try house.person()
            let member = try house.join(removed, family)
            try house.asAPI(player) {
                try $0.query("SELECT app.remove_member(\(member), NULL, false)")
            }
            invitation = try house.invite("new@example.com", to: family, by: player)
        }

        var outsiders: [Person] { [stranger, removed] }
    }

    static let scene = Result { try Scene() }
    private var scene: Scene { get throws { try Self.scene.get() } }

    private struct MemberRow: Decodable, Equatable { let family_unit_id: UUID }

    // As the applications declare it: what isn't optional there must never be null.
    private struct FamilyRow: Decodable {
        let id: UUID, created_by_user_id: UUID
        let family_name, family_code, code_generated_at, created_at, updated_at: String?
        let home_latitude, home_longitude: Double?
    }

    private struct Membership: Decodable {
        struct Family: Decodable {
            let id: UUID, family_code, family_name, code_generated_at: String
        }
        let family_unit_id: UUID
        let family_units: Family
    }

    private struct PersonRow: Decodable {
        struct User: Decodable { let id: UUID, email: String, full_name: String?, role: String }
        let id, family_unit_id, user_id: UUID
        let role, added_at: String
        let users: User
    }

    private struct Invitation: Decodable {
        let id, family_unit_id, invited_by: UUID
        let invited_email, role, token, status, expires_at, created_at: String
        let accepted_at: String?
    }

    /// from("family_members").select("family_unit_id").eq("user_id", ...).limit(1)
    private func myFamily(_ user: Person) -> String {
        """
        SELECT "api"."family_members"."family_unit_id" FROM "api"."family_members"
        WHERE "api"."family_members"."user_id" = '\(user.id.uuid)' LIMIT 1 OFFSET 0
        """
    }

    @Test("one's family is found by one's own user id, by nobody else's")
    func familyOfUser() throws {
        let scene = try scene
        let family = try #require(UUID(uuidString: scene.family.id.uuid))
        for person in [scene.player, scene.parent] {
            let found = try DirectRequest.get(.person(person), myFamily(person))
                .rows(from: scene.house, as: MemberRow.self)
            #expect(found == [MemberRow(family_unit_id: family)])
        }
        let relative = try DirectRequest.get(.person(scene.parent), myFamily(scene.player))
            .rows(from: scene.house, as: MemberRow.self)
        #expect(relative == [MemberRow(family_unit_id: family)])
        for person in scene.outsiders {
            for user in [scene.player, scene.parent] {
                let found = try DirectRequest.get(.person(person), myFamily(user))
                    .rows(from: scene.house, as: MemberRow.self)
                #expect(found.isEmpty)
            }
        }
        let own = try DirectRequest.get(.person(scene.removed), myFamily(scene.removed))
            .rows(from: scene.house, as: MemberRow.self)
        #expect(own.isEmpty)
    }

    /// from("family_units").select().eq("id", ...).limit(1)
    private func wholeFamily(_ family: UInt128) -> String {
        """
        SELECT "api"."family_units".* FROM "api"."family_units"
        WHERE "api"."family_units"."id" = '\(family.uuid)' LIMIT 1 OFFSET 0
        """
    }

    @Test("a family is read whole by its members, with its code and in dates that clients read")
    func family() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(.person(person), wholeFamily(scene.family.id))
                .rows(from: scene.house, as: FamilyRow.self)
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row.id.uuidString == scene.family.id.uuid)
            #expect(row.family_code == scene.family.code && row.family_name == "House")
            #expect(row.created_by_user_id.uuidString == scene.player.id.uuid)
            for date in [row.code_generated_at, row.created_at, row.updated_at] {
                #expect(ISO8601DateFormatter().date(from: date ?? "") != nil, "\(date ?? "-")")
            }
        }
        for person in scene.outsiders {
            let answer = try DirectRequest.get(.person(person), wholeFamily(scene.family.id))
                .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    /// family_members with family_units!inner embedded, of one's own memberships as a parent
    private func families(of user: Person) -> String {
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

    @Test("a parent lists its families with what is embedded in each membership")
    func parentFamilies() throws {
        let scene = try scene
        let rows = try DirectRequest.get(.person(scene.parent), families(of: scene.parent))
            .rows(from: scene.house, as: Membership.self)
        #expect(rows.map(\.family_units.family_code) == [scene.family.code])
        #expect(rows.map(\.family_units.family_name) == ["House"])
        for person in [scene.player, scene.removed] {
            let answer = try DirectRequest.get(.person(person), families(of: person))
                .send(to: scene.house)
            #expect(answer == "[]")
        }
        let own = try DirectRequest.get(.person(scene.stranger), families(of: scene.stranger))
            .rows(from: scene.house, as: Membership.self)
        #expect(own.count == 1 && own[0].family_unit_id.uuidString != scene.family.id.uuid)
        let others = try DirectRequest.get(.person(scene.stranger), families(of: scene.parent))
            .send(to: scene.house)
        #expect(others == "[]")
    }

    /// family_members with users embedded
    private func people(_ family: UInt128) -> String {
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

    @Test("members come with their people embedded, to members alone")
    func members() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(.person(person), people(scene.family.id))
                .rows(from: scene.house, as: PersonRow.self)
            #expect(Set(rows.map(\.role)) == ["player", "parent"] && rows.count == 2)
            #expect(Set(rows.map(\.users.email)) == [scene.player.email, scene.parent.email])
            #expect(rows.allSatisfy { $0.users.id == $0.user_id })
        }
        for person in scene.outsiders {
            let answer = try DirectRequest.get(.person(person), people(scene.family.id))
                .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    /// from("family_invitations").select().eq(...).eq("status", "pending").order("created_at")
    private func pending(_ family: UInt128) -> String {
        """
        SELECT "api"."family_invitations".* FROM "api"."family_invitations"
        WHERE "api"."family_invitations"."family_unit_id" = '\(family.uuid)'
            AND "api"."family_invitations"."status" = 'pending'
        ORDER BY "api"."family_invitations"."created_at" DESC
        """
    }

    @Test("members list pending invitations, whose tokens are empty")
    func invitations() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(.person(person), pending(scene.family.id))
                .rows(from: scene.house, as: Invitation.self)
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row.id.uuidString == scene.invitation.uuid)
            #expect(row.invited_email == "new@example.com" && row.token == "")
            #expect(ISO8601DateFormatter().date(from: row.expires_at) != nil)
        }
        for person in scene.outsiders {
            let answer = try DirectRequest.get(.person(person), pending(scene.family.id))
                .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    @Test("nobody at all is refused each of them; who was never seen reads nothing")
    func nobody() throws {
        let scene = try scene
        for query in [
            myFamily(scene.player), wholeFamily(scene.family.id), families(of: scene.parent),
            people(scene.family.id), pending(scene.family.id),
        ] {
            let met = try refusal { try DirectRequest.get(.nobody, query).send(to: scene.house) }
            #expect(met == "42501", "\(query)")
            let unseen = try DirectRequest.get(.person(Person(role: "parent")), query)
                .send(to: scene.house)
            #expect(unseen == "[]", "\(query)")
        }
    }

    @Test("the views show the foreign keys that embedding follows, one for each pair")
    func embedding() throws {
        // A column counts where the view passes it on as it is.
        let found = try scene.house.superuser().query(
            """
            WITH shown AS (
                SELECT c.relname::text AS view, a.attname AS name
                FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
                WHERE c.relnamespace = 'api'::regnamespace AND c.relkind = 'v'
                    AND pg_column_is_updatable(c.oid, a.attnum, false)),
            keys AS (
                SELECT f.conrelid, f.confrelid, k.mine, k.theirs
                FROM pg_constraint AS f,
                    LATERAL (
                        SELECT array_agg(m.attname) AS mine, array_agg(t.attname) AS theirs
                        FROM unnest(f.conkey, f.confkey) AS pair (m, t)
                        JOIN pg_attribute AS m ON m.attrelid = f.conrelid AND m.attnum = pair.m
                        JOIN pg_attribute AS t ON t.attrelid = f.confrelid AND t.attnum = pair.t
                    ) AS k
                WHERE f.contype = 'f' AND f.connamespace = 'app'::regnamespace)
            SELECT a.relname || '.' || array_to_string(k.mine, ',') || ' ' || b.relname
            FROM keys AS k JOIN pg_class AS a ON a.oid = k.conrelid
            JOIN pg_class AS b ON b.oid = k.confrelid
            WHERE k.mine <@ ARRAY(SELECT name FROM shown WHERE view = a.relname)
                AND k.theirs <@ ARRAY(SELECT name FROM shown WHERE view = b.relname)
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(
            found == [
                "family_invitations.family_unit_id family_units",
                "family_invitations.invited_by users",
                "family_members.family_unit_id family_units",
                "family_members.user_id users",
            ])
    }
}
