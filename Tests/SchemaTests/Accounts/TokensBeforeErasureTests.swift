import Postgres
import TestSupport
import Testing

/// A person who signs in again after an erasure gets a new account. Tokens issued before the
/// erasure sign in to no account, not even to the new one.
@Suite("Tokens that were issued before an erasure")
struct TokensBeforeErasureTests {
    private let house: House
    private let person = Person(role: "parent")

    init() throws { house = try House() }

    /// Seconds since 1970 at the given number of seconds from now.
    private func moment(_ seconds: Int) throws -> Int64 {
        try house.superuser().query(
            "SELECT floor(extract(epoch FROM now()))::int8 + \(Int64(seconds))"
        ).scalar()
    }

    private func see(
        _ issuedAt: Int64?, email: String? = nil, in transaction: Transaction
    ) throws -> String {
        try transaction.query(
            """
            SELECT concat_ws(' ', outcome, user_id) FROM app.upsert_user(\(Person.issuer),
                sha256(convert_to(\(person.signIn), 'UTF8')), \(person.id),
                \(email ?? person.email), true, 'Somebody', NULL, NULL, \(issuedAt as Int64?))
            """
        ).scalar()
    }

    private func see(_ issuedAt: Int64?, email: String? = nil) throws -> String {
        try Connection(house.test.settings(as: "hearth_api")).transaction {
            try see(issuedAt, email: email, in: $0)
        }
    }

    /// Erases the account of the sign-in, dated a few seconds ago.
    private func erase() throws {
        try house.asAPI(person) {
            try $0.query(
                """
                SELECT app.erase_my_account(extract(epoch FROM now())::bigint, false, '{}', '{}',
                    false)
                """)
        }
    }

    private func mark() throws -> Int {
        try house.count("SELECT count(claims_mark) FROM app.user_identities")
    }

    /// Erases the account of the sign-in and creates another one with it.
    private func signInAgain() throws -> (before: Int64, after: Int64, account: String) {
        let (before, after) = (try moment(-1), try moment(5))
        #expect(try see(before) == "known \(person.subject)")
        try erase()
        #expect(try see(before) == "unknown")
        let seen = try see(after)
        #expect(seen == "known \(person.subject)")
        return (before, after, String(seen.dropFirst(6)))
    }

    @Test("old tokens don't find the new account of an erased sign-in; later tokens do")
    func leadToNobody() throws {
        let (before, after, account) = try signInAgain()
        for issuedAt in [before, nil, 0] { #expect(try see(issuedAt) == "unknown") }
        for issuedAt in [after, after + 1] { #expect(try see(issuedAt) == "known \(account)") }
        // Old tokens don't change anything in the new account either.
        #expect(try see(before, email: "old@example.com") == "unknown")
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE email = 'old@example.com'") == 0)
    }

    /// The outcome of each way of beginning a request, with the claims of the last token.
    private func beginnings() throws -> [String] {
        let hash = "sha256(convert_to('\(person.signIn)', 'UTF8'))"
        let token = "'\(Person.issuer)', \(hash), '\(person.email)', true"
        let tokens = """
            ARRAY['\(Person.issuer)'], ARRAY[\(hash)], ARRAY['\(person.email)'], ARRAY[true],
            ARRAY[true], ARRAY[NULL::uuid], ARRAY[NULL::uuid]
            """
        let calls = [
            "SELECT outcome FROM app.begin_request(\(token), true)",
            "SELECT outcome FROM app.begin_request(\(token), true, NULL::uuid)",
            "SELECT outcome FROM app.begin_requests(\(tokens))",
            """
            SELECT CASE WHEN count(*) = 0 THEN 'stale' ELSE 'known' END
            FROM app.versions_of_callers(\(tokens), ARRAY[NULL::uuid])
            """,
            """
            SELECT CASE WHEN s.user_id IS NULL THEN 'stale' ELSE 'known' END
            FROM (SELECT set_config('hearth.sign_in', encode(\(hash), 'hex'), true)) AS named
            LEFT JOIN app.sign_in_versions AS s ON s.issuer = '\(Person.issuer)'
                AND app.claims_unchanged(
                    s.claims_mark, s.lacks_name, '\(person.email)', true, true)
            """,
        ]
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        return try calls.map { call in
            try connection.transaction { try $0.query(SQL(unsafe: call)).scalar(String.self) }
        }
    }

    @Test("each token's time of issue is checked as long as the erasure is remembered")
    func looked() throws {
        let (_, after, account) = try signInAgain()
        let stale = [String](repeating: "stale", count: 5)
        #expect(try beginnings() == stale)
        // Neither the same token nor a later one with the same claims stores anything new.
        for issuedAt in [after, after + 1] {
            #expect(try see(issuedAt) == "known \(account)")
            #expect(try mark() == 0 && beginnings() == stale)
        }
        try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
            #expect(try see(after + 1, in: transaction) == "known \(account)")
            let wrote = try transaction.query(
                "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"
            ).scalar(Bool.self)
            #expect(!wrote)
        }
        #expect(try see(after + 2, email: "new@example.com") == "known \(account)")
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE email = 'new@example.com'") == 1)
        #expect(try see(after + 3) == "known \(account)")
        try house.owner().query("UPDATE app.erasures SET erased_at = now() - interval '10 days'")
        #expect(try beginnings() == stale)
        try Connection(house.test.settings(as: "hearth_worker")).query(
            "SELECT app.erase_removed_members('0 s', 10, NULL)")
        #expect(try house.count("SELECT count(*) FROM app.erasures") == 0)
        #expect(try see(after + 3) == "known \(account)")
        #expect(try mark() == 1)
        #expect(try beginnings() == [String](repeating: "known", count: 5))
    }

    @Test("an erasure keeps the cached claims of other sign-ins")
    func others() throws {
        _ = try signInAgain()
        let other = try house.person()
        #expect(
            try house.count(
                """
                SELECT count(claims_mark) FROM app.user_identities WHERE user_id = \(other.id)
                """) == 1)
    }

    @Test(
        "a later token can add the sign-in to another account; old tokens can neither add nor find it"
    )
    func added() throws {
        let before = try moment(-1)
        #expect(try see(before) == "known \(person.subject)")
        try erase()
        let other = try house.person()
        func add(_ issuedAt: Int64?) throws {
            try house.asAPI(other) {
                try $0.query(
                    """
                    SELECT app.add_sign_in(\(Person.issuer),
                        sha256(convert_to(\(person.signIn), 'UTF8')), \(person.email), true,
                        \(issuedAt as Int64?), extract(epoch FROM now())::bigint, '{}')
                    """)
            }
        }
        for issuedAt in [before, nil] {
            #expect(try refusal { try add(issuedAt) } == "HF403 account_required")
        }
        let after = try moment(5)
        try add(after)
        #expect(try see(after) == "known \(other.subject)")
        #expect(try see(before) == "unknown")
    }

    @Test("direct clients with tokens from before an erasure can neither read nor write")
    func direct() throws {
        let (before, after, account) = try signInAgain()
        func met(_ issuedAt: Int64?, readOnly: Bool) throws -> String? {
            let iat = issuedAt.map { #", "iat": \#($0)}"# } ?? "}"
            let claims = String(person.claims.dropLast()) + iat
            return try refusal {
                try house.asDirect(claims: claims, readOnly: readOnly) { transaction in
                    let user: String = try transaction.query(
                        "SELECT current_setting('hearth.user_id')"
                    ).scalar()
                    #expect(user == account)
                }
            }
        }
        for readOnly in [true, false] {
            #expect(try met(before, readOnly: readOnly) == "PT401")
            #expect(try met(nil, readOnly: readOnly) == "PT401")
            #expect(try met(after, readOnly: readOnly) == nil)
        }
    }
}
