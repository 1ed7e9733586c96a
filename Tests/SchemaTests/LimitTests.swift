import Postgres
import TestSupport
import Testing

@Suite("Limits and repeated requests")
struct LimitTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private func api() throws -> Connection {
        try Connection(house.test.settings(as: "hearth_api"))
    }

    @Test(
        "of thirty hits at once as many pass as the bucket holds, and a refused one counts nowhere")
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

    @Test("a window begins with its first hit and ends, the hits with it")
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

    @Test("ten distinct codes per account and hour; one of them again is no new one")
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

    @Test("one key, one claim, one answer; another body is told apart")
    func idempotency() throws {
        let house = try house
        let person = try house.person()
        let claim = { @Sendable (body: String) in
            try house.asAPI(person) { transaction in
                try transaction.query(
                    """
                    SELECT outcome, claim, answer
                    FROM app.claim_idempotency_key('POST /x', 'key', sha256(\(body)::text::bytea))
                    """
                ).map { (row) throws(PostgresError) in
                    (
                        try row.read(String.self), try row.read(UInt128?.self),
                        try row.read(String?.self)
                    )
                }[0]
            }
        }
        let claims = try onThreads(8) { _ in try claim("a") }.map { try $0.get() }
        #expect(claims.count { $0.0 == "claimed" } == 1)
        #expect(claims.count { $0.0 == "running" } == 7)
        #expect(try claim("b").0 == "other_request")
        let first = claims.compactMap(\.1)[0]
        // Its process died: the claim lapses, and only the next may finish.
        try house.owner().query(
            """
            UPDATE app.idempotency_keys SET claimed_at = now() - interval '31 s'
            WHERE actor_id = \(person.id)
            """)
        let second = try claim("a")
        #expect(second.0 == "claimed")
        let finish = { (claim: UInt128?) in
            try house.asAPI(person) {
                try $0.query(
                    """
                    SELECT app.finish_idempotency_key(
                        'POST /x', 'key', \(claim as UInt128?), 200::int2, '{"a": 1}')
                    """
                ).scalar(Bool.self)
            }
        }
        #expect(try !finish(first))
        #expect(try finish(second.1))
        let replay = try claim("a")
        #expect(replay.0 == "replay" && replay.2 == #"{"a": 1}"#)
        // Another account's key of the same name is another key.
        let other = try house.asAPI(try house.person()) {
            try $0.query(
                """
                SELECT outcome FROM app.claim_idempotency_key('POST /x', 'key', sha256('a'))
                """
            ).scalar(String.self)
        }
        #expect(other == "claimed")
    }

    @Test("a key is held until its transaction ends, and never waited for")
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
                // What follows is nobody's.
                let isNobody = try other.query("SELECT app.user_id() IS NULL").scalar(Bool.self)
                return (outcome, isNobody)
            }
            #expect(meanwhile == ("running", true))
            let older = try house.asAPI(person) {
                try $0.query(
                    """
                    SELECT outcome FROM app.claim_idempotency_key('POST /x', 'held', sha256('a'))
                    """
                ).scalar(String.self)
            }
            #expect(older == "running")
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
        // Who has not claimed it can't put another answer in its place.
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

    @Test("a code is counted that is mailed, and not one for which there is no address")
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
