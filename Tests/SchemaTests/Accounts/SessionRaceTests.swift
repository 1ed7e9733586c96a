import Postgres
import TestSupport
import Testing

@Suite("Locks of signing in and out")
struct SessionRaceTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    init() throws { scene = try TwoAccounts() }

    /// Commits `change` while `late` waits for it; returns the refusal of `late`.
    private func refusal(
        after change: SQL, _ late: @escaping @Sendable () throws -> Void
    ) throws -> String? {
        let connection = try house.superuser()
        return try house.race(
            { body in try connection.transaction { try body($0) } },
            early: { try $0.query(change) }, late: late)
    }

    /// Makes a call that must not wait for the locked row.
    private func whileLocked(_ lock: SQL, _ call: SQL) throws {
        try house.superuser().transaction { holder in
            try holder.query(lock)
            let connection = try Connection(house.test.settings(as: "hearth_api"))
            try connection.execute(script: "SET lock_timeout = '3s'")
            try connection.query(call)
        }
    }

    @Test("no session is opened for an account that is erased, or is being erased")
    func erased() throws {
        let scene = scene
        let person = scene.person
        let signIn: @Sendable () throws -> Void = {
            try scene.call(
                """
                SELECT FROM app.sign_in_by_password(\(person.id), '$argon2id$old', NULL,
                    \(person.email), 'a', 'n', gen_random_uuid(), NULL, sha256('t'))
                """)
        }
        let erase: SQL = "UPDATE app.users SET deleted_at = now() WHERE id = \(person.id)"
        #expect(try refusal(after: erase, signIn) == "HF403 account_required")
        #expect(try house.count("SELECT count(*) FROM app.sessions WHERE method = 'password'") == 0)
    }

    @Test("a reset that waits for an erasure sets no password")
    func erasedBeforeReset() throws {
        let scene = scene
        let (person, link) = (scene.person, TwoAccounts.hash(scene.own.reset))
        let refused = try refusal(
            after: "UPDATE app.users SET deleted_at = now() WHERE id = \(person.id)"
        ) {
            let isDone: Bool = try scene.call(
                "SELECT app.reset_password(\(link), '$argon2id$new', '{}')"
            ).scalar()
            #expect(!isDone)
        }
        #expect(refused == nil)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.passwords WHERE hash = '$argon2id$old'") == 2)
    }

    @Test("signing out waits for a refresh of its session, and for no other")
    func signingOut() throws {
        let scene = scene
        let session = scene.own.live
        let call: SQL = """
            SELECT app.end_session_of_token(\(session), 3, \(TwoAccounts.hash(session)), false)
            """
        try whileLocked(
            "SELECT FROM app.sessions WHERE id = \(scene.others.live) FOR NO KEY UPDATE", call)
        try house.superuser().query(
            "UPDATE app.sessions SET ended_at = NULL, end_reason = NULL WHERE id = \(session)")
        // The token is no longer the newest.
        let refused = try refusal(
            after: """
                WITH locked AS (
                    UPDATE app.sessions SET last_used_at = now() WHERE id = \(session))
                UPDATE app.refresh_tokens SET generation = 4, token_hash = sha256('next')
                WHERE session_id = \(session)
                """
        ) {
            let isKnown: Bool = try scene.call(call).scalar()
            #expect(!isKnown)
        }
        #expect(refused == nil)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.sessions WHERE id = \(session) AND ended_at IS NULL
                """) == 1)
    }

    @Test("refreshing waits for another refresh of its session, and for no other")
    func refreshing() throws {
        let scene = scene
        let session = scene.own.live
        let call: SQL = """
            SELECT outcome FROM app.refresh_session(\(session), 3, \(TwoAccounts.hash(session)),
                true, ARRAY[sha256('next')], '{}')
            """
        let refused = try refusal(
            after: """
                WITH locked AS (
                    UPDATE app.sessions SET last_used_at = now() WHERE id = \(session))
                UPDATE app.refresh_tokens SET generation = 4, token_hash = sha256('next'),
                    issued_at = clock_timestamp()
                WHERE session_id = \(session)
                """
        ) {
            let outcome: String = try scene.call(call).scalar()
            #expect(outcome == "repeated")
        }
        #expect(refused == nil)
        try whileLocked(
            "SELECT FROM app.sessions WHERE id = \(scene.others.live) FOR NO KEY UPDATE", call)
    }

    @Test(
        "removing the last two sign-in methods concurrently leaves one, and other accounts don't wait"
    )
    func lastWays() throws {
        let scene = scene
        let person = scene.person
        let connection = try house.superuser()
        try connection.query("DELETE FROM app.passkeys WHERE user_id = \(person.id)")
        try connection.query(
            "DELETE FROM app.email_sign_ins WHERE email <> \(person.email)")
        let ways = try scene.call(
            person,
            "SELECT kind, id FROM app.my_identities() WHERE kind <> 'password' ORDER BY kind"
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(UInt128.self))
        }
        #expect(ways.map(\.0) == ["email", "issuer", "issuer"])
        // The sign-in that the test itself uses stays until the end.
        let further: UInt128 = try scene.call(
            person,
            "SELECT id FROM app.my_identities() WHERE name = \(TwoAccounts.otherIssuer)"
        ).scalar()
        try connection.transaction { holder in
            try holder.query(
                "SELECT FROM app.users WHERE id = \(scene.other.id) FOR NO KEY UPDATE")
            try house.asAPI(person) {
                try $0.query("SET LOCAL lock_timeout = '3s'")
                try $0.query(TwoAccounts.removeIdentity(further))
            }
        }
        let email = ways[0].1
        let issuer = try #require(ways.map(\.1).first { $0 != email && $0 != further })
        let refused = try house.race(
            { body in try house.asAPI(person) { try body($0) } },
            early: { try $0.query(TwoAccounts.removeIdentity(email)) },
            late: { try scene.call(person, TwoAccounts.removeIdentity(issuer)) })
        #expect(refused == "HF409 last_identity")
    }

    @Test("signing in by passkey locks the account before the passkey")
    func passkeys() throws {
        let scene = scene
        let (person, key) = (scene.person, scene.own.key)
        func call(_ challenge: String) -> SQL {
            """
            SELECT FROM app.sign_in_by_passkey(\(key), \(person.id), 0, true, true,
                sha256(\(challenge)::text::bytea), clock_timestamp() + interval '1 minute', 'a',
                'n', gen_random_uuid(), NULL, sha256('t'), '{"mail": "m"}')
            """
        }
        try whileLocked(
            "SELECT FROM app.users WHERE id = \(scene.other.id) FOR NO KEY UPDATE", call("1"))
        try house.superuser().transaction { holder in
            try holder.query(
                "SELECT FROM app.users WHERE id = \(scene.other.id) FOR NO KEY UPDATE")
            try house.asAPI(person) {
                try $0.query("SET LOCAL lock_timeout = '3s'")
                try $0.query(TwoAccounts.removePasskey(scene.own.counting))
            }
        }
        let (second, observer) = (call("2"), try house.superuser())
        let waiting = try house.superuser().transaction { holder in
            try holder.query(
                "SELECT FROM app.users WHERE id = \(person.id) FOR NO KEY UPDATE")
            let id: Int32 = try holder.query("SELECT pg_backend_pid()").scalar()
            let waiting = inBackground { _ = try scene.call(second) }
            try eventually {
                try observer.query(
                    """
                    SELECT EXISTS (SELECT FROM pg_stat_activity
                                   WHERE \(id) = ANY (pg_blocking_pids(pid)))
                    """
                ).scalar()
            }
            // Removing the passkey locks the account first too, otherwise both would deadlock.
            try holder.query("SELECT FROM app.passkeys WHERE id = \(key) FOR UPDATE NOWAIT")
            return waiting
        }
        try waiting.wait()
    }
}
