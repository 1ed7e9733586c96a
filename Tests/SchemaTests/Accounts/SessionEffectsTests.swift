import Postgres
import TestSupport
import Testing

@Suite("Rows written by signing in, refreshing and signing out")
struct SessionEffectsTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    private var own: Belongings { scene.own }
    init() throws { scene = try TwoAccounts() }

    /// The results of beginning a session's request, followed by the settings for caller, guardian
    /// and batch. The settings have other values before.
    private func begun(
        _ session: UInt128?, of user: UInt128?, actingAs member: UInt128? = nil,
        isActing: Bool = false
    ) throws -> String {
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        return try connection.transaction { transaction in
            try transaction.query(
                """
                SELECT set_config('hearth.user_id', \(scene.other.subject), true),
                    set_config('hearth.guardian_id', \(scene.other.subject), true),
                    set_config('hearth.callers', '{' || \(scene.other.subject) || '}', true)
                """)
            let call: SQL =
                isActing
                ? """
                SELECT concat_ws(' ', outcome, coalesce(user_id::text, '-'),
                    coalesce(actor_id::text, '-'))
                FROM app.begin_session(
                    \(session as UInt128?), \(user as UInt128?), \(member as UInt128?))
                """
                : """
                SELECT concat_ws(' ', outcome, coalesce(user_id::text, '-'),
                    coalesce(actor_id::text, '-'))
                FROM app.begin_session(\(session as UInt128?), \(user as UInt128?))
                """
            let told: String = try transaction.query(call).scalar()
            let set: String = try transaction.query(
                """
                SELECT format('caller %s, guardian %s, batch %s', current_setting('hearth.user_id'),
                    current_setting('hearth.guardian_id'), current_setting('hearth.callers'))
                """
            ).scalar()
            return "\(told): \(set)"
        }
    }

    private static let nobody = "- -: caller , guardian , batch "

    @Test("a live session begins its account's request, and replaces one begun before")
    func begins() throws {
        let (person, other) = (scene.person, scene.other)
        let subject = person.subject
        for isActing in [false, true] {
            #expect(
                try begun(own.live, of: person.id, isActing: isActing)
                    == "known \(subject) \(subject): caller \(subject), guardian , batch ")
            let ended = "session_ended " + Self.nobody
            for session in [own.ended, own.over, scene.others.live, person.id, nil] {
                #expect(try begun(session, of: person.id, isActing: isActing) == ended)
            }
            #expect(try begun(own.live, of: other.id, isActing: isActing) == ended)
            #expect(try begun(own.live, of: nil, isActing: isActing) == ended)
        }
    }

    @Test("a guardian's session can act for its own child, and for no other")
    func acts() throws {
        let (person, other) = (scene.person, scene.other)
        let (family, strange) = (try house.family(of: person), try house.family(of: other))
        let child = Person(id: try house.child(of: person, in: family))
        let stranger = Person(id: try house.child(of: other, in: strange))
        #expect(
            try begun(own.live, of: person.id, actingAs: child.id, isActing: true) == """
                known \(child.subject) \(person.subject): caller \(child.subject), \
                guardian \(person.subject), batch \("")
                """)
        for member in [stranger.id, other.id, person.id] {
            #expect(
                try begun(own.live, of: person.id, actingAs: member, isActing: true)
                    == "acting_refused " + Self.nobody)
        }
        for session in [own.ended, own.over, scene.others.live] {
            #expect(
                try begun(session, of: person.id, actingAs: child.id, isActing: true)
                    == "session_ended " + Self.nobody)
        }
    }

    private func refresh(
        _ session: UInt128, _ generation: Int, authentic: Bool = true, hash: UInt128? = nil
    ) throws -> String {
        try scene.call(
            """
            SELECT concat_ws(' ', outcome, token_index, user_id, method) FROM app.refresh_session(
                \(session), \(generation)::integer, \(TwoAccounts.hash(hash ?? session)), \(authentic),
                ARRAY[sha256('next'), sha256('by an older key')], '{"mail": "m"}')
            """
        ).scalar()
    }

    @Test("the newest refresh token is exchanged for the next one, and the session is extended")
    func rotates() throws {
        try scene.effects().expect(
            """
            ~ refresh_tokens live: generation=4, issued_at=now, previous_issued_at=in -2 days, token_hash=random
            ~ sessions live: ends_at=in 60 days, last_used_at=now
            """
        ) { () throws in
            #expect(try refresh(own.live, 3) == "rotated 1 \(scene.person.subject) email")
        }
        try house.superuser().query(
            """
            UPDATE app.sessions SET started_at = now() - interval '360 days'
            WHERE id = \(own.exchanged)
            """)
        try scene.effects().expect(
            """
            ~ refresh_tokens exchanged: generation=4, issued_at=now, previous_issued_at=in -2 days, token_hash=random
            ~ sessions exchanged: ends_at=in 5 days, last_used_at=now
            """
        ) { () throws in #expect(try refresh(own.exchanged, 3).hasPrefix("rotated ")) }
    }

    @Test("a refresh token that is wrong or belongs to an ended session changes nothing")
    func refusesRefresh() throws {
        try scene.effects().expect("") { () throws in
            #expect(try refresh(own.ended, 3).hasPrefix("ended "))
            #expect(try refresh(own.over, 3).hasPrefix("ended "))
            #expect(try refresh(own.ended, 2).hasPrefix("ended "))
            #expect(try refresh(own.live, 3, hash: own.over).hasPrefix("unknown "))
            #expect(
                try refresh(own.live, 3, authentic: false, hash: own.over).hasPrefix("unknown "))
            #expect(try refresh(own.live, 4).hasPrefix("unknown "))
            #expect(try refresh(own.live, 2, authentic: false).hasPrefix("unknown "))
            #expect(try refresh(scene.person.id, 3) == "unknown")
        }
    }

    @Test(
        "the previous token gets the same response for ten minutes; then its use ends the session")
    func repeats() throws {
        _ = try refresh(own.live, 3)
        try scene.effects().expect("") { () throws in
            #expect(
                try refresh(own.live, 3) == "repeated 1 \(scene.person.subject) email")
            #expect(
                try scene.call(
                    """
                    SELECT outcome, token_index FROM app.refresh_session(\(own.live), 3,
                        sha256('any'), true, ARRAY[sha256('a'), sha256('next')], '{}')
                    """
                ).map { (row) throws(PostgresError) in
                    (try row.read(String.self), try row.read(Int32.self))
                }[0] == ("repeated", 2))
            #expect(
                try scene.call(
                    """
                    SELECT outcome FROM app.refresh_session(\(own.live), 3,
                        sha256('any'), true, ARRAY[sha256('a'), sha256('b')], '{}')
                    """
                ).scalar(String.self) == "unknown")
        }
        func reused(_ session: String) -> String {
            """
            + live: kind=mail.session_reused, payload={mail: m, recipient: person}
            ~ sessions \(session): end_reason=reused, ended_at=now
            """
        }
        try house.superuser().query(
            """
            UPDATE app.refresh_tokens SET issued_at = now() - interval '601 s'
            WHERE session_id = \(own.live)
            """)
        try scene.effects().expect(reused("live")) { () throws in
            #expect(try refresh(own.live, 3).hasPrefix("reused "))
        }
        // A token of three generations ago is never answered again.
        _ = try refresh(own.exchanged, 3)
        try scene.effects().expect(reused("exchanged")) { () throws in
            #expect(try refresh(own.exchanged, 1).hasPrefix("reused "))
        }
    }

    @Test(
        "a request continues as the account whose session it refreshed; a refused one has no caller"
    )
    func goesOn() throws {
        func caller(_ generation: Int) throws -> String {
            let connection = try Connection(house.test.settings(as: "hearth_api"))
            return try connection.transaction { transaction in
                try transaction.query(
                    "SELECT set_config('hearth.guardian_id', \(scene.other.subject), true)")
                try transaction.query(
                    """
                    SELECT outcome FROM app.refresh_session(\(own.live), \(generation)::integer,
                        \(TwoAccounts.hash(own.live)), true, ARRAY[sha256('next')], '{}')
                    """)
                return try transaction.query(
                    """
                    SELECT concat(current_setting('hearth.user_id', true), ' ',
                        current_setting('hearth.guardian_id', true))
                    """
                ).scalar(String.self)
            }
        }
        #expect(try caller(3) == scene.person.subject + " ")
        #expect(try caller(3) == scene.person.subject + " ")
        #expect(try caller(1) == " " + scene.other.subject)
    }

    @Test("the newest refresh token and the previous one sign out their own session")
    func signsOut() throws {
        func end(
            _ session: UInt128, _ generation: Int, authentic: Bool, hash: UInt128? = nil
        ) throws -> Bool {
            try scene.call(
                """
                SELECT app.end_session_of_token(\(session), \(generation)::integer,
                    \(TwoAccounts.hash(hash ?? session)), \(authentic))
                """
            ).scalar(Bool.self)
        }
        try scene.effects().expect("") { () throws in
            #expect(try !end(own.live, 2, authentic: false))
            #expect(try !end(own.live, 3, authentic: true, hash: own.over))
            #expect(try !end(own.live, 4, authentic: true))
            #expect(try end(own.ended, 3, authentic: false))
            #expect(try end(own.over, 3, authentic: false))
            #expect(try !end(scene.person.id, 3, authentic: true))
        }
        try scene.effects().expect("~ sessions live: end_reason=signed_out, ended_at=now") {
            () throws in
            #expect(try end(own.live, 3, authentic: false))
        }
        try scene.effects().expect("~ sessions exchanged: end_reason=signed_out, ended_at=now") {
            () throws in
            #expect(try end(own.exchanged, 1, authentic: true))
        }
    }

    @Test("a session used on a page is extended, at most once a day")
    func prolongs() throws {
        func prolong(_ session: UInt128) throws -> [Int32] {
            try house.asAPI(scene.person) { transaction in
                try transaction.query(
                    "SELECT set_config('hearth.session', \(session)::text, true)")
                return try transaction.query("SELECT app.extend_session()")
                    .map { (row) throws(PostgresError) in try row.read(Int32.self) }
            }
        }
        try scene.effects().expect("") { () throws in
            for session in [own.ended, own.over, scene.others.live] {
                #expect(try prolong(session) == [])
            }
        }
        try scene.effects().expect("~ sessions live: ends_at=in 60 days, last_used_at=now") {
            () throws in
            #expect(try prolong(own.live) == [60 * 86_400])
        }
        try scene.effects().expect("") { () throws in #expect(try prolong(own.live) == []) }
    }

    @Test("an account can end one of its sessions, or all except the current one")
    func ends() throws {
        let person = scene.person
        try scene.effects().expect("") { () throws in
            for session in [own.ended, own.over, scene.others.live, person.id] {
                #expect(
                    try refusal {
                        try scene.call(person, "SELECT app.end_my_session(\(session))")
                    } == "HF404 session_not_found")
            }
        }
        try scene.effects().expect("~ sessions live: end_reason=revoked, ended_at=now") {
            () throws in
            try scene.call(person, "SELECT app.end_my_session(\(own.live))")
        }
        try scene.effects().expect("~ sessions further: end_reason=revoked, ended_at=now") {
            () throws in
            let count = try scene.call(person, "SELECT app.end_my_sessions(\(own.exchanged))")
                .scalar(Int32.self)
            #expect(count == 1)
        }
        try scene.effects().expect("~ sessions exchanged: end_reason=revoked, ended_at=now") {
            () throws in
            try scene.call(person, "SELECT app.end_my_sessions(NULL)")
        }
    }

    @Test("an operator can end one or all sessions of a person, with an audit row")
    func operatorEnds() throws {
        let person = scene.person
        func end(_ session: UInt128?) throws -> Int32 {
            try house.asOperator {
                try $0.query(
                    "SELECT app.operator_end_sessions(\(person.id), \(session as UInt128?))"
                ).scalar(Int32.self)
            }
        }
        try scene.effects().expect("") { () throws in
            for session in [own.ended, own.over, scene.others.live] {
                #expect(try end(session) == 0)
            }
        }
        try scene.effects().expect(
            """
            + audit_log: action=user.sign_out, actor_label=operator:jo, details={sessions: 1},
                subject_user_id=person, target_id=live
            ~ sessions live: end_reason=operator, ended_at=now
            """
        ) { () throws in #expect(try end(own.live) == 1) }
        try scene.effects().expect(
            """
            + audit_log: action=user.sign_out, actor_label=operator:jo, details={sessions: 2},
                subject_user_id=person, target_id=person
            ~ sessions exchanged: end_reason=operator, ended_at=now
            ~ sessions further: end_reason=operator, ended_at=now
            """
        ) { () throws in #expect(try end(nil) == 2) }
    }

    @Test("ending sessions as an operator waits for the account's lock, and needs an account")
    func operatorLocks() throws {
        let person = scene.person
        func end(_ account: UInt128) throws {
            _ = try house.asOperator {
                try $0.query("SELECT set_config('lock_timeout', '100ms', true)")
                return try $0.query("SELECT app.operator_end_sessions(\(account), NULL)")
            }
        }
        #expect(try refusal { try end(UInt128.random(in: 1 ... .max)) } == "HF404 user_not_found")
        // A session is opened under a shared lock of its account.
        try house.superuser().transaction { opening in
            try opening.query("SELECT FROM app.users AS u WHERE u.id = \(person.id) FOR SHARE")
            let error = #expect(throws: PostgresError.self) { try end(person.id) }
            #expect(error?.sqlState == .lockNotAvailable)
        }
    }

    @Test("a new session above the limit ends the least recently used one")
    func replaces() throws {
        // With the three live ones, 99; the new session is the hundredth.
        try house.superuser().query(
            """
            INSERT INTO app.sessions (id, user_id, method, last_used_at, ends_at)
            SELECT gen_random_uuid(), \(scene.person.id), 'email', now() - n * interval '1 minute',
                now() + interval '1 day' FROM generate_series(1, 96) AS n
            """)
        func open() throws {
            try scene.call(
                scene.person,
                """
                SELECT app.exchange_for_session(gen_random_uuid(), \(Person.issuer), 'Phone',
                    sha256('t'), NULL)
                """)
        }
        let opened = """
            + refresh_tokens: generation=0, issued_at=now, session_id=new, token_hash=random
            + sessions: device=Phone, ends_at=in 60 days, issuer=https://issuer.test,
                last_used_at=now, method=exchange, signed_in_at=now, started_at=now, user_id=person, user_kind=account
            """
        try house.superuser().query(
            """
            UPDATE app.sessions SET last_used_at = now() - interval '5 days'
            WHERE id IN (\(own.further), \(own.ended), \(own.over), \(scene.others.live))
            """)
        try scene.effects().expect(opened) { try open() }
        try scene.effects().expect(
            opened + "\n~ sessions further: end_reason=replaced, ended_at=now"
        ) { try open() }
    }

    @Test("a session opened by a token exchange has the token's time of issue as its sign-in time")
    func exchanges() throws {
        let now: Int = try house.superuser().query("SELECT extract(epoch FROM now())::bigint")
            .scalar()
        func began(givenAt moment: Int?) throws -> Double {
            try scene.call(
                scene.person,
                """
                SELECT extract(epoch FROM now() - started_at)::float8
                FROM app.exchange_for_session(gen_random_uuid(), \(Person.issuer), NULL,
                    sha256('t'), \(moment as Int?))
                """
            ).scalar(Double.self)
        }
        #expect((59...180).contains(try began(givenAt: now - 60)))
        #expect(try began(givenAt: now + 3_600) == 0)
        #expect((86_399...86_520).contains(try began(givenAt: now - 86_400)))
        #expect(try began(givenAt: nil) == 600)
    }
}
