import Postgres
import TestSupport
import Testing

@Suite("Batches of expiry and purging")
struct PurgeBatchTests {
    private let house: House
    private let person, other: Person
    private let family: Family

    init() throws {
        house = try House()
        (person, other) = (try house.person(), try house.person())
        family = try house.family(of: person)
        // The database contains only what a test adds.
        for table in ["family_code_usage_log", "family_changes", "user_changes", "rate_limits"] {
            try house.superuser().query(SQL(unsafe: "DELETE FROM app.\(table)"))
        }
    }

    private func worker(_ call: String) throws -> (changed: Int32, daysReached: Double?) {
        try Connection(house.test.settings(as: "hearth_worker")).query(
            SQL(
                unsafe: """
                    SELECT changed, extract(epoch FROM now() - reached)::float8 / 86400
                    FROM app.\(call)
                    """)
        ).map { (row) throws(PostgresError) in (try row.read(), try row.read()) }[0]
    }

    /// Runs batches of a function on rows of various ages. Expects the function to purge the rows
    /// older than 10 days, the oldest first, up to the batch size: first from a given time on, and
    /// finally from the start.
    ///
    /// - Parameter add: A statement that adds a row to be purged, with `$days` and a `$number`.
    /// - Parameter ages: A statement that returns the times of the remaining rows.
    private func expectBatches(
        of function: String, age: String = "'10 days', ", add: String, ages: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func left() throws -> [Int] {
            try house.superuser().query(
                SQL(
                    unsafe: """
                        SELECT round(extract(epoch FROM now() - moment) / 86400)::bigint AS days
                        FROM (\(ages)) AS a (moment) ORDER BY days
                        """)
            ).map { (row) throws(PostgresError) in try row.read(Int.self) }
        }
        let young = age.isEmpty ? -5 : 5
        for days in [30, 15, 12, young] {
            try house.superuser().query(
                SQL(
                    unsafe: add.replacing("$days", with: "(\(days) * interval '1 day')")
                        .replacing("$number", with: "\(abs(days))")))
        }
        #expect(try left() == [young, 12, 15, 30], sourceLocation: sourceLocation)
        let first = try worker("\(function)(\(age)1, now() - interval '20 days')")
        #expect(first.changed == 1, sourceLocation: sourceLocation)
        #expect(
            first.daysReached.map { ($0 * 100).rounded() } == 1_500, sourceLocation: sourceLocation)
        #expect(try left() == [young, 12, 30], sourceLocation: sourceLocation)
        let second = try worker("\(function)(\(age)10, now() - interval '20 days')")
        #expect(second.changed == 1, sourceLocation: sourceLocation)
        #expect(try left() == [young, 30], sourceLocation: sourceLocation)
        #expect(
            try worker("\(function)(\(age)10, NULL)").changed == 1, sourceLocation: sourceLocation)
        #expect(try left() == [young], sourceLocation: sourceLocation)
        let none = try worker("\(function)(\(age)10, NULL)")
        #expect(none.changed == 0 && none.daysReached == nil, sourceLocation: sourceLocation)
    }

    private static func invitation(_ status: String, expires: String, closed: String) -> String {
        """
        INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
            household_role, delivery, status, expires_at, closed_at)
        SELECT f.id, f.created_by_user_id, 'i' || $number || '@example.com', 'parent', 'adult',
            'email', '\(status)', \(expires), \(closed)
        FROM app.family_units AS f
        """
    }

    @Test("pending invitations expire when they are due")
    func expiringInvitations() throws {
        try house.superuser().query(
            SQL(
                unsafe: Self.invitation(
                    "revoked", expires: "now() - interval '16 days'", closed: "now()"
                ).replacing("$number", with: "0")))
        try expectBatches(
            of: "expire_invitations", age: "",
            add: Self.invitation("pending", expires: "now() - $days", closed: "NULL"),
            ages: "SELECT expires_at FROM app.family_invitations WHERE status = 'pending'")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_invitations
                WHERE status = 'expired' AND closed_at > now() - interval '1 hour'
                """) == 3)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_invitations WHERE status = 'revoked'") == 1)
    }

    @Test("ended invitations are purged, and pending ones stay")
    func closedInvitations() throws {
        try house.superuser().query(
            SQL(
                unsafe: Self.invitation(
                    "pending", expires: "now() - interval '16 days'", closed: "NULL"
                ).replacing("$number", with: "0")))
        try expectBatches(
            of: "purge_invitations",
            add: Self.invitation("revoked", expires: "now()", closed: "now() - $days"),
            ages: "SELECT closed_at FROM app.family_invitations WHERE status = 'revoked'")
        #expect(try house.count("SELECT count(*) FROM app.family_invitations") == 2)
    }

    @Test("an expired code ends; other codes, and families without a code, stay unchanged")
    func expiringCodes() throws {
        for days in [30, 15, 12, -5] {
            let made = try house.family(of: try house.person())
            try house.superuser().query(
                """
                UPDATE app.family_units
                SET code_expires_at = now() - \(days)::integer * interval '1 day'
                WHERE id = \(made.id)
                """)
        }
        // Its code was removed before it expired.
        let given = try house.family(of: try house.person())
        try house.superuser().query(
            "UPDATE app.family_units SET family_code = NULL WHERE id = \(given.id)")
        try house.superuser().query(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '16 days'
            WHERE id = \(given.id)
            """)
        try house.superuser().query("DELETE FROM app.family_code_usage_log")
        let live: SQL = "SELECT count(*) FROM app.family_codes WHERE state = 'live'"
        let held: SQL = "SELECT count(*) FROM app.family_units WHERE family_code IS NOT NULL"
        let before = try house.count(live)
        #expect(try house.count(held) == 5)
        #expect(try worker("expire_codes(1, now() - interval '20 days')").changed == 1)
        #expect(try house.count(held) == 4)
        let second = try worker("expire_codes(10, now() - interval '20 days')")
        #expect(second.changed == 1 && second.daysReached.map { $0.rounded() } == 12)
        #expect(try worker("expire_codes(10, NULL)").changed == 1)
        #expect(try worker("expire_codes(10, NULL)").changed == 0)
        #expect(try house.count(held) == 2)
        #expect(try house.count(live) == before - 3)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_codes
                WHERE state = 'retired' AND reason = 'expired'
                    AND retired_at > now() - interval '1 hour'
                """) == 3)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_code_usage_log WHERE action = 'retired'") == 3)
    }

    @Test("an earlier retired code keeps its reason when the family's next code expires")
    func earlierCode() throws {
        try house.superuser().query(
            """
            INSERT INTO app.family_codes (code, family_unit_id, state, retired_at, reason)
            VALUES ('FAM-AAAAAA', \(family.id), 'retired', now() - interval '3 days', 'given_up')
            """)
        try house.superuser().query(
            "UPDATE app.family_units SET code_expires_at = now() WHERE id = \(family.id)")
        #expect(try worker("expire_codes(10, NULL)").changed == 1)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_codes WHERE code = 'FAM-AAAAAA'
                    AND reason = 'given_up' AND retired_at < now() - interval '1 day'
                """) == 1)
    }

    @Test("a purge deletes codes retired long enough ago, and no live code")
    func retiredCodes() throws {
        try expectBatches(
            of: "purge_retired_codes",
            add: """
                INSERT INTO app.family_codes (code, family_unit_id, state, retired_at, reason)
                SELECT 'FAM-AAAA' || lpad($number::text, 2, '0'), id, 'retired', now() - $days,
                    'expired' FROM app.family_units
                """,
            ages: "SELECT retired_at FROM app.family_codes WHERE state = 'retired'")
        #expect(try house.count("SELECT count(*) FROM app.family_codes WHERE state = 'live'") == 1)
    }

    @Test("old rows of the code log, attempt counters and answered challenges are purged")
    func simple() throws {
        try expectBatches(
            of: "purge_code_usage_log",
            add: """
                INSERT INTO app.family_code_usage_log (family_unit_id, action, at)
                SELECT id, 'joined', now() - $days FROM app.family_units
                """,
            ages: "SELECT at FROM app.family_code_usage_log")
        try expectBatches(
            of: "purge_rate_limits",
            add: """
                INSERT INTO app.rate_limits (bucket, window_start, hits)
                VALUES ('b' || $number, now() - $days, 1)
                """,
            ages: "SELECT window_start FROM app.rate_limits")
        try expectBatches(
            of: "purge_answered_challenges",
            add: """
                INSERT INTO app.answered_challenges (challenge_hash, expires_at)
                VALUES (sha256('' || $number::text::bytea), now() - $days)
                """,
            ages: "SELECT expires_at FROM app.answered_challenges")
        try expectBatches(
            of: "purge_email_tokens",
            add: """
                INSERT INTO app.email_tokens (id, purpose, email, link_hash, expires_at, used_at)
                VALUES (gen_random_uuid(), 'reset', 'a@example.com', sha256($number::text::bytea),
                    now() - $days, now() - interval '99 days')
                """,
            ages: "SELECT expires_at FROM app.email_tokens")
    }

    @Test("a purge deletes a person's outdated look-up of a code, and no other look-up")
    func lookups() throws {
        try expectBatches(
            of: "purge_code_lookups",
            add: """
                INSERT INTO app.code_lookups (user_id, code_digest, looked_up_at)
                SELECT id, sha256('' || $number::text::bytea), now() - $days FROM app.users
                WHERE id = (SELECT created_by_user_id FROM app.family_units)
                """,
            ages: "SELECT looked_up_at FROM app.code_lookups")
        for (user, code, days) in [(person, "a", 15), (person, "b", 5), (other, "a", 5)] {
            try house.superuser().query(
                """
                INSERT INTO app.code_lookups (user_id, code_digest, looked_up_at)
                VALUES (\(user.id), sha256(\(code)::text::bytea),
                    now() - \(days)::integer * interval '1 day')
                """)
        }
        #expect(try worker("purge_code_lookups('10 days', 10, NULL)").changed == 1)
        #expect(try house.count("SELECT count(*) FROM app.code_lookups") == 3)
    }

    @Test("purging an old key keeps newer ones of other accounts, subjects, routes and names")
    func keys() throws {
        let day = "now() - $days"
        let row = """
            INSERT INTO app.idempotency_keys (actor_id, subject_id, route, key, request_digest,
                status, answer, created_at)
            SELECT u.id, u.id, 'POST /x', 'k' || $number, sha256('a'), 200, '{}', \(day)
            FROM app.users AS u WHERE u.id = (SELECT created_by_user_id FROM app.family_units)
            """
        try expectBatches(
            of: "purge_idempotency_keys", add: row,
            ages: "SELECT created_at FROM app.idempotency_keys")
        let (me, them) = (person, other)
        for (actor, subject, route, key, days) in [
            (me, me, "POST /x", "k", 15), (them, me, "POST /x", "k", 5),
            (me, them, "POST /x", "k", 5), (me, me, "POST /y", "k", 5),
            (me, me, "POST /x", "l", 5),
        ] {
            try house.superuser().query(
                """
                INSERT INTO app.idempotency_keys (actor_id, subject_id, route, key,
                    request_digest, status, answer, created_at)
                VALUES (\(actor.id), \(subject.id), \(route), \(key), sha256('a'), 200::int2, '{}',
                    now() - \(days)::integer * interval '1 day')
                """)
        }
        #expect(try worker("purge_idempotency_keys('10 days', 10, NULL)").changed == 1)
        #expect(try house.count("SELECT count(*) FROM app.idempotency_keys") == 5)
    }

    @Test("a session is purged by the time of its end, or else of its expiry")
    func sessions() throws {
        try expectBatches(
            of: "purge_sessions",
            add: """
                INSERT INTO app.sessions (id, user_id, method, ends_at, ended_at, end_reason)
                SELECT gen_random_uuid(), created_by_user_id, 'email', now() + interval '9 days',
                    now() - $days, 'revoked' FROM app.family_units
                """,
            ages: "SELECT ended_at FROM app.sessions")
        try house.superuser().query("DELETE FROM app.sessions")
        try expectBatches(
            of: "purge_sessions",
            add: """
                INSERT INTO app.sessions (id, user_id, method, ends_at)
                SELECT gen_random_uuid(), created_by_user_id, 'email', now() - $days
                FROM app.family_units
                """,
            ages: "SELECT ends_at FROM app.sessions")
    }

    @Test("a purge of people's changes locks children's versions before those of accounts")
    func lockOrder() throws {
        let owner = try house.superuser()
        // A guardian with an early id, and a child whose id comes after it.
        var guardian = person
        while guardian.id >> 124 > 0 { guardian = try house.person() }
        let home = try house.family(of: guardian)
        var child = try house.child(of: guardian, in: home)
        while child <= guardian.id { child = try house.child(of: guardian, in: home) }
        let holder = try Connection(house.test.settings())
        let pid: Int32 = try holder.query("SELECT pg_backend_pid()").scalar()
        try holder.execute(script: "BEGIN")
        try holder.query("SELECT FROM app.user_versions WHERE user_id = \(child) FOR UPDATE")
        let settings = house.test.settings()
        let purge = inBackground {
            try Connection(settings).execute(
                script: "SELECT app.purge_user_changes(interval '-1 hour', 1000, NULL)")
        }
        try eventually {
            try owner.query(
                """
                SELECT count(*) FROM pg_stat_activity AS a
                WHERE \(pid) = ANY (pg_blocking_pids(a.pid))
                """
            ).scalar(Int.self) > 0
        }
        try owner.query(
            "SELECT FROM app.user_versions WHERE user_id = \(guardian.id) FOR UPDATE NOWAIT")
        try holder.execute(script: "ROLLBACK")
        try purge.wait()
    }

    @Test("old changes are purged, and the purged version is stored for each log")
    func changes() throws {
        let away = try house.family(of: other)
        for table in ["family_changes", "user_changes"] {
            try house.superuser().query(SQL(unsafe: "DELETE FROM app.\(table)"))
        }
        try house.superuser().query(
            "UPDATE app.family_versions SET version = 100, purged_version = 0")
        try house.superuser().query(
            "UPDATE app.user_versions SET version = 100, purged_version = 0")
        // The first change is old enough, but lies before the batch; it is deleted together with a
        // later one of its family.
        for (family, person, version, days) in [
            (family, person, 20, 30), (family, person, 35, 15), (family, person, 38, 12),
            (family, person, 45, 5), (away, other, 34, 5), (away, other, 2, 11),
        ] {
            try house.superuser().query(
                """
                INSERT INTO app.family_changes
                    (family_unit_id, version, kind, id, audience, changed_at)
                VALUES (\(family.id), \(version), 'family', \(family.id), 'members',
                    now() - \(days)::integer * interval '1 day')
                """)
            try house.superuser().query(
                """
                INSERT INTO app.user_changes (user_id, version, kind, id, changed_at)
                VALUES (\(person.id), \(version), 'profile', \(person.id),
                    now() - \(days)::integer * interval '1 day')
                """)
        }
        for kind in ["family", "user"] {
            let key = kind == "family" ? "family_unit_id" : "user_id"
            let home = kind == "family" ? family.id : person.id
            func left() throws -> [Int] {
                try house.superuser().query(
                    SQL(
                        unsafe: """
                            SELECT version FROM app.\(kind)_changes ORDER BY version
                            """)
                ).map { (row) throws(PostgresError) in try row.read(Int.self) }
            }
            func purged() throws -> [String] {
                try house.superuser().query(
                    SQL(
                        unsafe: """
                            SELECT concat_ws(' ', purged_version, round(
                                extract(epoch FROM now() - purged_raised_at) / 86400))
                            FROM app.\(kind)_versions
                            WHERE \(key) = '\(Person(id: home).subject)' OR purged_version > 0
                            ORDER BY purged_version DESC
                            """)
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
            }
            let purge = "purge_\(kind)_changes('10 days', "
            let first = try worker("\(purge)1, now() - interval '20 days')")
            #expect(first.changed == 1 && first.daysReached.map { $0.rounded() } == 15)
            #expect(try left() == [2, 34, 38, 45])
            #expect(try purged() == ["35 15"])
            let second = try worker("\(purge)10, now() - interval '14 days')")
            #expect(second.changed == 2 && second.daysReached.map { $0.rounded() } == 11)
            #expect(try left() == [34, 45])
            #expect(try purged() == ["38 12", "2 11"])
            #expect(try worker("\(purge)10, NULL)").changed == 0)
            // The version purged before stays stored.
            try house.superuser().query(
                SQL(
                    unsafe: """
                        UPDATE app.\(kind)_changes SET changed_at = now() - interval '11 days'
                        """))
            try house.superuser().query(
                SQL(
                    unsafe: """
                        UPDATE app.\(kind)_versions SET purged_version = 60 WHERE purged_version = 38
                        """))
            #expect(try worker("\(purge)10, NULL)").changed == 2)
            #expect(try purged() == ["60 12", "34 11"])
        }
    }

    @Test("role conflicts reported long ago are purged with the changes")
    func conflicts() throws {
        let guest = try house.person()
        let member = try house.join(guest, family)
        for (user, days) in [(person, 15), (other, 12), (guest, 5)] {
            try house.superuser().query(
                """
                INSERT INTO app.role_conflicts (user_id, member_id, family_unit_id, version, at,
                    noted_at)
                VALUES (\(user.id), \(member), \(family.id), 1, now(),
                    now() - \(days)::integer * interval '1 day')
                """)
        }
        func left() throws -> Int { try house.count("SELECT count(*) FROM app.role_conflicts") }
        _ = try worker("purge_family_changes('10 days', 1, NULL)")
        #expect(try left() == 2)
        _ = try worker("purge_family_changes('10 days', 10, NULL)")
        #expect(try left() == 1)
    }
}
