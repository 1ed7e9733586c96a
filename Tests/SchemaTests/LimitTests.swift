import Postgres
import TestSupport
import Testing

@Suite("Rate limits and idempotency")
struct LimitTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private func api() throws -> Connection {
        try Connection(house.test.settings(as: "hearth_api"))
    }

    @Test("thirty concurrent hits fill the smallest bucket, and refused ones count in no bucket")
    func reserve() throws {
        let reserve: SQL = """
            SELECT count(*) FROM app.reserve_hits(
                ARRAY['small', NULL, 'large'], ARRAY[5, 1, 100], interval '5 minutes')
            """
        let refused = try onThreads(30) { _ in
            try api().query(reserve).scalar(Int.self)
        }.map { try $0.get() }
        #expect(refused.count { $0 == 0 } == 5)
        #expect(
            try house.count(
                "SELECT hits::int8 FROM app.rate_limits WHERE bucket = 'large'") == 5)
        let connection = try api()
        try connection.query("SELECT app.release_hits(ARRAY['small'])")
        #expect(try connection.query(reserve).scalar(Int.self) == 0)
        #expect(try connection.query(reserve).scalar(Int.self) == 1)
    }

    @Test("a refusal names the full bucket that stays full for longest, with its wait")
    func severalFull() throws {
        let house = try house
        try house.superuser().execute(
            script: """
                INSERT INTO app.rate_limits (bucket, window_start, hits) VALUES
                    ('full:a', now() - interval '4 minutes', 3),
                    ('full:b', now() - interval '1 minute', 7),
                    ('full:c', now() - interval '3 minutes', 2)
                """)
        let told = try api().query(
            """
            SELECT limited_by, retry_after_seconds FROM app.reserve_hits(
                ARRAY['full:c', 'full:b', 'free', 'full:a'], ARRAY[2, 7, 1, 3],
                interval '5 minutes')
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(Int32.self))
        }
        #expect(told.count == 1 && told[0].0 == "full:b" && (230...240).contains(told[0].1))
        let hits = try house.superuser().query(
            "SELECT hits FROM app.rate_limits WHERE bucket ~ '^(full|free)' ORDER BY bucket"
        ).map { (row) throws(PostgresError) in try row.read(Int32.self) }
        #expect(hits == [0, 3, 7, 2])
    }

    @Test("a window begins with its first hit, and its hits expire with it")
    func window() throws {
        let connection = try api()
        let reserve = { (window: String) in
            try connection.query(
                """
                SELECT retry_after_seconds FROM app.reserve_hits(
                    ARRAY['window'], ARRAY[1], \(window)::text::interval)
                """
            ).map { (row) throws(PostgresError) in try row.read(Int32.self) }
        }
        #expect(try reserve("5 minutes") == [])
        let wait = try reserve("5 minutes")
        #expect(wait.count == 1 && (1...300).contains(wait[0]))
        #expect(try reserve("0 seconds") == [])
    }

    @Test("an account can try ten distinct codes an hour, and repeating one is not counted")
    func distinctCodes() throws {
        let house = try house
        let person = try house.person()
        let attempt = { (code: String) in
            try house.asAPI(person) { transaction in
                try transaction.query(
                    "SELECT limited_by FROM app.reserve_code_attempt(\(code), NULL, NULL)"
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
            }
        }
        for digit in 0..<10 {
            #expect(try attempt("FAM-AAAAA\(digit)") == [])
            try api().query(
                "SELECT app.release_hits(ARRAY['code:account:' || \(person.subject)])")
        }
        #expect(try attempt("fam-aaaaa3 ") == [])
        #expect(try attempt("FAM-AAAAAA") == ["code:distinct:\(person.subject)"])
    }

    @Test("an idempotency key is claimed once, and another body under it is a conflict")
    func idempotency() throws {
        let house = try house
        let person = try house.person()
        let request = { @Sendable (person: Person, body: String) in
            try house.asAPI(person) { transaction in
                let told = try transaction.query(
                    """
                    SELECT outcome, answer FROM app.claim_idempotency_key(
                        'POST /x', 'key', sha256(\(body)::text::bytea), 1::int2)
                    """
                ).map { (row) throws(PostgresError) in
                    (try row.read(String.self), try row.read(String?.self))
                }[0]
                if told.0 == "claimed" {
                    try transaction.query(
                        """
                        SELECT app.store_idempotent_response(
                            'POST /x', 'key', sha256(\(body)::text::bytea), 200::int2, 1::int2,
                            '{"a": 1}')
                        """)
                }
                return told
            }
        }
        let outcomes = try onThreads(8) { _ in try request(person, "a") }.map { try $0.get().0 }
        #expect(outcomes.count { $0 == "claimed" } == 1)
        #expect(outcomes.allSatisfy { ["claimed", "running", "replay"].contains($0) })
        #expect(try request(person, "b").0 == "other_request")
        #expect(try request(person, "a") == ("replay", #"{"a": 1}"#))
        // Another account's key of the same name is a different key.
        #expect(try request(try house.person(), "a").0 == "claimed")
    }

    @Test("a key claimed by an open transaction is reported as running, without waiting")
    func heldKey() throws {
        let house = try house
        let person = try house.person()
        let claim: SQL = """
            SELECT outcome FROM app.claim_idempotency_key('POST /x', 'held', sha256('a'), 1::int2)
            """
        try house.asAPI(person) { transaction in
            #expect(try transaction.query(claim).scalar(String.self) == "claimed")
            let meanwhile = try house.asAPI(person) { other in
                let outcome = try other.query(claim).scalar(String.self)
                // The rest of the transaction runs as nobody.
                let isNobody = try other.query("SELECT app.user_id() IS NULL").scalar(Bool.self)
                return (outcome, isNobody)
            }
            #expect(meanwhile == ("running", true))
            try transaction.query(
                """
                SELECT app.store_idempotent_response(
                    'POST /x', 'held', sha256('a'), 201::int2, 2::int2, '{"a": 2}')
                """)
        }
        let told = { (digest: String, format: Int16) in
            try house.asAPI(person) {
                try $0.query(
                    """
                    SELECT outcome, status, answer FROM app.claim_idempotency_key(
                        'POST /x', 'held', sha256(\(digest)::text::bytea), \(format))
                    """
                ).map { (row) throws(PostgresError) in
                    (
                        try row.read(String.self), try row.read(Int16?.self),
                        try row.read(String?.self)
                    )
                }[0]
            }
        }
        #expect(try told("a", 2) == ("replay", 201, #"{"a": 2}"#))
        #expect(try told("a", 1) == ("newer", nil, nil))
        #expect(try told("b", 2) == ("other_request", nil, nil))
        // A caller who has not claimed the key can't replace its response.
        let error = #expect(throws: PostgresError.self) {
            try house.asAPI(person) {
                try $0.query(
                    """
                    SELECT app.store_idempotent_response(
                        'POST /x', 'held', sha256('a'), 200::int2, 1::int2, '{}')
                    """)
            }
        }
        #expect(error?.constraint == "idempotency_key_in_use")
        try house.owner().query(
            """
            UPDATE app.idempotency_keys SET created_at = now() - interval '25 h'
            WHERE actor_id = \(person.id)
            """)
        #expect(try told("b", 2).0 == "claimed")
    }

    @Test("a mailed code is counted, a request without an address is not")
    func mailedCodes() throws {
        let house = try House()
        let person = try house.person()
        let counted: SQL = """
            SELECT coalesce(sum(hits), 0)::int8 FROM app.rate_limits
            WHERE bucket = 'mailed-code:network:of one'
            """
        func reserve() throws {
            try house.asAPI(person) {
                let refused = try $0.query(
                    "SELECT limited_by FROM app.reserve_mailed_code('of one')")
                #expect(refused.count == 0)
            }
        }
        try reserve()
        #expect(try house.count(counted) == 1)
        try house.owner().query(
            "UPDATE app.users SET email_verified = false WHERE id = \(person.id)")
        try reserve()
        #expect(try house.count(counted) == 1)
    }
}
