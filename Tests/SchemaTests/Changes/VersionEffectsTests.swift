import Postgres
import TestSupport
import Testing

@Suite("Expected versions, and the removal of old ones")
struct VersionEffectsTests {
    private let scene: TwoFamilies
    private let owner: Connection

    init() throws {
        scene = try TwoFamilies()
        owner = try scene.house.owner()
    }

    @Test("a change that expects another version of a family or a person is refused")
    func expectedVersion() throws {
        let (family, person) = (scene.home.id, scene.adult.id)
        func change(expecting id: UInt128, plus difference: Int) throws -> String? {
            try refusal {
                try owner.transaction { transaction in
                    try transaction.query(
                        """
                        SELECT set_config('hearth.expected_versions', \(id)::text || ' ' || (
                            SELECT version + \(difference) FROM (
                                SELECT family_unit_id, version FROM app.family_versions
                                UNION ALL SELECT user_id, version FROM app.user_versions) AS v (id)
                            WHERE v.id = \(id)), true)
                        """)
                    try transaction.query(
                        "UPDATE app.users SET full_name = full_name || 'x' WHERE id = \(person)")
                }
            }
        }
        for id in [family, person] {
            #expect(try change(expecting: id, plus: 1) == "40001")
            #expect(try change(expecting: id, plus: -1) == "40001")
            #expect(try change(expecting: id, plus: 0) == nil)
        }
    }

    @Test("every hundredth version deletes changes beyond the limit, only of its family or person")
    func forgotten() throws {
        try owner.query(
            "UPDATE app.family_versions SET version = app.retained_changes() + 99, purged_version = 0"
        )
        try owner.query(
            "UPDATE app.user_versions SET version = app.retained_changes() + 99, purged_version = 0"
        )
        try owner.query("DELETE FROM app.family_changes")
        try owner.query("DELETE FROM app.user_changes")
        try owner.query(
            """
            INSERT INTO app.family_changes
                (family_unit_id, version, kind, id, audience, is_managed, changed_at)
            SELECT f.id, n, 'family', f.id, 'members', false,
                timestamptz '2020-01-01' + n * interval '1 day'
                    + CASE f.id WHEN \(scene.home.id) THEN interval '0' ELSE interval '1 year' END
            FROM app.family_units AS f, generate_series(99, 101) AS n
            """)
        try owner.query(
            """
            INSERT INTO app.user_changes
                (user_id, version, kind, id, family_unit_id, is_managed, changed_at)
            SELECT u.id, n, 'profile', u.id, NULL, false,
                timestamptz '2020-01-01' + n * interval '1 day'
                    + CASE u.id WHEN \(scene.player.id) THEN interval '0' ELSE interval '1 year' END
            FROM app.users AS u, generate_series(99, 101) AS n
            """)
        func kept(_ id: UInt128) throws -> String {
            try owner.query(
                """
                SELECT purged_version || ' ' || coalesce(purged_raised_at::date::text, '-') || ' '
                    || (SELECT string_agg(c.version::text, ' ' ORDER BY c.version) FROM (
                            SELECT family_unit_id, version FROM app.family_changes
                            UNION ALL SELECT user_id, version FROM app.user_changes) AS c (id)
                        WHERE c.id = v.id)
                FROM (SELECT family_unit_id, purged_version, purged_raised_at
                      FROM app.family_versions
                      UNION ALL SELECT user_id, purged_version, purged_raised_at
                      FROM app.user_versions) AS v (id)
                WHERE v.id = \(id)
                """
            ).scalar(String.self)
        }
        try owner.query(
            "UPDATE app.family_units SET member_limit = 9 WHERE id = \(scene.home.id)")
        try owner.query("UPDATE app.users SET locale = 'de' WHERE id = \(scene.player.id)")
        #expect(try kept(scene.home.id) == "100 2020-04-10 101 1100")
        #expect(try kept(scene.away.id) == "0 - 99 100 101")
        #expect(try kept(scene.player.id) == "100 2020-04-10 101 1100")
        #expect(try kept(scene.adult.id) == "0 - 99 100 101")
    }
}
