import Domain
import Postgres
import TestSupport
import Testing

/// Module Domain and the database read the same text alike: each example is given to both.
@Suite("Forms of text")
struct TextFormTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private static func of(_ count: Int, _ text: String) -> String {
        String(repeating: text, count: count)
    }

    /// What is given, and what becomes of it; nil: it is refused.
    static let addresses: [(String, String?)] = [
        (" Some.One+Tag@Example.COM ", "some.one+tag@example.com"),
        ("\u{a0}a@b.c\u{3000}\u{2028}", "a@b.c"),
        ("x@münchen.example", "x@münchen.example"),
        ("Ö@example.com", "Ö@example.com"),
        ("cafe\u{301}@example.com", "caf\u{e9}@example.com"),
        ("\u{130}@example.com", "\u{130}@example.com"),
        ("!#$%&'*+/=?^_`{|}~-@b.c", "!#$%&'*+/=?^_`{|}~-@b.c"),
        ("-a-@b-c.d0", "-a-@b-c.d0"), ("a.-b@c.de", "a.-b@c.de"),
        (of(64, "a") + "@c.de", of(64, "a") + "@c.de"), (of(65, "a") + "@c.de", nil),
        (of(33, "é") + "@c.de", nil),
        ("a@" + of(63, "b") + ".de", "a@" + of(63, "b") + ".de"),
        ("a@" + of(64, "b") + ".de", nil), ("a@" + of(32, "é") + ".de", nil),
        ("a@" + of(125, "b.") + "de", "a@" + of(125, "b.") + "de"),
        ("a@" + of(126, "b.") + "de", nil),
        ("", nil), ("@", nil), ("a@", nil), ("@b.c", nil), ("user@localhost", nil),
        ("a,b<c>@x", nil), ("a,b@c.de", nil), ("<a@c.de>", nil), ("a b@c.de", nil),
        ("\"a b\"@c.de", nil), ("a@b@c.de", nil), ("a@c..de", nil), ("a@.c.de", nil),
        ("a@c.de.", nil), (".a@c.de", nil), ("a.@c.de", nil), ("a..b@c.de", nil),
        ("a@-c.de", nil), ("a@c-.de", nil), ("a@c.de-", nil), ("a@c.-de", nil),
        ("a@c_d.de", nil), ("a@[1.2.3.4]", nil), ("a;@c.de", nil), ("a\\b@c.de", nil),
        ("a@c.de\r\nBcc: x@y.z", nil), ("a\u{1}@c.de", nil), ("a\u{7f}@c.de", nil),
        ("\u{212A}@example.com", nil), ("a\u{37E}@example.com", nil), ("a@x\u{1FEF}.de", nil),
        ("a@c\u{2028}.de", nil), ("a@c.d\u{202e}e", nil), ("a\u{200d}@c.de", nil),
        ("a\u{ad}@c.de", nil), ("\u{feff}a@c.de", nil), ("a\u{e000}@c.de", nil),
        ("a\u{e0041}@c.de", nil), ("a\u{3000}@c.de", nil),
    ]

    static let names: [(String, String?)] = [
        ("  Ada \u{a0}", "Ada"), ("Cafe\u{301}", "Caf\u{e9}"), (" \n ", nil), ("", nil),
        ("Ada\u{202e}ecalevoL\u{202c}", "AdaecalevoL"), ("\u{2066}Ada\u{2069}", "Ada"),
        ("A\u{200b}d\u{2060}a\u{feff}", "Ada"), ("Ad\u{ad}a", "Ada"), ("\u{200e}\u{200f}", nil),
        ("A\u{e0041}da", "Ada"), ("\u{1f468}\u{200d}\u{1f467}", "\u{1f468}\u{200d}\u{1f467}"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"), ("\u{200d}Ada\u{200c} ", "Ada"),
        ("\u{200d}\u{200c}", nil), ("e\u{200b}\u{301}", "\u{e9}"), ("a\u{1}b", nil),
        ("a\nb", nil), ("a\u{85}b", nil), ("a\u{2028}b", nil), ("a\u{2029}b", nil),
        (of(80, "x"), of(80, "x")), (of(81, "x"), nil),
        (of(80, "e\u{301}"), of(80, "\u{e9}")), (of(80, "\u{1f600}"), of(80, "\u{1f600}")),
    ]

    @Test("an address is the same to both, or to neither")
    func address() throws {
        let connection = try house.superuser()
        for (given, expected) in Self.addresses {
            #expect(EmailAddress(given)?.text.scalars == expected?.scalars, "\(given.scalars)")
            let stored = try connection.query("SELECT app.normalised_email(\(given))")
                .scalar(String?.self)
            #expect(stored?.scalars == expected?.scalars, "\(given.scalars)")
        }
    }

    @Test("a name is the same to both, or to neither")
    func name() throws {
        let connection = try house.superuser()
        for (given, expected) in Self.names {
            #expect(PersonName(given)?.text.scalars == expected?.scalars, "\(given.scalars)")
            let stored = try connection.query(
                """
                SELECT CASE WHEN app.is_short_text(n, 80) THEN n END
                FROM app.normalised_text(\(given)) AS n
                """
            ).scalar(String?.self)
            #expect(stored?.scalars == expected?.scalars, "\(given.scalars)")
        }
    }

    static let languages = [
        "es", "es-MX", "zh-Hant-TW", "de-u-co-phonebk", "ast", "", "e", "abcd", "es-", "es--mx",
        "-es", "es_MX", "es-abcdefghi", "e1", "es mx", "es\n", "\nes", "\u{e9}s", "es-\u{661}2",
        "../es", of(11, "es-") + "es", of(12, "es-") + "es",
    ]

    @Test("a language is one to both, or to neither; what is written alike is stored")
    func language() throws {
        let owner = try house.owner()
        let form = try owner.query(
            """
            SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
            WHERE conname = 'users_locale_form' AND convalidated
            """
        ).scalar(String.self)
        for given in Self.languages {
            let stored = LanguageTag(given)?.text
            let isTaken = try owner.query(
                "SELECT \(unsafe: form) FROM (SELECT \(stored ?? given) AS locale) AS t"
            ).scalar(Bool.self)
            #expect(isTaken == (stored != nil), "\(given.scalars)")
        }
    }

    /// Where the code points lie that the two could see differently, and much around them.
    private static let ranges: [ClosedRange<Int>] = [
        0x1...0xD7FF, 0xE000...0xFFFF, 0x110A0...0x110DF, 0x13400...0x1347F, 0x1BC90...0x1BCB0,
        0x1D160...0x1D190, 0x1FFF0...0x2000F, 0xDFFF0...0xE01FF, 0xEFFF0...0xF000F,
        0xFFFF0...0x10000F, 0x10FFF0...0x10FFFF,
    ]

    @Test("every code point within a name or address is kept, taken out or refused by both")
    func everyCodePoint() throws {
        let connection = try house.superuser()
        var differing: [String] = []
        for range in Self.ranges {
            let rows = try connection.query(
                """
                SELECT code::int8, CASE WHEN app.is_short_text(n, 80) THEN n END,
                    app.normalised_email('a' || chr(code) || '@b.c')
                FROM generate_series(
                        \(Int32(range.lowerBound)), \(Int32(range.upperBound))) AS code,
                    app.normalised_text('a' || chr(code) || 'b') AS n
                WHERE code NOT BETWEEN 55296 AND 57343
                """
            ).map { (row) throws(PostgresError) in
                (
                    try row.read(Int.self), try row.read(String?.self),
                    try row.read(String?.self)
                )
            }
            for (code, name, email) in rows {
                guard let scalar = Unicode.Scalar(UInt32(code)) else { continue }
                if PersonName("a\(scalar)b")?.text.scalars != name?.scalars
                    || EmailAddress("a\(scalar)@b.c")?.text.scalars != email?.scalars
                {
                    differing.append(String(code, radix: 16))
                }
            }
        }
        #expect(differing == [])
    }

    @Test("the tables' constraints take what is in form, at the ends and within, and nothing else")
    func constraints() throws {
        let owner = try house.owner()
        let constraints = try owner.query(
            """
            SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
            WHERE conname IN
                ('users_full_name_form', 'users_avatar_key_form', 'family_units_name_form')
                AND convalidated
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(constraints.count == 3)
        for range in Self.ranges {
            for constraint in constraints {
                let differing = try owner.query(
                    """
                    SELECT count(*) FROM (
                        SELECT text AS full_name, text AS avatar_key, text AS family_name
                        FROM generate_series(
                            \(Int32(range.lowerBound)), \(Int32(range.upperBound))) AS code,
                            unnest(ARRAY['a' || chr(code), chr(code) || 'a',
                                         'a' || chr(code) || 'b']) AS text
                        WHERE code NOT BETWEEN 55296 AND 57343) AS name
                    WHERE (\(unsafe: constraint)) IS DISTINCT FROM app.is_short_text(full_name, 64)
                    """
                ).scalar(Int.self)
                #expect(differing == 0, "\(range) \(constraint)")
            }
        }
    }

    @Test("a direct client's names take their one form, and are refused where the API refuses")
    func direct() throws {
        let house = try house
        let person = try house.person()
        let family = UInt128.random(in: 0...UInt128.max)
        let shown = try house.asDirect(person) { transaction in
            try transaction.query(
                "UPDATE api.users SET full_name = E' Ada\\u202E ', avatar_key = E'fox\\u200B'")
            try transaction.query(
                """
                INSERT INTO api.family_units (id, created_by_user_id, family_name)
                VALUES (\(family), \(person.id), E'\\u2066Ours\\u2069 ')
                """)
            return try transaction.query(
                """
                SELECT u.full_name || ',' || u.avatar_key || ',' || f.family_name
                FROM api.users AS u, api.family_units AS f
                """
            ).scalar(String.self)
        }
        #expect(shown == "Ada,fox,Ours")
        let refused: [(SQL, String)] = [
            ("UPDATE api.users SET full_name = E'A\\nda'", "23514 users_full_name_form"),
            ("UPDATE api.users SET full_name = E'\\u202E'", "23514 users_full_name_form"),
            ("UPDATE api.users SET avatar_key = repeat('x', 65)", "23514 users_avatar_key_form"),
            (
                """
                INSERT INTO api.family_units (created_by_user_id, family_name)
                VALUES (\(person.id), E'Ou\\u2028rs')
                """, "23514 family_units_name_form"
            ),
        ]
        for (statement, expected) in refused {
            let met = try refusal { try house.asDirect(person) { try $0.query(statement) } }
            #expect(met == expected, "\(statement.text)")
        }
    }
}

extension String {
    /// Code points in hexadecimal: Swift calls strings equal that differ in form.
    fileprivate var scalars: String {
        unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
