import Postgres
import TestSupport
import Testing

/// Row-level effects of the schedule functions, beside rows that they must not change.
@Suite("Effects of schedule functions")
struct ScheduleEffectsTests {
    private let queue: QueueDatabase
    private let connection: Connection

    init() throws {
        queue = try QueueDatabase()
        connection = try queue.connection()
    }

    private func next(_ every: String, _ time: String, after moment: String) throws -> String {
        try connection.query(
            """
            SELECT to_char(jobs.next_tick(nullif(\(every), '')::interval, nullif(\(time), '')::time,
                'Europe/Berlin', \(moment)::text::timestamptz) AT TIME ZONE 'UTC',
                'MM-DD HH24:MI')
            """
        ).scalar(String.self)
    }

    @Test("the next tick follows the given time, for intervals and for times of day in a zone")
    func ticks() throws {
        #expect(try next("1 hour", "", after: "2026-01-10T09:59:00Z") == "01-10 10:00")
        #expect(try next("1 hour", "", after: "2026-01-10T10:00:00Z") == "01-10 11:00")
        // 03:30 in Berlin is 02:30 UTC in winter.
        #expect(try next("", "03:30", after: "2026-01-10T02:29:00Z") == "01-10 02:30")
        #expect(try next("", "03:30", after: "2026-01-10T02:30:00Z") == "01-11 02:30")
        #expect(try next("", "03:30", after: "2026-01-10T23:30:00Z") == "01-11 02:30")
        #expect(try next("", "03:30", after: "2026-07-10T00:00:00Z") == "07-10 01:30")
    }

    /// Returns each schedule with the hours until its next tick.
    private func schedules() throws -> [String] {
        try connection.lines(
            """
            SELECT name || ' ' || queue || ' ' || kind || ' '
                || round(extract(epoch FROM next_at - now()) / 3600)
            FROM jobs.schedules ORDER BY 1
            """)
    }

    private func put(_ name: String, hours: Double, every: String = "4 hours") throws {
        try connection.query(
            """
            INSERT INTO jobs.schedules (name, queue, kind, every, next_at)
            VALUES (\(name), 'work', \(name), \(every)::text::interval,
                now() + \(hours) * interval '1 hour')
            """)
    }

    @Test("storing a schedule again resets its next tick only if the schedule differs")
    func put() throws {
        func state(
            _ queue: String, _ kind: String, _ every: String, _ time: String, _ zone: String
        ) throws {
            try connection.query(
                """
                SELECT jobs.upsert_schedule('mine', \(queue), \(kind), nullif(\(every), '')::interval,
                    nullif(\(time), '')::time, \(zone))
                """)
        }
        /// Stores the schedule; returns whether its next tick was reset.
        func isNew(
            _ queue: String, _ kind: String, _ every: String, _ time: String,
            _ zone: String = "UTC"
        ) throws -> Bool {
            try connection.query("UPDATE jobs.schedules SET next_at = '2000-01-01'")
            try state(queue, kind, every, time, zone)
            #expect(
                try connection.lines(
                    "SELECT next_at::date::text FROM jobs.schedules WHERE name = 'other'")
                    == ["2000-01-01"])
            return try connection.query(
                "SELECT next_at > now() FROM jobs.schedules WHERE name = 'mine'"
            ).scalar(Bool.self)
        }
        try put("other", hours: 1)
        try state("work", "a", "1 hour", "", "UTC")
        let found = [
            try isNew("work", "a", "1 hour", ""), try isNew("work", "a", "2 hours", ""),
            try isNew("work", "b", "2 hours", ""), try isNew("more", "b", "2 hours", ""),
            try isNew("more", "b", "2 hours", "", "Europe/Berlin"),
            try isNew("more", "b", "", "03:30", "Europe/Berlin"),
            try isNew("more", "b", "", "03:30", "Europe/Berlin"),
            try isNew("more", "b", "", "03:40", "Europe/Berlin"),
        ]
        #expect(found == [false, true, true, true, true, true, false, true])
    }

    @Test("a due schedule enqueues one job, and a next tick that is too far ahead is reset")
    func tick() throws {
        try put("due", hours: -9)
        try put("later", hours: 2)
        // The interval plus a day is as far as a clock may step.
        try put("far", hours: 40)
        try put("bound", hours: 26)
        func tick() throws -> Int32 {
            try connection.query("SELECT jobs.tick(now())").scalar(Int32.self)
        }
        #expect(try tick() == 1)
        #expect(try queue.jobs() == ["due ready"])
        #expect(
            try connection.lines(
                """
                SELECT name || ' ' || (next_at > now()) || ' ' || (next_at <= now() + every)
                    || coalesce(' after ' || round(extract(epoch FROM now() - last_at) / 3600), '')
                FROM jobs.schedules ORDER BY 1
                """) == [
                    "bound true false", "due true true after 9", "far true true",
                    "later true true",
                ])
        #expect(try tick() == 0)
    }

    @Test("a tick makes the schedule's job that waits for a retry due at once, but no other job")
    func forward() throws {
        for name in ["waits", "runs", "other"] {
            try connection.query(
                """
                INSERT INTO jobs.live (queue, kind, unique_key, run_at)
                VALUES ('work', \(name), 'schedule:' || \(name), now() + interval '1 hour')
                """)
        }
        try connection.query(
            """
            INSERT INTO jobs.live (queue, kind, unique_key, run_at) VALUES
                ('work', 'waits', 'another', now() + interval '1 hour'),
                ('work', 'foreign', 'schedule:waits', now() + interval '1 hour')
            """)
        let worker = try connection.query("SELECT jobs.acquire_lease('one')").scalar(Int32.self)
        try connection.query(
            """
            UPDATE jobs.live SET state = 'running', worker = \(worker), token = 1
            WHERE kind = 'runs'
            """)
        try put("waits", hours: -1)
        try put("runs", hours: -1)
        try put("other", hours: 1)
        // Both at the same time, to the microsecond.
        try connection.query(
            """
            UPDATE jobs.schedules SET next_at = now() - interval '1 hour'
            WHERE name IN ('waits', 'runs')
            """)
        #expect(try connection.query("SELECT jobs.tick(now())").scalar(Int32.self) == 2)
        #expect(
            try queue.jobs() == [
                "foreign ready later", "other ready later", "runs running by \(worker) later",
                "waits ready", "waits ready later",
            ])
        // A job that is already due keeps its position.
        try connection.query(
            """
            UPDATE jobs.live SET run_at = '2000-01-01' WHERE unique_key = 'schedule:waits'
            """)
        try connection.query("UPDATE jobs.schedules SET next_at = now() WHERE name = 'waits'")
        try connection.query("SELECT jobs.tick(clock_timestamp())")
        #expect(
            try connection.lines(
                """
                SELECT kind FROM jobs.live WHERE run_at = '2000-01-01' ORDER BY 1
                """) == ["foreign", "waits"])
    }

    @Test("the history has daily partitions, and rows and partitions that are too old are removed")
    func history() throws {
        try connection.query(
            """
            DO $$
            DECLARE v_part text;
            BEGIN
                FOR v_part IN SELECT c.relname FROM pg_inherits AS i
                    JOIN pg_class AS c ON c.oid = i.inhrelid
                    WHERE i.inhparent = 'jobs.history'::regclass AND c.relname <> 'history_other'
                LOOP
                    EXECUTE format('DROP TABLE jobs.%I', v_part);
                END LOOP;
            END $$
            """)
        // One partition from five days ago, one from fifty, and rows in no daily partition.
        for days: Int32 in [5, 50] {
            try connection.query(
                """
                SELECT set_config('test.day', (now() AT TIME ZONE 'UTC')::date - \(days)
                    || '', false)
                """)
            try connection.query(
                """
                DO $$
                DECLARE v_day constant date := current_setting('test.day')::date;
                BEGIN
                    EXECUTE format('CREATE TABLE jobs.%I PARTITION OF jobs.history '
                        'FOR VALUES FROM (%L) TO (%L)', 'history_' || to_char(v_day, 'YYYYMMDD'),
                        v_day AT TIME ZONE 'UTC', (v_day + 1) AT TIME ZONE 'UTC');
                    EXECUTE format('ALTER TABLE jobs.%I OWNER TO hearth_owner',
                        'history_' || to_char(v_day, 'YYYYMMDD'));
                END $$
                """)
        }
        try connection.query(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, finished_at) VALUES
                (1, 0, 'work', 'old', 'done', now() - interval '40 days'),
                (2, 0, 'work', 'young', 'done', now() - interval '20 days'),
                (3, 0, 'work', 'tomorrow', 'done', now() + interval '1 day')
            """)
        func keep() throws -> Int32 {
            try connection.query("SELECT jobs.maintain_history(interval '30 days')")
                .scalar(Int32.self)
        }
        #expect(try keep() == 1)
        #expect(try keep() == 0)
        #expect(try queue.jobs() == ["tomorrow done", "young done"])
        // Tomorrow's partition can't be created because of a row in the default partition.
        #expect(
            try connection.lines(
                """
                SELECT (to_date(right(c.relname, 8), 'YYYYMMDD')
                    - (now() AT TIME ZONE 'UTC')::date)::text
                FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'jobs.history'::regclass AND c.relname <> 'history_other'
                ORDER BY c.relname
                """) == ["-5", "0", "2"])
    }

    @Test("old history partitions are dropped one per transaction, and one in use is skipped")
    func historyInUse() throws {
        try connection.execute(
            script: (1...9).map {
                """
                CREATE TABLE jobs.history_2020010\($0) PARTITION OF jobs.history
                    FOR VALUES FROM ('2020-01-0\($0)Z')
                    TO (timestamptz '2020-01-0\($0)Z' + interval '1 day');
                ALTER TABLE jobs.history_2020010\($0) OWNER TO hearth_owner;
                """
            }.joined())
        func keep() throws -> Int32 {
            try connection.query("SELECT jobs.maintain_history(interval '30 days')")
                .scalar(Int32.self)
        }
        let reader = try queue.connection()
        let used = (1...8).map { "LOCK TABLE jobs.history_2020010\($0) IN ACCESS SHARE MODE;" }
        try reader.execute(script: "BEGIN; " + used.joined())
        // Waiting for each of them would take longer.
        try connection.execute(script: "SET statement_timeout = '2s'")
        #expect(try keep() == 1)
        #expect(try keep() == 0)
        try reader.execute(
            script: "ROLLBACK; BEGIN; LOCK TABLE ONLY jobs.history IN ACCESS SHARE MODE")
        #expect(try keep() == 0)
        try reader.execute(script: "ROLLBACK")
        for _ in 1...8 { #expect(try keep() == 1) }
        #expect(try keep() == 0)
    }
}
