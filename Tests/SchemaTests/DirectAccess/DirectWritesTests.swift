import Foundation
import Postgres
import TestSupport
import Testing

/// The writes that the apps send to PostgREST, in the SQL that PostgREST generates.
@Suite("The apps' direct writes")
struct DirectWritesTests {
    static let scene = Result { try DirectQueriesTests.Scene() }
    private var scene: DirectQueriesTests.Scene { get throws { try Self.scene.get() } }

    /// from("family_units").insert(id, created_by_user_id, family_code and times)
    private func insertFamily(
        _ bearer: DirectRequest.Bearer, id: UInt128, creator: Person, code: String = "FAM-ABC123",
        returning: String? = nil
    ) -> DirectRequest {
        .post(
            bearer, "family_units",
            [
                ("code_generated_at", "timestamptz"), ("created_at", "timestamptz"),
                ("created_by_user_id", "uuid"), ("family_code", "text"), ("id", "uuid"),
                ("updated_at", "timestamptz"),
            ],
            body: """
                {"id": "\(id.uuid)", "created_by_user_id": "\(creator.id.uuid)",
                 "family_code": "\(code)", "code_generated_at": "2024-01-01T00:00:00Z",
                 "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"}
                """, returning: returning)
    }

    /// from("family_members").insert(id, user_id, family_unit_id, role, added_at)
    private func insertMember(
        _ bearer: DirectRequest.Bearer, into family: UInt128, user: Person, role: String
    ) -> DirectRequest {
        .post(
            bearer, "family_members",
            [
                ("added_at", "timestamptz"), ("family_unit_id", "uuid"), ("id", "uuid"),
                ("role", "text"), ("user_id", "uuid"),
            ],
            body: """
                {"id": "\(UInt128.random(in: 0...UInt128.max).uuid)",
                 "user_id": "\(user.id.uuid)", "family_unit_id": "\(family.uuid)",
                 "role": "\(role)", "added_at": "2024-01-01T00:00:00Z"}
                """)
    }

    @Test("a person without an account creates a family and enters it by two consecutive inserts")
    func create() throws {
        let house = try scene.house
        for (role, householdRole) in [("player", "kid"), ("parent", "parent_admin")] {
            let person = Person(role: role)
            let family = UInt128.random(in: 0...UInt128.max)
            let code = "FAM-OWN00\(role == "player" ? 1 : 2)"
            _ = try insertFamily(.person(person), id: family, creator: person, code: code)
                .send(to: house)
            _ = try insertMember(.person(person), into: family, user: person, role: role)
                .send(to: house)
            let kept = try house.superuser().query(
                """
                SELECT m.household_role || ' ' || m.status || ' ' || m.joined_via || ' '
                    || (f.family_code = \(code)) || ' ' || (f.created_at > '2024-01-02')
                FROM app.family_units AS f JOIN app.family_members AS m ON m.family_unit_id = f.id
                WHERE f.id = \(family) AND m.user_id = \(person.id)
                """
            ).scalar(String.self)
            #expect(kept == "\(householdRole) active created true true")
        }
    }

    @Test("an insert that returns its row shows it before the family has a member")
    func representation() throws {
        let person = Person(role: "parent")
        let family = UInt128.random(in: 0...UInt128.max)
        let answer = try insertFamily(
            .person(person), id: family, creator: person,
            returning: "_t.id || ' ' || _t.family_name || ' ' || _t.family_code"
        ).send(to: scene.house)
        #expect(answer == "\(family.uuid.lowercased()) My Family ")
    }

    @Test("creating or entering a family for others or without a token is refused")
    func refused() throws {
        let scene = try scene
        let house = scene.house
        let free = UInt128.random(in: 0...UInt128.max)
        for person in scene.outsiders + [scene.parent] {
            let bearer = DirectRequest.Bearer.person(person)
            #expect(
                try refusal {
                    try insertFamily(bearer, id: free, creator: scene.player).send(to: house)
                } == "42501")
            for (family, user) in [
                (scene.family.id, person), (scene.family.id, scene.player), (free, person),
            ] {
                #expect(
                    try refusal {
                        try insertMember(bearer, into: family, user: user, role: "parent")
                            .send(to: house)
                    } == "42501")
            }
        }
        #expect(
            try refusal {
                try insertFamily(.nobody, id: free, creator: scene.player).send(to: house)
            } == "42501")
        #expect(
            try refusal {
                try insertMember(
                    .nobody, into: scene.family.id, user: scene.player, role: "parent"
                ).send(to: house)
            } == "42501")
        #expect(try house.count("SELECT count(*) FROM app.family_units WHERE id = \(free)") == 0)
    }

    @Test(
        "an insert with a taken id fails with an error about the id, which the sender knows already"
    )
    func takenID() throws {
        let scene = try scene
        let met = try refusal {
            try insertFamily(
                .person(scene.stranger), id: scene.family.id, creator: scene.stranger
            ).send(to: scene.house)
        }
        #expect(met == "23505 family_units_pkey")
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM app.family_units
                WHERE id = \(scene.family.id) AND created_by_user_id = \(scene.player.id)
                """) == 1)
    }

    @Test("a pending invitation can be deleted by its sender, and by nobody else")
    func revoke() throws {
        let scene = try scene
        let delete = { (bearer: DirectRequest.Bearer) in
            try DirectRequest.delete(bearer, "family_invitations", id: scene.invitation)
                .send(to: scene.house)
        }
        for person in scene.outsiders + [scene.parent] {
            #expect(try delete(.person(person)) == "0")
        }
        #expect(try refusal { try delete(.nobody) } == "42501")
        #expect(try delete(.person(scene.player)) == "1")
        #expect(try delete(.person(scene.player)) == "0")
    }

    @Test(
        "a query by the former player column of families fails with an unknown column")
    func formerColumn() throws {
        let scene = try scene
        let met = try refusal {
            try DirectRequest.get(
                .person(scene.player),
                """
                SELECT "api"."family_units"."id" FROM "api"."family_units"
                WHERE "api"."family_units"."player_user_id" = '\(scene.player.id.uuid)'
                """
            ).send(to: scene.house)
        }
        #expect(met == "42703")
    }
}
