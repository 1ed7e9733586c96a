import Postgres
import TestSupport
import Testing

/// The log of sign-ins: who gets a row, how many, and how long.
@Suite("The log of sign-ins")
struct SignInsLogTests {
    private let house: House
    private let connection: Connection

    init() throws {
        house = try House()
        connection = try house.superuser()
    }

    /// Records events as the API does.
    private func record(_ events: String...) throws -> Int {
        let api = try Connection(house.test.settings(as: "hearth_api"))
        let list = "{\"events\": [\(events.joined(separator: ", "))]}"
        return try api.query("SELECT app.record_sign_ins(\(list)::jsonb)").scalar(Int.self)
    }

    private func event(_ fields: String, kind: String = "failed", ms: Int = 0) -> String {
        """
        {"kind": "\(kind)", "way": "password", "browser": "Firefox, Linux", \
        "network": "192.0.2.0/24", "ms": \(ms), \(fields)}
        """
    }

    private func rows(_ person: Person) throws -> [String] {
        try connection.query(
            """
            SELECT concat_ws(' ', kind, way, network, nullif(more, 0)) FROM app.sign_ins_log
            WHERE user_id = \(person.id) ORDER BY at, id
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    @Test("a sign-in event that leads to an account gets a row, and other events are discarded")
    func subjects() throws {
        let (person, other) = (try house.person(), try house.person())
        let belongings = try Belongings(of: person, by: connection)
        let id = Person(id: person.id).subject
        let session = Person(id: belongings.live).subject
        let strangers = [
            #""email": "nobody@example.com""#, #""session": "\#(id)""#, #""ticket": "00ff""#,
            #""link": "00ff""#, #""credential": "00ff""#,
            #""issuer": "https://issuer.test", "subject": "00ff""#,
            #""account": "\#(session)""#,
        ]
        for stranger in strangers { #expect(try record(event(stranger)) == 0, "\(stranger)") }
        let count = try record(
            event(#""account": "\#(id)""#, kind: "sign_in"),
            event(#""session": "\#(session)""#, kind: "sign_out"),
            event(#""email": "\#(person.email.uppercased())""#),
            event(#""email": "nobody@example.com""#))
        #expect(count == 3)
        #expect(
            try rows(person).sorted() == [
                "failed password 192.0.2.0/24", "sign_in password 192.0.2.0/24",
                "sign_out password 192.0.2.0/24",
            ])
        #expect(try rows(other) == [])
        let all = try connection.query(
            "SELECT count(*) FROM app.sign_ins_log WHERE browser = 'Firefox, Linux'"
        ).scalar(Int.self)
        #expect(all == 3)
    }

    @Test("a network that is a full address or malformed is left out of the row")
    func wholeAddress() throws {
        let person = try house.person()
        let id = Person(id: person.id).subject
        for network in ["192.0.2.7", "unknown/64", "2001:db8::1/128"] {
            _ = try record(
                #"{"kind": "failed", "ms": 0, "network": "\#(network)", "account": "\#(id)"}"#)
        }
        #expect(try rows(person) == ["failed", "failed", "failed"])
    }

    @Test("twenty events per account and hour get rows, and further ones are counted")
    func limit() throws {
        let (person, other) = (try house.person(), try house.person())
        let fields = #""account": "\#(Person(id: person.id).subject)""#
        // All of one hour, whatever the time is now.
        let age = try connection.query(
            """
            SELECT (extract(epoch FROM now() - date_trunc('hour', now())) * 1000)::bigint + 1800000
            """
        ).scalar(Int.self)
        try connection.query("UPDATE app.users SET created_at = now() - interval '1 day'")
        let list = "{\"events\": [\(event(fields, ms: age))]}"
        let settings = house.test.settings(as: "hearth_api")
        let outcomes = onThreads(4) { _ in
            let api = try Connection(settings)
            for _ in 0..<7 { try api.query("SELECT app.record_sign_ins(\(list)::jsonb)") }
        }
        for outcome in outcomes { try outcome.get() }
        let counts = try rows(person)
        #expect(counts.count == 21 && counts.contains("more 8"), "\(counts)")
        // Another hour and another account have their own limits.
        _ = try record(event(fields))
        _ = try record(event(#""account": "\#(Person(id: other.id).subject)""#, ms: age))
        #expect(try rows(person).count == 22 && rows(other).count == 1)
    }

    @Test("no event is added to an account that was erased, or that has the id of an erased one")
    func erased() throws {
        let person = try house.person()
        let fields = #""account": "\#(Person(id: person.id).subject)""#
        _ = try record(event(fields))
        try house.asOperator { try $0.query("SELECT app.erase_user(\(person.id), '{}')") }
        #expect(try connection.query("SELECT count(*) FROM app.sign_ins_log").scalar(Int.self) == 0)
        #expect(try record(event(fields)) == 0)
        try connection.query(
            "INSERT INTO app.users (id, email) VALUES (\(person.id), 'new@example.com')")
        #expect(try record(event(fields, ms: 60_000)) == 0)
        #expect(try record(event(fields)) == 1)
    }

    @Test("an event that is recorded while its account is erased is deleted with it")
    func erasedMeanwhile() throws {
        let person = try house.person()
        let list = "{\"events\": [\(event(#""account": "\#(Person(id: person.id).subject)""#))]}"
        let (house, settings) = (house, house.test.settings(as: "hearth_api"))
        let met = try house.race(
            { body in try Connection(settings).transaction { try body($0) } },
            early: { try $0.query("SELECT app.record_sign_ins(\(list)::jsonb)") },
            late: {
                _ = try house.asOperator {
                    try $0.query("SELECT app.erase_user(\(person.id), '{}')")
                }
            })
        #expect(met == nil)
        #expect(try connection.query("SELECT count(*) FROM app.sign_ins_log").scalar(Int.self) == 0)
    }

    @Test("a purge deletes old events, creates coming partitions and drops old ones whole")
    func months() throws {
        let person = try house.person()
        let parts = """
            SELECT c.relname::text FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'app.sign_ins_log'::regclass ORDER BY 1
            """ as SQL
        func partitions() throws -> [String] {
            try connection.query(parts).map { (row) throws(PostgresError) in
                try row.read(String.self)
            }
        }
        func purge() throws -> Int32 {
            try Connection(house.test.settings(as: "hearth_worker")).query(
                "SELECT changed FROM app.upkeep_batch('sign_ins_log', '90 days', 1000, NULL)"
            ).scalar(Int32.self)
        }
        #expect(try purge() == 0)
        #expect(try partitions().count == 4)
        let open = try connection.query(
            """
            SELECT count(*) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'app.sign_ins_log'::regclass
                AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity
                     OR c.relowner <> 'hearth_owner'::regrole OR c.relacl IS NOT NULL)
            """
        ).scalar(Int.self)
        #expect(open == 0)
        try connection.execute(
            script: """
                CREATE TABLE app.sign_ins_log_202001 PARTITION OF app.sign_ins_log
                    FOR VALUES FROM ('2020-01-01Z') TO ('2020-02-01Z');
                ALTER TABLE app.sign_ins_log_202001 OWNER TO hearth_owner;
                """)
        for at in ["2020-01-05Z", "2020-03-05Z", "now"] {
            try connection.query(
                """
                INSERT INTO app.sign_ins_log (user_id, kind, at)
                VALUES (\(person.id), 'sign_in', \(at)::timestamptz)
                """)
        }
        // The month is dropped with its row; the row outside the months is deleted.
        #expect(try purge() == 1)
        #expect(try partitions().count == 4 && rows(person) == ["sign_in"])
    }
}
