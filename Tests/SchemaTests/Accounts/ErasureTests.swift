import Postgres
import TestSupport
import Testing

@Suite("Erasing an account without affecting others")
struct ErasureTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    private let connection: Connection

    init() throws {
        scene = try TwoAccounts()
        connection = try scene.house.superuser()
        let (person, other) = (scene.person, scene.other)
        for (actor, subject) in [
            (person, person), (person, other), (other, person), (other, other),
        ] {
            try connection.query(
                """
                INSERT INTO app.idempotency_keys (actor_id, subject_id, route, key,
                    request_digest, status, answer)
                VALUES (\(actor.id), \(subject.id), 'POST /x', 'k', sha256('a'), 200::int2, '{}')
                """)
        }
        for someone in [person, other] {
            try connection.query(
                "INSERT INTO app.code_lookups (user_id, code_digest) VALUES (\(someone.id), sha256('c'))"
            )
            try connection.query(
                """
                INSERT INTO app.suppressed_addresses (email, reason)
                VALUES (\(someone.email), 'refused')
                """)
            for kind in ["code", "invite", "deletion", "export", "consent", "other"] {
                try connection.query(
                    """
                    INSERT INTO app.rate_limits (bucket, window_start, hits)
                    VALUES (\(kind) || ':account:' || \(someone.subject), now(), 1)
                    """)
            }
            try connection.query(
                """
                INSERT INTO jobs.live (queue, kind, payload, last_error)
                VALUES ('mail', 'mail.test', '{}', 'No mailbox ' || upper(\(someone.email)))
                """)
            try connection.query(
                """
                INSERT INTO jobs.dead (id, queue, kind, priority, attempt, max_attempts, crashes,
                    run_at, payload, last_error)
                VALUES (nextval(pg_get_serial_sequence('jobs.live', 'id')), 'mail', 'mail.test',
                    0, 1, 1, 0, now(), '{}', 'No mailbox ' || \(someone.email))
                """)
        }
    }

    private func erase() throws {
        try scene.call(
            scene.person,
            """
            SELECT app.erase_my_account(extract(epoch FROM now())::bigint, false, '{}', '{}', false)
            """)
    }

    /// Number of rows that are new, gone and changed, by table.
    private func counts(_ lines: [String]) -> [String: Int] {
        Dictionary(lines.map { ($0.split(separator: " ")[..<2].joined(separator: " "), 1) }) {
            $0 + $1
        }.reduce(into: [:]) { $0[$1.key.replacing(":", with: "")] = $1.value }
    }

    @Test("an erasure removes all data of the account, and no data of other people")
    func erases() throws {
        let lines = try scene.effects().lines { try erase() }
        #expect(
            counts(lines) == [
                "+ audit_log": 1, "+ erasures": 1, "+ live": 2, "- code_lookups": 1,
                "- email_sign_ins": 3, "- idempotency_keys": 3, "- email_tokens": 7,
                "- passkeys": 2, "- passwords": 1, "- refresh_tokens": 5, "- sessions": 5,
                "- suppressed_addresses": 1, "- user_identities": 2, "~ dead": 1, "~ live": 1,
                "~ provider_tokens": 2, "~ users": 1,
            ])
        for line in lines where !line.contains("idempotency_keys") {
            #expect(!line.contains("other"), "\(line)")
        }
        #expect(
            try house.count(
                "SELECT count(*) FROM jobs.live WHERE last_error = 'erased'") == 1)
        #expect(
            try house.count(
                "SELECT count(*) FROM jobs.dead WHERE last_error = 'erased'") == 1)
        let buckets = try connection.query(
            """
            SELECT split_part(bucket, ':', 1) FROM app.rate_limits
            WHERE bucket LIKE '%' || (
                SELECT id FROM app.users WHERE deleted_at IS NOT NULL) ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(buckets == ["other"])
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.rate_limits
                WHERE bucket LIKE '%' || \(scene.other.subject)
                """) == 6)
        // The confirmation is sent to the address that was verified.
        #expect(
            try house.count(
                "SELECT count(*) FROM app.erasures WHERE email = \(scene.person.email)") == 1)
    }

    @Test("an erasure keeps the data of an address that the account has only claimed")
    func claimed() throws {
        let person = scene.person
        try connection.query(
            "UPDATE app.users SET email_verified = false WHERE id = \(person.id)")
        try connection.query("DELETE FROM app.email_sign_ins WHERE user_id = \(person.id)")
        try connection.query(
            """
            UPDATE app.user_identities SET claims_issued_at = 4000000000
            WHERE user_id = \(person.id)
            """)
        let lines = try scene.effects().lines { try erase() }
        let found = counts(lines)
        #expect(found["- email_tokens"] == nil && found["- suppressed_addresses"] == nil)
        #expect(
            try house.count("SELECT count(*) FROM app.erasures WHERE email IS NULL") == 1)
    }

    @Test("an erasure requires a token from the last ten minutes, or the right code")
    func proof() throws {
        func erase(givenBefore seconds: Int?, code: Bool?) throws -> String? {
            try refusal {
                try scene.call(
                    scene.person,
                    """
                    SELECT app.erase_my_account(
                        extract(epoch FROM now())::bigint - \(seconds as Int?),
                        \(code as Bool?), '{}', '{}', false)
                    """)
            }
        }
        for seconds in [nil, 601] {
            for code in [nil, false] {
                #expect(
                    try erase(givenBefore: seconds, code: code) == "HF403 fresh_sign_in_required")
            }
        }
        #expect(try erase(givenBefore: nil, code: true) == nil)
    }

    @Test("an erasure ends invitations from or to the account, and deletes their addresses")
    func invitations() throws {
        let (person, other) = (scene.person, scene.other)
        let (mine, theirs) = (try house.family(of: person), try house.family(of: other))
        let (sent, links) = (
            try house.invitation(of: person, to: mine, email: "guest@example.com").id,
            try house.invitation(of: person, to: mine).id
        )
        let received = try house.invitation(of: other, to: theirs, email: person.email).id
        let strange = try house.invitation(of: other, to: theirs, email: "guest@example.com").id
        let names = [
            "mine": mine.id, "theirs": theirs.id, "sent": sent, "link": links,
            "received": received, "strange": strange,
        ]
        let lines = try scene.effects(and: names).lines { try erase() }
        #expect(
            lines.filter { $0.contains("family_invitations") } == [
                "~ family_invitations link: closed_at=now, status=revoked",
                """
                ~ family_invitations received: closed_at=now, \
                invited_email=erased-received@erased.invalid, status=revoked
                """,
                "~ family_invitations sent: closed_at=now, status=revoked",
            ])
        #expect(lines.count { $0.hasPrefix("- invitation_secrets") } == 3)
    }
}
