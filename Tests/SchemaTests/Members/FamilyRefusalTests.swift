import Postgres
import TestSupport
import Testing

/// Refusals of creating a family.
@Suite("Refused creations of a family")
struct FamilyRefusalTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    /// The refusal of an unconditional creation; nil if it succeeds.
    private func refused(_ person: Person, as role: String) throws -> String? {
        try refusal {
            try scene.call(person, "SELECT app.create_family('New', \(role), true)")
        }
    }

    @Test("a family can be created as a player or a parent only")
    func role() throws {
        try scene.effects().expect {
            let field = try fieldRefused {
                try scene.call(scene.admin, "SELECT app.create_family('New', 'friend', true)")
            }
            #expect(field == "role")
        }
    }

    @Test("a player has a family if it has an active membership of its own as a player")
    func player() throws {
        let player = scene.player
        // Another player's family is not its own. An account has one role in all families.
        let other = try house.person("player")
        _ = try house.family(of: other)
        #expect(try refused(scene.adult, as: "player") == "HF409 role_mismatch")
        try house.join(player, scene.home)
        try scene.effects().expect {
            let told = try refused(player, as: "player")
            #expect(told == "HF409 player_has_family")
        }
        #expect(try refused(player, as: "parent") == "HF409 role_mismatch")
        // A family that the player has left is ignored.
        try scene.call(player, "SELECT app.leave_family(\(scene.home.id), NULL)")
        #expect(try refused(player, as: "player") == nil)
    }

    @Test("an account that leaves its family during the look-up gets a new one")
    func leftMeanwhile() throws {
        let person = try house.person()
        let left = try house.family(of: person)
        try scene.call(person, "SELECT app.leave_family(\(left.id), NULL)")
        // At first returns what was true a moment ago.
        try house.owner().execute(
            script: """
                CREATE SEQUENCE app.looked;
                ALTER FUNCTION app.default_family_of(uuid) RENAME TO first_family_now;
                CREATE FUNCTION app.default_family_of(p_user uuid) RETURNS uuid LANGUAGE sql VOLATILE
                AS $$ SELECT CASE nextval('app.looked') WHEN 1 THEN '\(left.id.uuid)'::uuid
                    ELSE app.first_family_now(p_user) END $$;
                """)
        let made = try scene.call(
            person, "SELECT existed::text FROM app.create_family('New', NULL, false)"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(made == ["false"])
    }

    @Test("an account's unchanged role is not written again")
    func side() throws {
        let person = try house.person("player")
        let lines = try scene.effects(and: ["person": person.id]).lines {
            // The role of the account, unless another is named.
            try scene.call(person, "SELECT app.create_family('First', NULL, false)")
        }
        #expect(lines.contains { $0.hasPrefix("+ family_members") && $0.contains("role=player") })
        #expect(lines.filter { $0.contains("users") } == [])
        #expect(lines.contains { $0.hasPrefix("+ family_units") })
    }

    @Test(
        "a family's creator can't be changed, and an account can create a limited number of families"
    )
    func limits() throws {
        let person = try house.person()
        let limit = try house.count("SELECT app.max_families_created()::int8")
        for _ in 0..<limit { #expect(try refused(person, as: "parent") == nil) }
        #expect(try refused(person, as: "parent") == "HF409 too_many_families")
        #expect(try refused(scene.admin, as: "parent") == nil)
        let moved = try refusal {
            try house.superuser().query(
                """
                UPDATE app.family_units SET created_by_user_id = \(person.id)
                WHERE id = \(scene.home.id)
                """)
        }
        #expect(moved?.hasSuffix("family_units_creator_fixed") == true)
    }
}
