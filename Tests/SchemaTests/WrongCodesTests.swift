import Postgres
import TestSupport
import Testing

/// Counting of wrong codes in the whole installation, and the approval that they make required.
@Suite("Wrong codes in the whole installation")
struct WrongCodesTests {
    /// A database for each test, since wrong codes are counted for the whole database.
    private let house: House

    init() throws { house = try House() }

    /// Looks up or joins by a code, after it was counted as the API does.
    @discardableResult
    private func attempt(_ code: String, by person: Person, joining: Bool = true) throws -> String {
        try house.asAPI(person) {
            try $0.query("SELECT FROM app.reserve_code_attempt(\(code), NULL, NULL)")
        }
        let function = joining ? "join_family_by_code" : "preview_code"
        return try house.asAPI(person) {
            try $0.query("SELECT outcome FROM app.\(identifier: function)(\(code), NULL, NULL)")
                .scalar(String.self)
        }
    }

    /// Makes the given number of people try a code that does not exist.
    private func guess(_ count: Int) throws {
        for _ in 0..<count { try attempt("FAM-QQQQQQ", by: house.person()) }
    }

    private func counted() throws -> Int {
        try house.count("SELECT coalesce(sum(codes), 0)::int8 FROM app.wrong_codes")
    }

    private func isAutomatic() throws -> Bool {
        try Connection(house.test.settings(as: "hearth_api"))
            .query("SELECT is_automatic FROM app.code_guess_status()").scalar(Bool.self)
    }

    private func usual() throws -> Int {
        try house.count("SELECT usual::int8 FROM app.code_guess_status()")
    }

    private func set(rate: Int32) throws {
        try Connection(house.test.settings(as: "hearth_api"))
            .query("SELECT app.apply_code_settings(6, \(rate))")
    }

    /// Stores a rate for this hour on earlier days, and for the next hour, because it may begin
    /// during the test.
    private func remember(_ codes: Int32, daysAgo days: ClosedRange<Int32>) throws {
        try house.owner().query(
            """
            INSERT INTO app.wrong_code_hours (hour, codes_a_minute)
            SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => 24 * day - next),
                \(codes)
            FROM generate_series(\(days.lowerBound), \(days.upperBound)) AS day,
                generate_series(0, 1) AS next
            """)
    }

    /// Moves time forward by the given minutes, at least two; older wrong codes are no longer
    /// counted.
    private func pass(minutes: Int32) throws {
        try house.owner().execute(
            script: """
                DELETE FROM app.wrong_codes;
                UPDATE app.automatic_approval
                    SET began_at = began_at - make_interval(mins => \(minutes)),
                        lasts_until = lasts_until - make_interval(mins => \(minutes));
                UPDATE app.code_lookups
                    SET looked_up_at = looked_up_at - make_interval(mins => \(minutes));
                UPDATE app.rate_limits
                    SET window_start = window_start - make_interval(mins => \(minutes));
                """)
    }

    @Test("a wrong code is counted once an hour for an account, look-ups and joins together")
    func counting() throws {
        let person = try house.person()
        for joining in [true, false, true] {
            #expect(try attempt("FAM-QQQQQQ", by: person, joining: joining) == "code_unknown")
        }
        #expect(try counted() == 1)
        try attempt("FAM-QQQQQ2", by: person, joining: false)
        try attempt("FAM-QQQQQQ", by: house.person())
        #expect(try counted() == 3)
        // Valid and expired codes.
        let family = try house.family(of: house.person())
        #expect(try attempt(family.code, by: house.person()) == "joined")
        #expect(try counted() == 3)
        try house.owner().query(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '1 s'
            WHERE id = \(family.id)
            """)
        #expect(try attempt(family.code, by: house.person()) == "code_expired")
        #expect(try counted() == 4)
        try pass(minutes: 61)
        try attempt("FAM-QQQQQQ", by: person)
        #expect(try counted() == 1)
    }

    @Test(
        "twenty concurrent transactions count wrong codes on separate rows, and none waits for ever"
    )
    func together() throws {
        let people = try (0..<40).map { _ in try house.person() }
        _ = try onThreads(20) { index in
            for person in people[(2 * index)..<(2 * index + 2)] {
                try attempt("FAM-QQQQQQ", by: person, joining: index.isMultiple(of: 2))
            }
        }.map { try $0.get() }
        #expect(try counted() == 40)
        #expect(try house.count("SELECT count(*) FROM app.wrong_codes") <= 32)
    }

    @Test(
        "approval is required of uninvited people above the rate of wrong codes, for a time"
    )
    func beginsAndEnds() throws {
        try set(rate: 5)
        let creator = try house.person()
        let family = try house.family(of: creator)
        try guess(5)
        #expect(try !isAutomatic())
        #expect(try attempt(family.code, by: house.person()) == "joined")
        try guess(6)
        #expect(try isAutomatic())
        let joiner = try house.person()
        #expect(try attempt(family.code, by: joiner) == "waiting")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.audit_log
                WHERE action = 'code.join' AND details = '{"outcome": "waiting", "automatic": true}'
                """) == 1)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_units WHERE approval_required") == 0)
        // Approval stays required while wrong codes come in, and the time at which it began is
        // kept.
        try pass(minutes: 3)
        try guess(8)
        try pass(minutes: 3)
        #expect(try isAutomatic())
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.automatic_approval
                WHERE began_at < now() - interval '5 minutes'
                """) == 1)
        #expect(try attempt(family.code, by: house.person()) == "waiting")
        try pass(minutes: 3)
        #expect(try !isAutomatic())
        #expect(try attempt(family.code, by: house.person()) == "joined")
        // A person who waited joins by asking again.
        #expect(try attempt(family.code, by: joiner) == "joined")
        try guess(8)
        #expect(try isAutomatic())
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.automatic_approval
                WHERE began_at > now() - interval '1 minute'
                """) == 1)
    }

    @Test(
        "a person whose address has an open invitation joins at once",
        arguments: [
            ("", "joined"), ("status = 'revoked', closed_at = now()", "waiting"),
            ("expires_at = now() - interval '1 s'", "waiting"),
            ("invited_email = 'other@example.com'", "waiting"),
        ])
    func invited(_ change: String, _ outcome: String) throws {
        try set(rate: 1)
        let (creator, joiner) = (try house.person(), try house.person())
        let family = try house.family(of: creator)
        let other = try house.family(of: house.person())
        _ = try house.invite(joiner.email, to: family.id, by: creator)
        if !change.isEmpty {
            try house.owner().execute(script: "UPDATE app.family_invitations SET \(change)")
        }
        try guess(2)
        #expect(try isAutomatic())
        #expect(try attempt(other.code, by: joiner) == "waiting")
        #expect(try attempt(family.code, by: joiner) == outcome)
    }

    @Test(
        "a family that requires approval behaves the same while wrong codes make approval required")
    func ownApproval() throws {
        try set(rate: 1)
        let (creator, joiner) = (try house.person(), try house.person())
        let family = try house.family(of: creator)
        try house.owner().query("UPDATE app.family_units SET approval_required = true")
        #expect(try attempt(family.code, by: joiner) == "waiting")
        try guess(2)
        #expect(try attempt(family.code, by: house.person()) == "waiting")
        try pass(minutes: 10)
        #expect(try attempt(family.code, by: joiner) == "waiting")
        #expect(
            try house.count(
                "SELECT count(*) FROM app.audit_log WHERE details ? 'automatic'") == 0)
    }

    @Test("the usual rate is the median of seven days, which three days of attack don't change")
    func median() throws {
        #expect(try usual() == 0)
        try remember(500, daysAgo: 1...3)
        #expect(try usual() == 0)
        try remember(20, daysAgo: 4...7)
        #expect(try usual() == 20)
        try set(rate: 3)
        try guess(23)
        #expect(try !isAutomatic())
        try guess(24)
        #expect(try isAutomatic())
    }

    @Test("the usual rate ignores other hours of the day and days more than a week ago")
    func otherHours() throws {
        try remember(20, daysAgo: 8...15)
        try house.owner().query(
            """
            INSERT INTO app.wrong_code_hours (hour, codes_a_minute)
            SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => 24 * day + 1), 20
            FROM generate_series(1, 7) AS day
            """)
        #expect(try usual() == 0)
    }

    @Test(
        "past minutes are summed up by hour, capped below the rate of attack, and kept for a week")
    func hours() throws {
        try set(rate: 10)
        try remember(20, daysAgo: 2...9)
        try house.owner().query(
            """
            INSERT INTO app.wrong_codes (minute, shard, codes)
            SELECT date_trunc('hour', now(), 'UTC') - interval '1 day' + make_interval(mins => m),
                s, 5 FROM generate_series(0, 59) AS m, generate_series(0, 15) AS s
            UNION ALL SELECT date_trunc('hour', now(), 'UTC') - interval '2 hours', 1, 90
            UNION ALL SELECT date_trunc('minute', now(), 'UTC'), 1, 7
            """)
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        let purge: SQL = "SELECT changed FROM app.purge_wrong_codes(1000)"
        #expect(try worker.query(purge).scalar(Int32.self) == 961)
        #expect(try worker.query(purge).scalar(Int32.self) == 0)
        #expect(try counted() == 7)
        let hours = try house.superuser().query(
            """
            SELECT codes_a_minute FROM app.wrong_code_hours
            WHERE hour > now() - interval '30 hours' ORDER BY hour
            """
        ).map { (row) throws(PostgresError) in try row.read(Int32.self) }
        // The first hour had eighty a minute, capped at the usual twenty plus ten; the other had
        // ninety in all.
        #expect(hours == [30, 2])
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.wrong_code_hours
                WHERE hour < now() - interval '8 days 2 hours'
                """) == 0)
    }

    @Test("a lasting attack raises the usual rate by at most one base rate in four days")
    func lasting() throws {
        try set(rate: 10)
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        var usual: [Int] = []
        // This hour and the next, which may begin meanwhile.
        for _ in 0..<9 {
            try house.owner().execute(
                script: """
                    UPDATE app.wrong_code_hours SET hour = hour - interval '24000 hours';
                    UPDATE app.wrong_code_hours SET hour = hour + interval '23976 hours';
                    INSERT INTO app.wrong_codes (minute, shard, codes)
                        SELECT date_trunc('hour', now(), 'UTC') - make_interval(hours => h),
                            1, 60000
                        FROM generate_series(23, 24) AS h;
                    """)
            try worker.query("SELECT FROM app.purge_wrong_codes(1000)")
            usual.append(try self.usual())
        }
        #expect(usual == [0, 0, 0, 10, 10, 10, 10, 20, 20])
    }

    /// Creates a family as a direct client does, with a code of its choice, and enters it; returns
    /// the code that the client then reads.
    private func choose(_ code: String?, by person: Person) throws -> String {
        let id = UInt128.random(in: 0...UInt128.max)
        return try house.asDirect(person) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_units (id, created_by_user_id, family_name, family_code)
                VALUES (\(id), \(person.id), 'Guess', \(code as String?))
                """)
            try transaction.query(
                """
                INSERT INTO api.family_members (family_unit_id, user_id, role)
                VALUES (\(id), \(person.id), 'parent')
                """)
            return try transaction.query(
                "SELECT family_code FROM api.family_units WHERE id = \(id)"
            ).scalar(String.self)
        }
    }

    @Test("a code chosen by a direct client is counted as a wrong one, taken or not")
    func chosen() throws {
        let taken = try house.family(of: house.person()).code
        #expect(try choose("FAM-QQQQQQ", by: house.person()) == "FAM-QQQQQQ")
        #expect(try counted() == 1)
        #expect(try choose(taken, by: house.person()) != taken)
        #expect(try counted() == 2)
        // No choice, and a choice that could not be taken.
        #expect(try choose(nil, by: house.person()) != taken)
        for code in ["", "FAM-QQQQ", "FAM-QQQQQQQ", "fam-qqqqqq", "QQQQQQ"] {
            #expect(try choose(code, by: house.person()) != code)
        }
        #expect(try counted() == 2)
        // A client that chooses a code and then looks it up has tried one code.
        let person = try house.person()
        #expect(try choose(taken, by: person) != taken)
        #expect(try choose(taken, by: person) != taken)
        #expect(try counted() == 3)
    }

    @Test("chosen codes are replaced, and reveal nothing, while wrong codes make approval required")
    func chosenMeanwhile() throws {
        try set(rate: 5)
        let codes = (2...9).map { "FAM-QQQQQ\($0)" }
        let kept = try codes.filter { try choose($0, by: house.person()) == $0 }
        #expect(kept == Array(codes.prefix(5)))
        #expect(try isAutomatic())
        // They are still counted, so that approval stays required while they come in.
        #expect(try counted() == codes.count)
        try pass(minutes: 10)
        #expect(try !isAutomatic())
        #expect(try choose("FAM-QQQQQQ", by: house.person()) == "FAM-QQQQQQ")
    }
}
