import Postgres
import TestSupport
import Testing

@Suite("Changed claims of a user's tokens")
struct TokenClaimsTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// One of the tokens of a person.
    private struct Token {
        let person: Person
        var email: String?
        var isVerified = true
        var issuedAt: Int64?

        func see(_ transaction: Transaction) throws -> String {
            try transaction.query(
                """
                SELECT outcome FROM app.upsert_user(\(Person.issuer),
                    sha256(convert_to(\(person.signIn), 'UTF8')), \(person.id), \(email as String?),
                    \(isVerified), NULL, NULL, NULL, \(issuedAt as Int64?))
                """
            ).scalar(String.self)
        }

        func begin(_ transaction: Transaction) throws -> String {
            try transaction.query(
                """
                SELECT outcome FROM app.begin_request(\(Person.issuer),
                    sha256(convert_to(\(person.signIn), 'UTF8')), \(email as String?),
                    \(isVerified), NULL)
                """
            ).scalar(String.self)
        }
    }

    /// The user's address after the token has been seen.
    private func email(after token: Token) throws -> String? {
        try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
            #expect(try token.see(transaction) == "known")
            #expect(try transaction.query("SELECT app.user_id()").scalar() == token.person.id)
            return try transaction.query("SELECT email FROM app.my_profile").scalar(String?.self)
        }
    }

    @Test("an older token keeps the newer address, and a newer one replaces it")
    func olderToken() throws {
        let person = Person(role: "parent")
        let old = Token(person: person, email: "old@example.com", issuedAt: 100)
        let new = Token(person: person, email: "new@example.com", issuedAt: 200)
        let undated = Token(person: person, email: "undated@example.com")
        #expect(try email(after: undated) == "undated@example.com")
        #expect(try email(after: old) == "old@example.com")
        #expect(try email(after: undated) == "old@example.com")
        #expect(try email(after: new) == "new@example.com")
        #expect(try email(after: old) == "new@example.com")
        #expect(try email(after: undated) == "new@example.com")
        var back = old
        back.issuedAt = 300
        #expect(try email(after: back) == "old@example.com")
        #expect(try email(after: new) == "old@example.com")
    }

    @Test("a token whose claims are ignored causes no write, however often it is used")
    func noWrite() throws {
        let person = Person(role: "parent")
        let old = Token(person: person, email: "old@example.com", issuedAt: 100)
        let new = Token(person: person, email: "new@example.com", issuedAt: 200)
        #expect(try email(after: new) == "new@example.com")
        for _ in 0..<3 {
            let connection = try Connection(house.test.settings(as: "hearth_api"))
            try connection.transaction { transaction in
                #expect(try old.begin(transaction) == "stale")
                #expect(try old.see(transaction) == "known")
                let wrote = try transaction.query(
                    "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"
                ).scalar(Bool.self)
                #expect(!wrote)
            }
        }
    }

    @Test("the more complete of two tokens of the same second is used, in either order")
    func sameSecond() throws {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            let person = Person(role: "parent")
            let tokens = [
                Token(person: person, email: nil, isVerified: false, issuedAt: 100),
                Token(person: person, email: "a@example.com", isVerified: false, issuedAt: 100),
                Token(person: person, email: "b@example.com", isVerified: true, issuedAt: 100),
            ]
            for index in order { _ = try email(after: tokens[index]) }
            for token in tokens {
                #expect(try email(after: token) == "b@example.com", "\(order)")
            }
        }
    }

    @Test("a later token without an address or verification replaces the stored one")
    func lessButLater() throws {
        let person = Person(role: "parent")
        _ = try email(after: Token(person: person, email: "a@example.com", issuedAt: 100))
        let later = Token(person: person, email: nil, isVerified: false, issuedAt: 101)
        #expect(try email(after: later) == nil)
    }

    /// Uses a token with this name; returns the outcome and the user's name afterwards.
    private func name(_ person: Person, brings name: String?) throws -> (told: String, kept: String)
    {
        try Connection(house.test.settings(as: "hearth_api")).transaction { transaction in
            let told = try transaction.query(
                """
                SELECT outcome FROM app.begin_request(\(Person.issuer),
                    sha256(convert_to(\(person.signIn), 'UTF8')), NULL, false, \(name != nil))
                """
            ).scalar(String.self)
            if told != "known" {
                try transaction.query(
                    """
                    SELECT outcome FROM app.upsert_user(\(Person.issuer),
                        sha256(convert_to(\(person.signIn), 'UTF8')), \(person.id), NULL, false,
                        \(name as String?), NULL, NULL, 100)
                    """)
            }
            let kept = try transaction.query(
                "SELECT coalesce(full_name, '-') FROM app.my_profile"
            ).scalar(String.self)
            return (told, kept)
        }
    }

    @Test("a user without a name gets a token's name; names in later tokens cause no write")
    func laterName() throws {
        let person = Person(role: "parent")
        #expect(try name(person, brings: nil) == ("unknown", "-"))
        #expect(try name(person, brings: nil) == ("known", "-"))
        #expect(try name(person, brings: "Later") == ("stale", "Later"))
        #expect(try name(person, brings: "Last") == ("known", "Later"))
        #expect(try name(person, brings: nil) == ("known", "Later"))
        let named = Person(role: "parent")
        #expect(try name(named, brings: "First") == ("unknown", "First"))
        #expect(try name(named, brings: "Last") == ("known", "First"))
    }

    @Test("a token's claims change only the user and the sign-in of the token")
    func ownOnly() throws {
        let (person, other) = (Person(role: "parent"), Person(role: "parent"))
        for one in [person, other] { _ = try name(one, brings: nil) }
        let connection = try house.superuser()
        func others() throws -> String {
            try connection.query(
                """
                SELECT concat_ws(' ', u.full_name, u.email, u.email_verified, i.lacks_name,
                    i.claims_mark, i.claims_issued_at)
                FROM app.users AS u JOIN app.user_identities AS i ON i.user_id = u.id
                WHERE u.id = \(other.id)
                """
            ).scalar(String.self)
        }
        let before = try others()
        #expect(try name(person, brings: "Later").kept == "Later")
        let told = Token(person: person, email: "told-\(person.email)", issuedAt: 200)
        #expect(try email(after: told) == told.email)
        #expect(try others() == before)
        #expect(try name(other, brings: "Own") == ("stale", "Own"))
    }

    @Test("a name chosen in the meantime stays, and the token's name is compared only once")
    func chosenName() throws {
        let person = Person(role: "parent")
        _ = try name(person, brings: nil)
        try house.owner().query(
            "UPDATE app.users SET full_name = 'Chosen' WHERE id = \(person.id)")
        #expect(try name(person, brings: "Later") == ("stale", "Chosen"))
        #expect(try name(person, brings: "Later") == ("known", "Chosen"))
    }

    @Test("an erased user changes nothing, reads none of its data, and gets no address back")
    func erased() throws {
        let house = try house
        let person = try house.person()
        try house.owner().query(
            """
            UPDATE app.users SET deleted_at = now(), email = NULL, email_verified = false
            WHERE id = \(person.id)
            """)
        let statements: [SQL] = [
            "SELECT app.create_family('X', NULL, true)",
            "SELECT app.update_profile('X', NULL, NULL, NULL)",
            "SELECT app.update_profile(NULL, NULL, NULL, 'player')",
            "SELECT app.reserve_code_attempt('FAM-ABCDEF', NULL, NULL)",
        ]
        for statement in statements {
            let met = try refusal { try house.asAPI(person) { try $0.query(statement) } }
            #expect(met == "HF403 account_required", "\(statement.text)")
        }
        let profiles = try house.asAPI(person) {
            try $0.query("SELECT count(*) FROM app.my_profile").scalar(Int.self)
        }
        #expect(profiles == 0)
        let later = Token(person: person, email: "again@example.com", issuedAt: 100)
        #expect(
            try Connection(house.test.settings(as: "hearth_api")).transaction { try later.see($0) }
                == "known")
        #expect(
            try house.count("SELECT count(email) FROM app.users WHERE id = \(person.id)") == 0)
    }

    @Test("an erased user without a name gets no name from a token")
    func erasedWithoutName() throws {
        let person = Person(role: "parent")
        _ = try name(person, brings: nil)
        try house.owner().query(
            "UPDATE app.users SET deleted_at = now() WHERE id = \(person.id)")
        _ = try Connection(house.test.settings(as: "hearth_api")).query(
            """
            SELECT outcome FROM app.upsert_user(\(Person.issuer),
                sha256(convert_to(\(person.signIn), 'UTF8')), NULL, NULL, false, 'Again', NULL,
                NULL, 100)
            """)
        let names = try house.count(
            "SELECT count(full_name) FROM app.users WHERE id = \(person.id)")
        #expect(names == 0)
    }
}
