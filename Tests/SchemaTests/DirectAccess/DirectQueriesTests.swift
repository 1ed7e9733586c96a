import Foundation
import Postgres
import TestSupport
import Testing

/// The queries that the apps send to PostgREST, in the SQL that PostgREST generates. Each is run as
/// a member, a stranger, a removed member, and without a token.
@Suite("The apps' direct queries")
struct DirectQueriesTests {
    /// A player's family with a parent, a pending invitation, and a removed member.
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
                try $0.query("SELECT app.remove_member(\(member), NULL, false, false)")
            }
            invitation = try house.invite("new@example.com", to: family, by: player)
        }

        var outsiders: [Person] { [stranger, removed] }
    }

    static let scene = Result { try Scene() }
    private var scene: Scene { get throws { try Self.scene.get() } }

    private struct MemberRow: Decodable, Equatable { let family_unit_id: UUID }

    // Rows as the apps declare them: a property that isn't optional must never be null.
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

    @Test("a user's family is found by the user's id, but not by another user")
    func familyOfUser() throws {
        let scene = try scene
        let family = try #require(UUID(uuidString: scene.family.id.uuid))
        for person in [scene.player, scene.parent] {
            let found = try DirectRequest.get(.person(person), DirectQueries.membership(of: person))
                .rows(from: scene.house, as: MemberRow.self)
            #expect(found == [MemberRow(family_unit_id: family)])
        }
        let relative = try DirectRequest.get(
            .person(scene.parent), DirectQueries.membership(of: scene.player)
        )
        .rows(from: scene.house, as: MemberRow.self)
        #expect(relative == [MemberRow(family_unit_id: family)])
        for person in scene.outsiders {
            for user in [scene.player, scene.parent] {
                let found = try DirectRequest.get(
                    .person(person), DirectQueries.membership(of: user)
                )
                .rows(from: scene.house, as: MemberRow.self)
                #expect(found.isEmpty)
            }
        }
        let own = try DirectRequest.get(
            .person(scene.removed), DirectQueries.membership(of: scene.removed)
        )
        .rows(from: scene.house, as: MemberRow.self)
        #expect(own.isEmpty)
    }

    @Test("members read the whole family, with its code and with dates that clients can parse")
    func family() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(.person(person), DirectQueries.family(scene.family.id))
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
            let answer = try DirectRequest.get(
                .person(person), DirectQueries.family(scene.family.id)
            )
            .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    @Test("a parent lists its families, embedded in its memberships")
    func parentFamilies() throws {
        let scene = try scene
        let rows = try DirectRequest.get(
            .person(scene.parent), DirectQueries.families(of: scene.parent)
        )
        .rows(from: scene.house, as: Membership.self)
        #expect(rows.map(\.family_units.family_code) == [scene.family.code])
        #expect(rows.map(\.family_units.family_name) == ["House"])
        for person in [scene.player, scene.removed] {
            let answer = try DirectRequest.get(.person(person), DirectQueries.families(of: person))
                .send(to: scene.house)
            #expect(answer == "[]")
        }
        let own = try DirectRequest.get(
            .person(scene.stranger), DirectQueries.families(of: scene.stranger)
        )
        .rows(from: scene.house, as: Membership.self)
        #expect(own.count == 1 && own[0].family_unit_id.uuidString != scene.family.id.uuid)
        let others = try DirectRequest.get(
            .person(scene.stranger), DirectQueries.families(of: scene.parent)
        )
        .send(to: scene.house)
        #expect(others == "[]")
    }

    @Test("members can be listed, with their users embedded, only by members")
    func members() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(
                .person(person), DirectQueries.members(of: scene.family.id)
            )
            .rows(from: scene.house, as: PersonRow.self)
            #expect(Set(rows.map(\.role)) == ["player", "parent"] && rows.count == 2)
            #expect(Set(rows.map(\.users.email)) == [scene.player.email, scene.parent.email])
            #expect(rows.allSatisfy { $0.users.id == $0.user_id })
        }
        for person in scene.outsiders {
            let answer = try DirectRequest.get(
                .person(person), DirectQueries.members(of: scene.family.id)
            )
            .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    @Test("members list pending invitations, whose tokens are empty")
    func invitations() throws {
        let scene = try scene
        for person in [scene.player, scene.parent] {
            let rows = try DirectRequest.get(
                .person(person), DirectQueries.pendingInvitations(of: scene.family.id)
            )
            .rows(from: scene.house, as: Invitation.self)
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row.id.uuidString == scene.invitation.uuid)
            #expect(row.invited_email == "new@example.com" && row.token == "")
            #expect(ISO8601DateFormatter().date(from: row.expires_at) != nil)
        }
        for person in scene.outsiders {
            let answer = try DirectRequest.get(
                .person(person), DirectQueries.pendingInvitations(of: scene.family.id)
            )
            .send(to: scene.house)
            #expect(answer == "[]")
        }
    }

    @Test(
        "each query is refused without a token, and returns nothing to a person without an account")
    func nobody() throws {
        let scene = try scene
        for query in [
            DirectQueries.membership(of: scene.player), DirectQueries.family(scene.family.id),
            DirectQueries.families(of: scene.parent),
            DirectQueries.members(of: scene.family.id),
            DirectQueries.pendingInvitations(of: scene.family.id),
        ] {
            let met = try refusal { try DirectRequest.get(.nobody, query).send(to: scene.house) }
            #expect(met == "42501", "\(query)")
            let unseen = try DirectRequest.get(.person(Person(role: "parent")), query)
                .send(to: scene.house)
            #expect(unseen == "[]", "\(query)")
        }
    }

    @Test("the views expose the foreign keys used for embedding, one for each pair")
    func embedding() throws {
        // A column is exposed if the view passes it on unchanged.
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
