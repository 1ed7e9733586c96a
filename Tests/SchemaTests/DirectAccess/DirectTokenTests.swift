import Postgres
import TestSupport
import Testing

/// Tests that the database reads a direct client's claims as the module Identity does.
@Suite("Tokens of direct clients")
struct DirectTokenTests {
    static let house = Result {
        let house = try House()
        try house.superuser().query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, audiences, token_use) VALUES
                ('https://generic.test', 'generic', '{hearth}', NULL),
                ('https://cognito.test', 'cognito', '{client}', NULL),
                ('https://id.test', 'cognito', '{client}', 'id'),
                ('https://access.test', 'cognito', '{client}', 'access'),
                ('https://apple.test', 'apple', '{hearth}', NULL)
            """)
        return house
    }
    private var house: House { get throws { try Self.house.get() } }

    private func met(_ claims: String) throws -> String? {
        try refusal { try house.asDirect(claims: claims) { _ in } }
    }

    /// The claims of a valid token, with some added or replaced.
    private func claims(_ person: Person, _ more: String) -> String {
        String(person.claims.dropLast()) + ", " + more + "}"
    }

    @Test("a primary issuer's subject is a UUID, any other a short text without control characters")
    func subject() throws {
        let person = Person(role: "parent")
        for wrong in [
            "\"someone\"", "\"\"", "null", "7", "[]", "\"{\(person.subject)}\"",
            "\"\(person.subject.replacing("-", with: ""))\"", "\"\(person.subject) \"",
        ] {
            #expect(try met(claims(person, "\"sub\": \(wrong)")) == "PT401", "\(wrong)")
        }
        #expect(try met(claims(person, "\"sub\": \"\(person.subject.uppercased())\"")) == nil)
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE id = \(person.id)") == 1)
        let generic = { (subject: String) in
            try met(#"{"iss": "https://generic.test", "aud": "hearth", "sub": \#(subject)}"#)
        }
        #expect(try generic("\"someone\"") == nil)
        #expect(try generic("\"\(String(repeating: "é", count: 255))\"") == nil)
        #expect(try generic("\"\(String(repeating: "é", count: 256))\"") == "PT401")
        #expect(try generic(#""some\none""#) == "PT401")
    }

    @Test("a string for is_anonymous is refused, and an anonymous user leaves no row")
    func anonymous() throws {
        for wrong in ["\"true\"", "\"false\"", "1", "[]", "{}"] {
            let person = Person(role: "parent")
            let told = try met(claims(person, "\"is_anonymous\": \(wrong)"))
            #expect(told == "PT401", "\(wrong)")
            #expect(
                try house.count("SELECT count(*) FROM app.users WHERE id = \(person.id)") == 0)
        }
        for (value, rows) in [("true", 0), ("false", 1), ("null", 1)] {
            let person = Person(role: "parent")
            #expect(try met(claims(person, "\"is_anonymous\": \(value)")) == nil)
            #expect(
                try house.count("SELECT count(*) FROM app.users WHERE id = \(person.id)") == rows)
        }
    }

    @Test(
        "a token with new claims is accepted in a read-only transaction, and its claims are stored later"
    )
    func stale() throws {
        let house = try house
        let person = try house.person()
        _ = try house.family(of: person)
        let news = claims(person, #""email": "new-\#(person.subject)@example.org""#)
        func families(readOnly: Bool) throws -> Int {
            try house.asDirect(claims: news, readOnly: readOnly) {
                try $0.query("SELECT count(*) FROM api.family_units").scalar(Int.self)
            }
        }
        func hasNews() throws -> Bool {
            try house.count(
                """
                SELECT count(*) FROM app.users
                WHERE id = \(person.id) AND email LIKE 'new-%@example.org'
                """) == 1
        }
        #expect(try families(readOnly: true) == 1)
        #expect(try !hasNews())
        #expect(try families(readOnly: false) == 1)
        #expect(try hasNews())
    }

    @Test("a member's subject in an anonymous token or an API key reads and changes nothing")
    func membersSubject() throws {
        let house = try house
        let member = try house.person()
        let family = try house.family(of: member)
        let child = try house.child(of: member, in: family)
        let views = try house.superuser().query(
            "SELECT viewname::text FROM pg_views WHERE schemaname = 'api' ORDER BY 1"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let anonymous = claims(member, "\"is_anonymous\": true")
        for view in views {
            let count = SQL(unsafe: "SELECT count(*) FROM api.\(view)")
            #expect(try house.asDirect(claims: anonymous) { try $0.query(count).scalar() } == 0)
        }
        #expect(views.count >= 4)
        #expect(
            try house.asDirect(claims: member.claims) {
                try $0.query("SELECT count(*) FROM api.family_units").scalar(Int.self)
            } == 1)
        for statement in [
            "INSERT INTO api.family_units (created_by_user_id) VALUES ('\(member.id.uuid)')",
            """
            INSERT INTO api.family_members (user_id, family_unit_id, role)
            VALUES ('\(member.id.uuid)', '\(family.id.uuid)', 'parent')
            """,
        ] {
            let told = try refusal {
                try house.asDirect(claims: anonymous) { try $0.query(SQL(unsafe: statement)) }
            }
            #expect(told == "42501", "\(statement)")
        }
        for role in ["anon", "service_role", "supabase_admin", "postgres", ""] {
            #expect(try met(claims(member, "\"role\": \"\(role)\"")) == "PT401", "\(role)")
        }
        let acting = try refusal {
            try house.asDirect(
                claims: anonymous,
                headers: "{\"x-acting-as-member\": \"managed_\(child.uuid)\"}"
            ) { _ in }
        }
        #expect(acting == "PT403")
    }

    @Test(
        "a later token's name is stored only if the account has none; a read-only request stores nothing"
    )
    func laterName() throws {
        let house = try house
        let person = Person(role: "parent")
        let name = { (metadata: String, readOnly: Bool) in
            try house.asDirect(
                claims: claims(person, "\"user_metadata\": \(metadata)"), readOnly: readOnly
            ) {
                try $0.query("SELECT coalesce(full_name, '-') FROM api.users")
                    .scalar(String.self)
            }
        }
        #expect(try name("{}", false) == "-")
        #expect(try name(#"{"full_name": " ", "name": "\u200b"}"#, false) == "-")
        #expect(try name(#"{"full_name": "Later"}"#, true) == "-")
        #expect(try name(#"{"full_name": " ", "name": "Later"}"#, false) == "Later")
        #expect(try name(#"{"full_name": "Last"}"#, false) == "Later")
    }

    @Test("an address that is not a string, or a missing, malformed or future `iat`, is refused")
    func malformed() throws {
        let person = Person(role: "parent")
        for wrong in [
            "\"email\": 7", "\"email\": [\"a@b.c\"]", "\"iat\": \"1\"", "\"iat\": null",
            "\"iat\": 1e300", "\"iat\": 99999999999",
        ] {
            #expect(try met(claims(person, wrong)) == "PT401", "\(wrong)")
        }
        for good in ["\"email\": null", "\"email\": \"\"", "\"iat\": 1.5", "\"iat\": -1e300"] {
            #expect(try met(claims(person, good)) == nil, "\(good)")
        }
    }

    @Test("the audience is read in the form of each kind of issuer")
    func audience() throws {
        let issuer = { (name: String, more: String) in
            try met(#"{"iss": "https://\#(name).test", "sub": "s", \#(more)}"#)
        }
        #expect(try issuer("generic", #""aud": ["x", "hearth"]"#) == nil)
        #expect(try issuer("generic", #""client_id": "hearth""#) == "PT401")
        #expect(try issuer("generic", #""aud": 7, "client_id": "hearth""#) == "PT401")
        #expect(try issuer("cognito", #""token_use": "access", "client_id": "client""#) == nil)
        #expect(try issuer("cognito", #""token_use": "id", "aud": "client""#) == nil)
        for wrong in [
            #""token_use": "access", "aud": "client""#,
            #""token_use": "id", "client_id": "client""#,
            #""aud": "client""#, #""token_use": 1, "aud": "client""#,
            #""token_use": "access", "client_id": ["client"]"#,
        ] {
            #expect(try issuer("cognito", wrong) == "PT401", "\(wrong)")
        }
    }

    @Test("an issuer whose tokens have one use accepts no tokens for the other")
    func tokenUse() throws {
        let id = #""token_use": "id", "aud": "client""#
        let access = #""token_use": "access", "client_id": "client""#
        for (name, claims, told) in [
            ("id", id, nil), ("id", access, "PT401"), ("access", access, nil),
            ("access", id, "PT401"), ("cognito", id, nil), ("cognito", access, nil),
        ] {
            #expect(
                try met(#"{"iss": "https://\#(name).test", "sub": "s", \#(claims)}"#) == told,
                "\(name): \(claims)")
        }
    }

    @Test("name and role are read from the claims of each kind of issuer, if they are strings")
    func defaults() throws {
        let house = try house
        let kept = { (iss: String, more: String) in
            let subject = Person(role: "parent").subject
            return try house.asDirect(
                claims: #"{"iss": "\#(iss)", "sub": "\#(subject)", \#(more)}"#
            ) {
                try $0.query("SELECT coalesce(full_name, '-') || ' ' || role FROM api.users")
                    .scalar(String.self)
            }
        }
        let ours = #""aud": "authenticated", "name": "Claim", "user_metadata": "#
        let both = ours + #"{"full_name": "Full", "name": "N"}"#
        #expect(try kept(Person.issuer, both) == "Full parent")
        #expect(try kept(Person.issuer, ours + #"{"name": "N", "role": "player"}"#) == "N player")
        let odd = ours + #"{"full_name": 7, "role": ["player"]}"#
        #expect(try kept(Person.issuer, odd) == "- parent")
        #expect(try kept(Person.issuer, ours + #""text""#) == "- parent")
        #expect(
            try kept(
                "https://generic.test",
                #""aud": "hearth", "name": "Claim", "user_metadata": {"role": "player"}"#)
                == "Claim parent")
    }

    @Test("a request whose token is older, or can't be stored, begins as the existing user")
    func older() throws {
        let house = try house
        let person = Person(role: "parent")
        let email = { (more: String, readOnly: Bool) in
            try house.asDirect(claims: claims(person, more), readOnly: readOnly) {
                try $0.query("SELECT email FROM api.users").scalar(String.self)
            }
        }
        #expect(try email(#""iat": 200, "email": "new@example.com""#, false) == "new@example.com")
        #expect(try email(#""iat": 100, "email": "old@example.com""#, false) == "new@example.com")
        #expect(try email(#""iat": 100, "email": "old@example.com""#, true) == "new@example.com")
        #expect(try email(#""iat": 300, "email": "user@localhost""#, false) == "")
        #expect(try email(#""iat": 400, "email": "new@example.com""#, false) == "new@example.com")
    }
}
