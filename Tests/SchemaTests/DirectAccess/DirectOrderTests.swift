import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Order and timestamps of the direct views")
struct DirectOrderTests {
    private let house: House
    init() throws { house = try House() }

    private func direct<Value: PostgresDecodable>(
        _ person: Person, _ sql: String, as type: Value.Type
    ) throws -> [Value] {
        try house.asDirect(person) {
            try $0.query("\(unsafe: sql)").map { (row) throws(PostgresError) in
                try row.read(Value.self)
            }
        }
    }

    @Test("families with other members come first, in order of entry, even without ORDER BY")
    func order() throws {
        let person = try house.person()
        let own = try house.family(of: person)
        let (older, newer) = (
            try house.family(of: try house.person()), try house.family(of: try house.person())
        )
        for family in [newer, older] { try house.join(person, family) }
        // Somebody who waits for approval to join the person's own family is not another member of
        // it.
        let waits = try house.asAPI(try house.person()) {
            try $0.query(
                "SELECT outcome FROM app.request_to_join_by_code(\(own.code), NULL, NULL)"
            ).scalar(String.self)
        }
        #expect(waits == "waiting")
        try house.superuser().query(
            """
            UPDATE app.family_members SET added_at = now() - CASE family_unit_id
                WHEN \(own.id) THEN interval '3 days' WHEN \(older.id) THEN interval '2 days'
                ELSE interval '1 day' END
            WHERE user_id = \(person.id)
            """)
        let mine = """
            SELECT family_unit_id FROM api.family_members WHERE user_id = '\(person.id.uuid)'
            """
        #expect(
            try direct(person, mine, as: UInt128.self) == [older.id, newer.id, own.id])
        #expect(try direct(person, mine + " LIMIT 1", as: UInt128.self) == [older.id])
        let first = try direct(
            person, DirectQueries.membership(of: person), as: UInt128.self)
        #expect(first == [older.id])
    }

    @Test("timestamps are truncated to whole seconds, as in the API's responses")
    func moments() throws {
        let person = try house.person()
        _ = try house.family(of: person)
        let late = "2030-01-01 00:00:00.999+00"
        try house.superuser().execute(
            script: """
                SET session_replication_role = replica;
                UPDATE app.family_members SET added_at = '\(late)';
                UPDATE app.family_units SET created_at = '\(late)', code_generated_at = '\(late)',
                    updated_at = '\(late)';
                UPDATE app.users SET created_at = '\(late)', updated_at = '\(late)'
                """)
        for (view, columns) in [
            ("family_members", ["added_at"]),
            ("family_units", ["created_at", "updated_at", "code_generated_at"]),
            ("users", ["created_at", "updated_at"]),
        ] {
            for column in columns {
                let told = try direct(
                    person,
                    "SELECT (\(column) AT TIME ZONE 'UTC')::text FROM api.\(view)",
                    as: String.self)
                #expect(told == ["2030-01-01 00:00:00"], "\(view).\(column)")
            }
        }
    }
}
