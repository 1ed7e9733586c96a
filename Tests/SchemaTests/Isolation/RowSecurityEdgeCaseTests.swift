import Postgres
import TestSupport
import Testing

@Suite("Edge cases of row-level security")
struct RowSecurityEdgeCaseTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    @Test("a membership is visible to its owner in any status, and a removed one to nobody else")
    func ownRows() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        let member = try house.join(parent, family)
        try house.asAPI(parent) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
        let status = { (person: Person) in
            try house.asAPI(person) { transaction in
                try transaction.query("SELECT status FROM app.family_members WHERE id = \(member)")
                    .map { (row) throws(PostgresError) in try row.read(String.self) }
            }
        }
        #expect(try status(parent) == ["removed"])
        #expect(try status(admin) == [])
    }

    @Test("an upsert on another's preferences fails in the same way, whether a row exists or not")
    func upsert() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        let other = try house.person()
        try house.join(other, family)
        let write = { (person: Person) in
            try refusal {
                try house.asAPI(person) {
                    try $0.query(
                        """
                        INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                        VALUES (\(family.id), \(child), '{}')
                        ON CONFLICT (family_unit_id, user_id)
                        DO UPDATE SET preferences = excluded.preferences
                        """)
                }
            }
        }
        #expect(try write(other) == "42501")
        #expect(try write(parent) == nil)
        #expect(try write(other) == "42501")
        #expect(try write(parent) == nil)
    }

    @Test("preferences that are not an object, or too large, are refused by constraint name")
    func preferencesForm() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let write = { (text: String) in
            try refusal {
                try house.asAPI(parent) {
                    try $0.query(
                        """
                        INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                        VALUES (\(family.id), \(parent.id), \(text)::text::jsonb)
                        """)
                }
            }
        }
        #expect(try write("[]") == "23514 member_preferences_is_object")
        let large = "{\"a\": \"\(String(repeating: "x", count: 17_000))\"}"
        #expect(try write(large) == "23514 member_preferences_size")
    }

    @Test("locking a row that the caller may only read is refused, not silently skipped")
    func lockWithoutRight() throws {
        let house = try house
        let parent = try house.person()
        _ = try house.family(of: parent)
        #expect(
            try refusal {
                try house.asAPI(parent) {
                    try $0.query("SELECT id FROM app.family_members FOR UPDATE")
                }
            } == "42501")
    }

    @Test("a caller's condition never runs on a row that the caller can't see")
    func leakyConditions() throws {
        let house = try house
        let stranger = try house.person()
        _ = try house.family(of: try house.person())
        for (relation, column) in [
            ("app.family_units", "id"), ("app.family_members", "id"),
            ("app.member_list", "id"), ("app.my_families", "family_unit_id"),
            ("app.my_relatives", "user_id"), ("app.my_family_list", "family_unit_id"),
        ] {
            // A condition that ran too early would cause a division by zero.
            let met = try refusal {
                try house.asAPI(stranger) {
                    try $0.query(
                        SQL(
                            unsafe: """
                                SELECT count(*) FROM \(relation)
                                WHERE 1 / (CASE WHEN \(column) IS NULL THEN 1 ELSE 0 END) = 1
                                """))
                }
            }
            #expect(met == nil, "\(relation)")
        }
    }

    @Test("errors and their details contain no value of a row")
    func errorDetails() throws {
        let house = try house
        let person = try house.person()
        _ = try house.family(of: person)
        do {
            try house.asAPI(person) {
                try $0.query("UPDATE app.users SET full_name = repeat('x', 100)")
            }
            Issue.record("an overlong name was stored")
        } catch let error as PostgresError {
            #expect(error.constraint == "users_full_name_form")
            #expect(error.server?.detail == nil)
        }
        do {
            try house.owner().query(
                """
                INSERT INTO app.family_codes (code, family_unit_id)
                SELECT code, family_unit_id FROM app.family_codes
                """)
            Issue.record("a code was stored twice")
        } catch let error as PostgresError {
            #expect(error.sqlState == .uniqueViolation)
            #expect(error.server?.detail == nil)
        }
    }
}
