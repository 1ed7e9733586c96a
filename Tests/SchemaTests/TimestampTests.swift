import Postgres
import TestSupport
import Testing

extension House {
    /// Moves every stored timestamp forty days ahead, as if all rows had been written while the
    /// clock was ahead.
    fileprivate func moveAhead() throws {
        let connection = try superuser()
        try connection.execute(
            script: """
                SET session_replication_role = replica;
                DO $$
                DECLARE
                    v_place text;
                    v_changes text;
                BEGIN
                    FOR v_place, v_changes IN
                        SELECT m.table_name, string_agg(
                            format('%1$I = %1$I + make_interval(days => 40)', m.column_name), ', ')
                        FROM app.timestamp_columns() AS m GROUP BY m.table_name
                    LOOP
                        EXECUTE format('UPDATE %s SET %s', v_place::regclass, v_changes);
                    END LOOP;
                END $$;
                UPDATE app.mail_verdicts SET verdicts = ARRAY(
                    SELECT v + interval '40 days' FROM unnest(verdicts) AS v);
                """)
    }

    /// Calls a function as a person's request does, and returns its rows as text.
    fileprivate func texts(_ person: Person, _ statement: SQL) throws -> [String] {
        try asAPI(person) { transaction in
            try transaction.query(statement).map { (row) throws(PostgresError) in
                try row.read(String.self)
            }
        }
    }
}

extension Connection {
    fileprivate func lines(_ statement: SQL) throws -> [String] {
        try query(statement).map { (row) throws(PostgresError) in try row.read(String.self) }
    }
}

/// Behaviour after a clock that was ahead has been corrected.
@Suite("Timestamps stored while a clock was ahead")
struct TimestampTests {
    private let house: House
    private let connection: Connection

    init() throws {
        house = try House()
        connection = try house.superuser()
    }

    private func api() throws -> Connection {
        try Connection(house.test.settings(as: "hearth_api"))
    }

    @Test("the list names every timestamp column with its kind, and no other")
    func listed() throws {
        let differing = try connection.lines(
            """
            SELECT table_name || '.' || column_name || CASE WHEN s.kind IS NULL
                THEN ' is not in app.timestamp_columns()' ELSE ' is no column' END
            FROM app.timestamp_columns() AS s
            FULL JOIN (
                SELECT n.nspname || '.' || c.relname AS table_name, a.attname::text AS column_name,
                    true AS is_there
                FROM pg_attribute AS a
                JOIN pg_class AS c ON c.oid = a.attrelid
                JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE a.atttypid = 'timestamptz'::regtype AND a.attnum > 0
                    AND NOT a.attisdropped AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND n.nspname IN ('app', 'api', 'gateway', 'jobs')) AS c USING (table_name, column_name)
            WHERE s.kind IS NULL OR c.is_there IS NULL ORDER BY 1
            """)
        #expect(differing == [])
        let kinds = try connection.lines(
            "SELECT DISTINCT kind FROM app.timestamp_columns() ORDER BY 1")
        #expect(kinds == ["count", "due", "end", "free", "past"])
    }

    @Test("an exhausted limit with a window in the future refuses for at most one window")
    func limits() throws {
        let reserve: SQL = """
            SELECT retry_after_seconds FROM app.reserve_hits(
                ARRAY['full'], ARRAY[1], interval '5 minutes')
            """
        func wait() throws -> [Int32] {
            try api().query(reserve).map { (row) throws(PostgresError) in
                try row.read(Int32.self)
            }
        }
        #expect(try wait() == [])
        try house.moveAhead()
        let refused = try wait()
        #expect(refused.count == 1 && refused[0] <= 300)
        try connection.query(
            "UPDATE app.rate_limits SET window_start = window_start - interval '5 minutes'")
        #expect(try wait() == [])
    }

    @Test("an invitation that was sent at a future time can be resent at once")
    func resending() throws {
        let scene = try TwoFamilies()
        let resend: SQL = "SELECT 'sent' FROM app.resend_invitation(\(scene.byAdult.id))"
        try scene.house.superuser().query(
            "UPDATE app.family_invitations SET last_sent_at = now()")
        #expect(
            try refusal { try scene.house.texts(scene.adult, resend) }
                == "HF429 invitation_just_sent")
        try scene.house.moveAhead()
        #expect(try scene.house.texts(scene.adult, resend) == ["sent"])
    }

    @Test("attempts at codes at a future time are not counted by the limit")
    func lookups() throws {
        let person = try house.person()
        func attempt(_ code: String) throws -> [String] {
            let limits = try house.texts(
                person, "SELECT limited_by FROM app.reserve_code_attempt(\(code), NULL, NULL)")
            try connection.query("DELETE FROM app.rate_limits")
            return limits
        }
        for digit in 0..<10 { #expect(try attempt("FAM-AAAAA\(digit)") == []) }
        #expect(try attempt("FAM-AAAAAA") == ["code:distinct:\(person.subject)"])
        try house.moveAhead()
        #expect(try attempt("FAM-AAAAAA") == [])
        #expect(try attempt("FAM-AAAAA3") == [])
    }

    @Test("a response stored at a future time is replayed, and its key is not counted by the limit")
    func idempotency() throws {
        let person = try house.person()
        func claim(_ key: String) throws -> [String] {
            try house.texts(
                person,
                """
                SELECT outcome FROM app.claim_idempotency_key(
                    'POST /x', \(key), sha256(''), 1::smallint)
                """)
        }
        let store = try house.texts(
            person,
            """
            WITH claimed AS MATERIALIZED (
                SELECT c.outcome FROM app.claim_idempotency_key(
                    'POST /x', 'kept', sha256(''), 1::smallint) AS c)
            SELECT outcome || app.store_idempotent_response(
                'POST /x', 'kept', sha256(''), 200::smallint, 1::smallint, '{}')::text
            FROM claimed
            """)
        #expect(store == ["claimed"])
        try connection.query(
            """
            INSERT INTO app.idempotency_keys
                    (actor_id, subject_id, route, key, request_digest, status, answer)
                SELECT actor_id, subject_id, route, 'key ' || n, request_digest, 200, '{}'
                FROM app.idempotency_keys, generate_series(1, 1000) AS n WHERE key = 'kept'
            """)
        #expect(try refusal { try claim("new") } == "HF429 too_many_keys")
        try house.moveAhead()
        #expect(try claim("new") == ["claimed"])
        #expect(try claim("kept") == ["replay"])
    }

    @Test("required approval that began at a future time ends, and new wrong codes start it again")
    func approval() throws {
        try connection.query(
            """
            INSERT INTO app.automatic_approval (began_at, lasts_until)
            VALUES (now(), now() + app.automatic_approval_time())
            """)
        func isAutomatic() throws -> Bool {
            try connection.query("SELECT app.approval_is_automatic()").scalar()
        }
        #expect(try isAutomatic())
        try house.moveAhead()
        #expect(try !isAutomatic())
        let person = try house.person()
        try connection.query(
            """
            INSERT INTO app.wrong_codes (minute, shard, codes)
            VALUES (date_trunc('minute', now(), 'UTC'), 0, 100000)
            """)
        try connection.query(
            """
            SELECT app.record_wrong_code(\(person.id), 'FAM-AAAAAA')
            """)
        #expect(try isAutomatic())
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.automatic_approval
                WHERE lasts_until <= now() + app.automatic_approval_time()
                """) == 1)
    }

    @Test(
        "a process that reads from standbys and was last renewed in the future is treated as ended")
    func standbys() throws {
        try api().query("SELECT app.renew_standby_reader(gen_random_uuid(), 1, ARRAY[7::bigint])")
        func readers() throws -> Int32 {
            try connection.query("SELECT readers FROM app.standbys_in_use()").scalar()
        }
        #expect(try readers() == 1)
        try house.moveAhead()
        #expect(try readers() == 0)
    }

    @Test("future times make a provider's token due, a code expired and a sign-in not recent")
    func signIns() throws {
        let scene = try TwoAccounts()
        let connection = try scene.house.superuser()
        try connection.query(
            """
            UPDATE app.provider_tokens SET check_at = now() + app.provider_check_time()
            """)
        func check() throws -> Int {
            try scene.call(
                scene.person,
                "SELECT count(*) FROM app.claim_provider_check(\(scene.own.further))"
            ).scalar()
        }
        #expect(try check() == 0)
        try connection.query(
            """
            INSERT INTO app.email_tokens
                    (id, purpose, email, ticket_hash, link_hash, expires_at)
                VALUES (gen_random_uuid(), 'sign_in', 'moment@example.org', sha256('t'),
                    sha256('l'), now() + app.mailed_code_time())
            """)
        let tries: SQL = "SELECT count(*) FROM app.try_mailed_code(sha256('t'))"
        #expect(try connection.query(tries).scalar(Int.self) == 1)
        func isFresh() throws -> Bool {
            let signedInAt: Int64 = try connection.query(
                """
                SELECT extract(epoch FROM started_at)::bigint FROM app.sessions
                WHERE id = \(scene.own.live)
                """
            ).scalar()
            return try scene.call(
                scene.person, "SELECT is_fresh FROM app.my_password(\(signedInAt))"
            ).scalar()
        }
        try connection.query("UPDATE app.sessions SET started_at = now()")
        #expect(try isFresh())
        try scene.house.moveAhead()
        #expect(try check() == 1)
        #expect(try connection.query(tries).scalar(Int.self) == 0)
        #expect(try !isFresh())
        let auth: SQL = "SELECT extract(epoch FROM now() + interval '40 days')::bigint"
        let moment: Int64 = try connection.query(auth).scalar()
        #expect(
            try refusal {
                try scene.call(
                    scene.person,
                    "SELECT app.erase_my_account(\(moment), NULL, '{}', '{}', false)")
            } == "HF403 fresh_sign_in_required")
    }

    @Test("a job scheduled in the future becomes due with the next heartbeat")
    func jobs() throws {
        try connection.query(
            """
            SELECT jobs.enqueue('mail', 'test.far', NULL, '{}');
            """)
        try connection.query(
            "SELECT jobs.enqueue('mail', 'test.near', NULL, '{}', p_run_at => now() + '1 hour')")
        try house.moveAhead()
        try connection.query(
            "UPDATE jobs.live SET run_at = now() + interval '1 hour' WHERE kind = 'test.near'")
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        let lease: Int32 = try worker.query("SELECT jobs.acquire_lease('moments')").scalar()
        try worker.query("SELECT held FROM jobs.heartbeat(\(lease), '{mail}', NULL)")
        #expect(
            try connection.lines(
                """
                SELECT kind || CASE WHEN run_at <= clock_timestamp() THEN ' due' ELSE '' END
                FROM jobs.live ORDER BY 1
                """) == ["test.far due", "test.near"])
    }

    @Test("a failing webhook whose next attempt is at a future time is tried, and gets new events")
    func webhooks() throws {
        let scene = try TwoEndpoints()
        try scene.hasFailed(scene.hook, forMinutes: 5, retryIn: 200)
        func state() throws -> String {
            try scene.worker("SELECT state FROM app.begin_webhook_delivery(\(scene.hook), 3)")
                .scalar()
        }
        #expect(try state() == "wait")
        try scene.house.moveAhead()
        #expect(try state() == "send")
        try scene.change("SELECT app.enqueue_first_webhooks(\(scene.hook))")
        #expect(
            try scene.house.count(
                "SELECT count(*) FROM jobs.live WHERE run_at > now() + interval '1 minute'") == 0)
        _ = try scene.worker(
            "SELECT app.finish_webhook_delivery(\(scene.hook), 3, 'failed', 500::smallint, 'x')")
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM app.webhook_deliveries AS d
                JOIN app.webhook_endpoints AS e ON e.id = d.endpoint_id
                WHERE d.attempts = 1 AND d.first_failed_at <= now() AND e.failing_since <= now()
                """) == 1)
    }

    @Test("a role change wins even after an earlier one with a future timestamp")
    func roles() throws {
        let scene = try TwoFamilies()
        let member = try scene.house.membership(scene.adult, scene.home)
        func set(_ role: String) throws -> [String] {
            try scene.house.texts(
                scene.admin,
                """
                SELECT (SELECT m.household_role FROM app.family_members AS m
                        WHERE m.id = \(member))
                FROM (SELECT count(*) FROM app.change_household_role(
                    \(member), \(role), NULL, NULL, NULL, false)) AS done
                """)
        }
        _ = try set("visitor")
        try scene.house.moveAhead()
        _ = try set("adult")
        #expect(
            try scene.house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE id = \(member) AND household_role = 'adult'
                """) == 1)
    }

    @Test("an address that was held off at a future time gets e-mail again")
    func heldOff() throws {
        try connection.query(
            "SELECT app.record_mail_rejection('a@example.org', 'x') FROM generate_series(1, 3)")
        func standing() throws -> String {
            try connection.query("SELECT app.mailbox_status('a@example.org')").scalar()
        }
        #expect(try standing() == "held_off")
        try house.moveAhead()
        #expect(try standing() == "due")
        // Two failures from now on, not three with those of the future.
        for _ in 1...2 {
            try connection.query("SELECT app.record_mail_rejection('a@example.org', 'x')")
        }
        #expect(try standing() == "due")
        let wait: Int32 = try connection.query("SELECT app.reserve_mail_try('a@example.org')")
            .scalar()
        #expect(wait == 0)
    }

    @Test("future timestamps are found table by table, and can be repaired only by an operator")
    func mended() throws {
        let scene = try TwoAccounts()
        let house = scene.house
        func ahead() throws -> [String] {
            try house.superuser().lines(
                """
                SELECT a.table_name || '.' || a.column_name
                FROM (SELECT DISTINCT table_name FROM app.timestamp_columns()) AS p,
                    LATERAL app.future_timestamps(p.table_name) AS a ORDER BY 1
                """)
        }
        #expect(try ahead() == [])
        try house.moveAhead()
        let found = try ahead()
        for moment in [
            "app.sessions.started_at", "app.email_tokens.expires_at",
            "app.provider_tokens.check_at",
        ] {
            #expect(found.contains(moment), "\(moment)")
        }
        let operators = try Connection(house.test.settings(as: "hearth_admin"))
        let mend: SQL = """
            SELECT count(*) FROM (SELECT DISTINCT table_name FROM app.timestamp_columns()) AS p,
                LATERAL app.future_timestamps(p.table_name) AS a
                WHERE app.repair_timestamps(a.table_name, a.column_name) = a.ahead
            """
        #expect(
            try refusal {
                try operators.query("SELECT app.repair_timestamps('app.sessions', 'ends_at')")
            }
                == "HF403 not_an_operator")
        try operators.transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            #expect(try transaction.query(mend).scalar(Int.self) == found.count)
        }
        #expect(try ahead() == [])
        // A session lasts as long as one just used, and its sign-in is not recent.
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.sessions
                WHERE ends_at > now() + app.session_idle_time()
                    OR started_at > now() - app.fresh_proof_time()
                """) == 0)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.audit_log
                WHERE action = 'doctor.repair' AND details ->> 'fault' = 'moment_ahead'
                """) == found.count)
    }
}
