import Postgres
import TestSupport
import Testing

/// Two waiting jobs and two discarded ones, of two families.
@Suite("Operators' changes of background jobs")
struct OperatorJobTests {
    private let house: House
    private let connection: Connection
    private let home = UInt128.random(in: 0 ... .max), away = UInt128.random(in: 0 ... .max)
    private let live: [Int], dead: [Int]
    private let person: Person

    init() throws {
        house = try House()
        connection = try house.superuser()
        person = try house.person()
        let (connection, home, away) = (connection, home, away)
        live = try [home, away].map { family in
            try connection.query(
                """
                INSERT INTO jobs.live (queue, kind, family_unit_id, payload, run_at)
                VALUES ('mail', 'mail.test', \(family), '{}', now() + interval '1 day')
                RETURNING id
                """
            ).scalar(Int.self)
        }
        dead = try [home, away].map { family in
            try connection.query(
                """
                INSERT INTO jobs.dead (id, queue, kind, priority, attempt, max_attempts, crashes,
                    run_at, payload, last_error, family_unit_id)
                VALUES (nextval(pg_get_serial_sequence('jobs.live', 'id')), 'mail', 'mail.test',
                    0, 1, 1, 0, now(), '{}', 'lost', \(family)) RETURNING id
                """
            ).scalar(Int.self)
        }
    }

    @discardableResult
    private func asOperator(_ statement: SQL) throws -> Bool {
        try house.asOperator { try $0.query(statement).scalar(Bool.self) }
    }

    private func does(
        _ statement: SQL, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let effects = try Effects(
            house, naming: ["home": home, "away": away, "person": person.id])
        try effects.expect(text, sourceLocation: sourceLocation) {
            let isDone = try asOperator(statement)
            #expect(isDone, sourceLocation: sourceLocation)
        }
    }

    /// Expects the statement to change nothing and to return false.
    private func doesNothing(_ statement: SQL) throws {
        try Effects(house, naming: [:]).expect {
            let isDone = try asOperator(statement)
            #expect(!isDone)
        }
    }

    /// The due times of the waiting jobs: now, or later.
    private func waiting() throws -> [String] {
        try connection.query(
            """
            SELECT id || CASE WHEN run_at <= clock_timestamp() THEN ' now' ELSE ' later' END
            FROM jobs.live ORDER BY id
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    @Test("a discarded job is tried again, and a waiting one becomes due now")
    func retry() throws {
        try does(
            "SELECT app.operator_retry_job(\(dead[0]))",
            """
            + audit_log: action=job.retry, actor_label=operator:jo, details={job: 3},
                family_unit_id=home
            + live: family_unit_id=home, kind=mail.test, last_error=lost, payload={}
            - dead: died_at=now, error_group=lost, family_unit_id=home, kind=mail.test,
                last_error=lost, payload={}
            """)
        #expect(
            try waiting() == ["\(live[0]) later", "\(live[1]) later", "\(dead[0]) now"])
        try does(
            "SELECT app.operator_retry_job(\(live[0]))",
            """
            + audit_log: action=job.retry, actor_label=operator:jo, details={job: 1},
                family_unit_id=home
            ~ live home: 
            """)
        #expect(
            try waiting() == ["\(live[0]) now", "\(live[1]) later", "\(dead[0]) now"])
        try connection.query(
            """
            UPDATE jobs.live SET state = 'running', worker = 1, token = 1
            WHERE id = \(live[1])
            """)
        try doesNothing("SELECT app.operator_retry_job(\(live[1]))")
        try doesNothing("SELECT app.operator_retry_job(99999)")
    }

    @Test("a waiting or discarded job is cancelled, and recorded in the history")
    func cancel() throws {
        try does(
            "SELECT app.operator_cancel_job(\(dead[0]))",
            """
            + audit_log: action=job.cancel, actor_label=operator:jo, details={job: 3},
                family_unit_id=home
            + history: family_unit_id=home, finished_at=now, kind=mail.test, outcome=cancelled
            - dead: died_at=now, error_group=lost, family_unit_id=home, kind=mail.test,
                last_error=lost, payload={}
            """)
        try does(
            "SELECT app.operator_cancel_job(\(live[0]))",
            """
            + audit_log: action=job.cancel, actor_label=operator:jo, details={job: 1},
                family_unit_id=home
            + history: family_unit_id=home, finished_at=now, kind=mail.test, outcome=cancelled
            - live: family_unit_id=home, kind=mail.test, payload={}
            """)
        try doesNothing("SELECT app.operator_cancel_job(\(live[0]))")
        try connection.query(
            """
            INSERT INTO jobs.live (id, queue, kind, family_unit_id, payload)
            OVERRIDING SYSTEM VALUE VALUES (-1, 'mail', 'mail.test', \(home), '{}')
            """)
        try asOperator("SELECT app.operator_cancel_job(\(live[1]))")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.audit_log
                WHERE action = 'job.cancel' AND family_unit_id = \(away)
                """) == 1)
    }

    @Test("the history of a cancelled e-mail names its recipient, discarded before or not")
    func recipient() throws {
        for table in ["live", "dead"] {
            try connection.query(
                """
                UPDATE jobs.\(unsafe: table)
                SET payload = jsonb_build_object('recipient', \(person.id)::uuid)
                WHERE family_unit_id = \(home)
                """)
        }
        for job in [live[0], dead[0]] {
            try asOperator("SELECT app.operator_cancel_job(\(job))")
            let recipient = try connection.query(
                "SELECT recipient FROM jobs.history WHERE id = \(job)"
            ).scalar(UInt128?.self)
            #expect(recipient == person.id, "\(job)")
        }
    }

    @Test("an address is suppressed or released, and the audit log has only the account's id")
    func addresses() throws {
        let address = person.email.uppercased()
        try connection.query(
            "INSERT INTO app.suppressed_addresses (email, reason) VALUES ('b@example.org', 'x')")
        try connection.query(
            """
            INSERT INTO app.refused_invitations (email, family_unit_id)
            VALUES (\(person.email), NULL), ('b@example.org', NULL)
            """)
        func suppress(_ address: String) -> SQL {
            "SELECT true FROM (SELECT app.operator_suppress_address(\(address))) AS s"
        }
        try does(
            suppress(address),
            """
            + audit_log: action=mail.suppress, actor_label=operator:jo, details={},
                subject_user_id=person
            + suppressed_addresses: email=person@example.com, reason=an operator wants it so,
                since=now
            """)
        try does(
            "SELECT app.operator_unsuppress_address(\(address))",
            """
            + audit_log: action=mail.unsuppress, actor_label=operator:jo, details={},
                subject_user_id=person
            - refused_invitations: email=person@example.com, since=now
            - suppressed_addresses: email=person@example.com, reason=an operator wants it so,
                since=now
            """)
        try doesNothing("SELECT app.operator_unsuppress_address(\(address))")
        try connection.query(
            """
            INSERT INTO app.refused_invitations (email, family_unit_id)
            VALUES (\(person.email), NULL)
            """)
        try does(
            "SELECT app.operator_unsuppress_address(\(address))",
            """
            + audit_log: action=mail.unsuppress, actor_label=operator:jo, details={},
                subject_user_id=person
            - refused_invitations: email=person@example.com, since=now
            """)
        try does(
            suppress("nobody@example.org"),
            """
            + audit_log: action=mail.suppress, actor_label=operator:jo, details={}
            + suppressed_addresses: email=nobody@example.org, reason=an operator wants it so,
                since=now
            """)
    }

    @Test("the audit log of a further address names the account that signs in with it")
    func furtherAddress() throws {
        try connection.query(
            """
            INSERT INTO app.email_sign_ins (user_id, email)
            VALUES (\(person.id), 'at.work@example.org')
            """)
        try does(
            "SELECT true FROM (SELECT app.operator_suppress_address('At.Work@example.org')) AS s",
            """
            + audit_log: action=mail.suppress, actor_label=operator:jo, details={},
                subject_user_id=person
            + suppressed_addresses: email=at.work@example.org, reason=an operator wants it so,
                since=now
            """)
        try does(
            "SELECT app.operator_unsuppress_address('at.work@example.org')",
            """
            + audit_log: action=mail.unsuppress, actor_label=operator:jo, details={},
                subject_user_id=person
            - suppressed_addresses: email=at.work@example.org, reason=an operator wants it so,
                since=now
            """)
        try connection.query("UPDATE app.email_sign_ins SET removed_at = now()")
        try does(
            "SELECT true FROM (SELECT app.operator_suppress_address('at.work@example.org')) AS s",
            """
            + audit_log: action=mail.suppress, actor_label=operator:jo, details={}
            + suppressed_addresses: email=at.work@example.org, reason=an operator wants it so,
                since=now
            """)
    }

    @Test("jobs and addresses can be changed only by an operator")
    func noOperator() throws {
        let unnamed = try Connection(house.test.settings(as: "hearth_admin"))
        let calls: [SQL] = [
            "SELECT app.operator_retry_job(\(live[0]))",
            "SELECT app.operator_cancel_job(\(live[0]))",
            "SELECT app.operator_unsuppress_address('a@example.org')",
            "SELECT app.operator_suppress_address('a@example.org')",
            "SELECT app.operator_purge('rate_limits', '1 day', 10, NULL)",
            "SELECT app.record_purge('{}')",
        ]
        for call in calls {
            #expect(try refusal { try unnamed.query(call) } == "HF403 not_an_operator")
        }
    }
}
