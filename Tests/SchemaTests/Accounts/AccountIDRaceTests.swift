import Postgres
import TestSupport
import Testing

/// Requests of an account that wait while the account's id changes.
///
/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("Races with a change of the account's id")
struct AccountIDRaceTests {
    static let rounds = LockRecheckTests.rounds
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// An account created by a mailed code, with a session, and the person whose primary sign-in is
    /// added to it.
    private struct Scene: Sendable {
        let house: House
        let account = UInt128.random(in: 1 ... .max)
        let session = UInt128.random(in: 1 ... .max)
        let newcomer = Person()
        let family: Family

        init(_ house: House) throws {
            self.house = house
            family = try house.family(of: try house.person())
            let connection = try house.superuser()
            try connection.query(
                "INSERT INTO app.users (id, full_name) VALUES (\(account), 'Earlier')")
            try connection.query(
                """
                WITH added AS (
                    INSERT INTO app.sessions (id, user_id, method, ends_at)
                    VALUES (\(session), \(account), 'email', now() + interval '1 day')
                    RETURNING id)
                INSERT INTO app.refresh_tokens (session_id, generation, token_hash)
                SELECT id, 1, sha256('first') FROM added
                """)
        }

        /// Runs `body` as the API runs a request with an earlier access token, once more if another
        /// transaction interfered.
        func request(_ body: (Transaction) throws -> Void) throws {
            try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
                try transaction.query(
                    "SELECT outcome FROM app.begin_session(\(session), \(account))")
                try body(transaction)
            }
        }

        func change(_ transaction: Transaction) throws {
            try transaction.query(
                """
                SELECT app.add_sign_in(\(Person.issuer),
                    sha256(convert_to(\(newcomer.signIn), 'UTF8')), NULL, false,
                    extract(epoch FROM now())::bigint, extract(epoch FROM now())::bigint, '{}', \(newcomer.id))
                """)
        }

        func join(_ transaction: Transaction) throws {
            try transaction.query(
                "SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        }

        func refresh() throws -> String {
            try Connection(house.test.settings(as: "hearth_api")).query(
                """
                SELECT outcome || ' ' || user_id FROM app.refresh_session(\(session), 1,
                    sha256('first'), true, ARRAY[sha256('second')], '{}')
                """
            ).scalar()
        }

        /// User ids of the session and of the membership.
        func state() throws -> String {
            try house.superuser().query(
                """
                SELECT concat_ws(' ',
                    (SELECT user_id FROM app.sessions WHERE id = \(session)),
                    (SELECT user_id FROM app.family_members
                     WHERE family_unit_id = \(family.id) AND NOT is_creator))
                """
            ).scalar()
        }
    }

    @Test(
        "a join that waits for a change of the account's id adds the account under the new id",
        arguments: rounds)
    func joinLater(round: Int) throws {
        let scene = try Scene(try house)
        let met = try house.race(
            { try scene.request($0) }, early: { try scene.change($0) },
            late: { try scene.request { try scene.join($0) } })
        #expect(met == nil)
        let subject = scene.newcomer.subject
        #expect(try scene.state() == "\(subject) \(subject)")
    }

    @Test(
        "a change of an account's id that waits for a join also changes the new membership",
        arguments: rounds)
    func joinEarlier(round: Int) throws {
        let scene = try Scene(try house)
        let met = try house.race(
            { try scene.request($0) }, early: { try scene.join($0) },
            late: { try scene.request { try scene.change($0) } })
        #expect(met == nil)
        let subject = scene.newcomer.subject
        #expect(try scene.state() == "\(subject) \(subject)")
    }

    @Test("a refresh that waits for an id change returns the new id", arguments: rounds)
    func refreshLater(round: Int) throws {
        let scene = try Scene(try house)
        let met = try house.race(
            { try scene.request($0) }, early: { try scene.change($0) },
            late: {
                let outcome = try scene.refresh()
                #expect(outcome == "rotated \(scene.newcomer.subject)")
            })
        #expect(met == nil)
    }

    @Test("a second erasure that waits for the first does not erase the person's new account")
    func erasedTwice() throws {
        let house = try house
        let person = try house.person()
        let erasure: SQL = """
            SELECT FROM app.erase_my_account(extract(epoch FROM now())::bigint, true, '{}', '{}',
                false)
            """
        let met = try house.race(
            { body in try house.asAPI(person) { try body($0) } },
            early: { try $0.query(erasure) },
            late: { try house.asAPI(person) { _ = try $0.query(erasure) } })
        #expect(met == "HF403 account_required")
        _ = try Connection(house.test.settings(as: "hearth_api")).query(
            """
            SELECT outcome FROM app.upsert_user(\(Person.issuer),
                sha256(convert_to(\(person.signIn), 'UTF8')), \(person.id), \(person.email), true,
                NULL, NULL, NULL, 4000000000)
            """)
        // A request that began before the erasure and continues only now.
        let late = try refusal {
            try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
                try transaction.query(
                    """
                    SELECT set_config('hearth.user_id', \(person.subject), true),
                        set_config('hearth.sign_in',
                            encode(sha256(convert_to(\(person.signIn), 'UTF8')), 'hex'), true)
                    """)
                try transaction.query(
                    "SELECT FROM app.erase_my_account(5, true, '{}', '{}', false)")
            }
        }
        #expect(late == "HF403 account_required")
        #expect(
            try house.count(
                "SELECT count(*) FROM app.users WHERE id = \(person.id) AND deleted_at IS NULL")
                == 1)
    }
}
