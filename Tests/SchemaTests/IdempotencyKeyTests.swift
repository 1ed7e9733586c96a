import Postgres
import TestSupport
import Testing

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
    /// The result of claiming a key.
    private struct ClaimResult: Equatable, CustomStringConvertible {
        var outcome: String
        var status: Int16?
        var answer: String?

        init(_ outcome: String, _ status: Int16? = nil, _ answer: String? = nil) {
            (self.outcome, self.status, self.answer) = (outcome, status, answer)
        }

        var description: String {
            "\(outcome) \(status.map { "\($0)" } ?? "-") \(answer ?? "-")"
        }
    }

    private let house: House
    private let person: Person
    private let family: Family
    private let child: UInt128

    init() throws {
        house = try House()
        person = try house.person()
        family = try house.family(of: person)
        child = try house.child(of: person, in: family)
    }

    private func told(_ rows: Rows) throws -> ClaimResult {
        try #require(
            try rows.map { (row) throws(PostgresError) in
                ClaimResult(
                    try row.read(String.self), try row.read(Int16?.self),
                    try row.read(String?.self))
            }.first)
    }

    private func claim(
        _ transaction: Transaction, _ route: String, _ key: String, body: String = "a"
    ) throws -> ClaimResult {
        try told(
            try transaction.query(
                """
                SELECT outcome, status, answer FROM app.claim_idempotency_key(
                    \(route), \(key), sha256(convert_to(\(body), 'UTF8')), 1::int2)
                """))
    }

    private func claim(
        by person: Person? = nil, for member: UInt128? = nil,
        _ route: String = "POST /x", _ key: String = "key", body: String = "a"
    ) throws -> ClaimResult {
        try house.asAPI(person ?? self.person, actingAs: member) {
            try claim($0, route, key, body: body)
        }
    }

    /// A whole request with a key: its claim and its response.
    private func request(
        by person: Person, for member: UInt128?, _ route: String, _ key: String, answer: String
    ) throws {
        try house.asAPI(person, actingAs: member) {
            #expect(try claim($0, route, key) == ClaimResult("claimed"))
            try $0.query(
                """
                SELECT app.store_idempotent_response(
                    \(route), \(key), sha256('a'), 201::int2, 1::int2, \(answer))
                """)
        }
    }

    @Test("responses are kept apart by account, subject, route and key")
    func answersApart() throws {
        let (other, guardian) = (try house.person(), try house.person())
        let guardians = try house.join(guardian, family)
        try house.asAPI(person) {
            try $0.query("SELECT app.add_guardian(\(child), \(guardians))")
        }
        let requests: [(Person, UInt128?, String, String)] = [
            (person, nil, "POST /x", "one"), (person, nil, "POST /x", "two"),
            (person, nil, "POST /y", "one"), (person, child, "POST /x", "one"),
            (other, nil, "POST /x", "one"), (guardian, child, "POST /x", "one"),
        ]
        for (index, (person, member, route, key)) in requests.enumerated() {
            try request(by: person, for: member, route, key, answer: "{\"a\": \(index)}")
        }
        for (index, (person, member, route, key)) in requests.enumerated() {
            let answer = try claim(by: person, for: member, route, key)
            #expect(answer == ClaimResult("replay", 201, "{\"a\": \(index)}"))
            let changed = try claim(by: person, for: member, route, key, body: "b")
            #expect(changed.outcome == "other_request")
        }
    }

    @Test("a caller without an account can neither claim a key nor store a response")
    func nobody() throws {
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        let calls: [SQL] = [
            "SELECT app.claim_idempotency_key('POST /x', 'key', sha256('a'), 1::int2)",
            """
            SELECT app.store_idempotent_response(
                'POST /x', 'key', sha256('a'), 200::int2, 1::int2, '{}')
            """,
        ]
        for call in calls {
            #expect(try refusal { try connection.query(call) } == "HF403 account_required")
        }
    }

    @Test("a request continues as its caller only under the key that it claimed")
    func caller() throws {
        let isSomebody: SQL = "SELECT app.user_id() IS NOT NULL"
        try house.asAPI(person) {
            #expect(try claim($0, "POST /x", "key") == ClaimResult("claimed"))
            #expect(try $0.query(isSomebody).scalar(Bool.self))
            try $0.query(
                """
                SELECT app.store_idempotent_response(
                    'POST /x', 'key', sha256('a'), 201::int2, 1::int2, '{}')
                """)
        }
        for (body, outcome) in [("a", "replay"), ("b", "other_request")] {
            let found = try house.asAPI(person) {
                let told = try claim($0, "POST /x", "key", body: body)
                return (told.outcome, try $0.query(isSomebody).scalar(Bool.self))
            }
            #expect(found == (outcome, false))
        }
    }

    @Test(
        "an account at its daily limit of keys gets replays, but no new key, and the time to wait")
    func tooMany() throws {
        try request(by: person, for: nil, "POST /x", "kept", answer: "{}")
        let owner = try house.owner()
        try owner.query(
            """
            INSERT INTO app.idempotency_keys
                (actor_id, subject_id, route, key, request_digest, status, answer, created_at)
            SELECT \(person.id), \(person.id), 'POST /x', 'more ' || n, sha256('a'), 200, '{}',
                now() - interval '23 hours'
            FROM generate_series(1, app.max_idempotency_keys() - 2) AS n
            """)
        #expect(try claim("POST /x", "kept") == ClaimResult("replay", 201, "{}"))
        // The last one within the limit.
        try request(by: person, for: nil, "POST /x", "last", answer: "{}")
        #expect(try claim("POST /x", "kept") == ClaimResult("replay", 201, "{}"))
        let error = #expect(throws: PostgresError.self) {
            try claim("POST /x", "one too many")
        }
        #expect(error?.constraint == "too_many_keys")
        let wait = try #require(Int(error?.server?.detail ?? ""))
        #expect((3500...3600).contains(wait))
        try owner.query(
            """
            INSERT INTO app.idempotency_keys
                (actor_id, subject_id, route, key, request_digest, status, answer)
            VALUES (\(person.id), \(person.id), 'POST /x', 'beyond', sha256('a'), 200, '{}')
            """)
        #expect(try claim("POST /x", "kept") == ClaimResult("replay", 201, "{}"))
        try owner.query("DELETE FROM app.idempotency_keys WHERE key = 'beyond'")
        // Another account has its own count of keys, and old keys are not counted.
        #expect(
            try claim(by: try house.person(), "POST /x", "other") == ClaimResult("claimed"))
        try owner.query(
            """
            UPDATE app.idempotency_keys SET created_at = now() - interval '25 hours'
            WHERE actor_id = \(person.id) AND key = 'more 1'
            """)
        #expect(try claim("POST /x", "one more") == ClaimResult("claimed"))
    }
}
