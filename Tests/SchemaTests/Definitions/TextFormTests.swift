import Domain
import Postgres
import TestSupport
import Testing

/// Tests that the module Domain and the database normalise text in the same way.
@Suite("Normal forms of text")
struct TextFormTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private static func of(_ count: Int, _ text: String) -> String {
        String(repeating: text, count: count)
    }

    /// Input and normal form; nil if it is refused.
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

    private static let scotland =
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"

    static let names: [(String, String?)] = [
        ("  Ada \u{a0}", "Ada"), ("Cafe\u{301}", "Caf\u{e9}"), (" \n ", nil), ("", nil),
        ("Ada\u{202e}ecalevoL\u{202c}", "AdaecalevoL"), ("\u{2066}Ada\u{2069}", "Ada"),
        ("A\u{200b}d\u{2060}a\u{feff}", "Ada"), ("Ad\u{ad}a", "Ada"), ("\u{200e}\u{200f}", nil),
        ("A\u{e0041}da", "Ada"), ("\u{1f468}\u{200d}\u{1f467}", "\u{1f468}\u{200d}\u{1f467}"),
        ("\u{200d}Ada\u{200c} ", "Ada"),
        ("\u{200d}\u{200c}", nil), ("e\u{200b}\u{301}", "\u{e9}"), ("a\u{1}b", nil),
        ("a\nb", nil), ("a\u{85}b", nil), ("a\u{2028}b", nil), ("a\u{2029}b", nil),
        (of(80, "x"), of(80, "x")), (of(81, "x"), nil),
        // The flag of Scotland, and tag characters without a flag or its terminator.
        (scotland, scotland), ("\u{1F3F4}\u{E0067}\u{E0062}", "\u{1F3F4}"),
        ("Ada\u{E0067}\u{E007F}", "Ada"),
        // A Malayalam word that ends with a joiner, Sinhala, Bengali, Persian, Mongolian.
        ("അവന്\u{200D}", "അവന്\u{200D}"), ("ശ്രീ\u{200C}", "ശ്രീ"),
        ("ක්\u{200D}ෂ", "ක්\u{200D}ෂ"), ("র\u{200D}্যাব", "র\u{200D}্যাব"),
        ("می\u{200C}خواهم\u{200C}", "می\u{200C}خواهم"),
        ("\u{1820}\u{180E}\u{1820}", "\u{1820}\u{180E}\u{1820}"), ("A\u{180E}da", "Ada"),
        ("A\u{200D}d\u{200C}a", "Ada"), ("\u{600}12", "\u{600}12"),
        (
            "\u{1F468}\u{1F3FD}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F468}",
            "\u{1F468}\u{1F3FD}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F468}"
        ),
        ("A\u{FFFE}d\u{1FFFF}a\u{10FFFF}", "Ada"),
        // Nothing visible.
        ("\u{3164}", nil), ("\u{2800}", nil), ("\u{115F}", nil), ("\u{FFA0}", nil),
        ("\u{FE0F}", nil), ("\u{1D159}", nil), ("\u{301}", nil), ("\u{34F}\u{17B4}", nil),
        ("\u{378}", nil), ("\u{E0100}\u{1160}", nil), ("\u{180E}", nil), ("\u{3164}a", "\u{3164}a"),
        (of(80, "e\u{301}"), of(80, "\u{e9}")), (of(80, "\u{1f600}"), of(80, "\u{1f600}")),
    ]

    @Test("Swift and SQL normalise an address in the same way, or both refuse it")
    func address() throws {
        let connection = try house.superuser()
        for (given, expected) in Self.addresses {
            #expect(EmailAddress(given)?.text.scalars == expected?.scalars, "\(given.scalars)")
            let stored = try connection.query("SELECT app.normalised_email(\(given))")
                .scalar(String?.self)
            #expect(stored?.scalars == expected?.scalars, "\(given.scalars)")
        }
    }

    @Test("Swift and SQL normalise a name in the same way, or both refuse it")
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

    @Test("Swift and SQL accept the same languages, and store equal spellings in the same form")
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

    /// Ranges of code points: every one in the planes that have characters; in the others every
    /// 97th and the last.
    private static let planes: [(range: ClosedRange<Int>, step: Int32)] = (0...0x10).flatMap {
        plane -> [(ClosedRange<Int>, Int32)] in
        let whole = max(1, plane << 16)...(plane << 16 | 0xFFFF)
        if plane < 4 || plane == 14 { return [(whole, 1)] }
        return [(whole, 97), (whole.upperBound - 255...whole.upperBound, 1)]
    }

    @Test("Swift and SQL treat every code point within a name or address in the same way")
    func everyCodePoint() throws {
        let connection = try house.superuser()
        var differing: [String] = []
        for (range, step) in Self.planes {
            let rows = try connection.query(
                """
                SELECT code::int8, CASE WHEN app.is_short_text(n, 80) THEN n END,
                    app.normalised_email('a' || chr(code) || '@b.c')
                FROM generate_series(
                        \(Int32(range.lowerBound)), \(Int32(range.upperBound)), \(step)) AS code,
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

    @Test("Swift and SQL agree on whether each code point is visible")
    func visible() throws {
        var ranges: [ClosedRange<UInt32>] = []
        for value in UInt32(1)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), String(scalar).hasVisibleCharacter else {
                continue
            }
            if let last = ranges.last, last.upperBound + 1 == value {
                ranges[ranges.count - 1] = last.lowerBound...value
            } else {
                ranges.append(value...value)
            }
        }
        let expected = ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",")
        let connection = try house.superuser()
        let isEqual = try connection.query(
            "SELECT app.visible_characters() = \("{\(expected)}")::text::int4multirange"
        ).scalar(Bool.self)
        #expect(isEqual, "app.visible_characters has to be {\(expected)}")
    }

    /// Characters that stay or go depending on their neighbours.
    private static let contextual: [Unicode.Scalar] = [
        "a", " ", "\u{200C}", "\u{200D}", "\u{180E}", "\u{94D}", "\u{915}", "\u{93C}", "\u{301}",
        "\u{628}", "\u{64B}", "\u{1820}", "\u{180B}", "\u{1F468}", "\u{1F3FD}", "\u{FE0F}",
        "\u{1F3F4}",
        "\u{E0067}", "\u{E007F}", "\u{202E}", "\u{FFFE}", "\u{2764}", "\u{9CD}", "\u{9B0}",
        "\u{E01}",
    ]

    @Test(
        "Swift and SQL treat joiners and tags the same between any neighbours, and when applied twice"
    )
    func neighbours() throws {
        let connection = try house.superuser()
        var random = SystemRandomNumberGenerator()
        var texts: [String] = []
        for first in Self.contextual {
            for second in Self.contextual {
                for third in Self.contextual {
                    texts.append(String(String.UnicodeScalarView([first, second, third])))
                }
            }
        }
        for _ in 0..<5_000 {
            let scalars = (0..<Int.random(in: 4...10, using: &random)).compactMap { _ in
                Self.contextual.randomElement(using: &random)
            }
            texts.append(String(String.UnicodeScalarView(scalars)))
        }
        for start in stride(from: 0, to: texts.count, by: 1_000) {
            let part = Array(texts[start..<min(start + 1_000, texts.count)])
            let forms = try connection.query(
                """
                SELECT app.normalised_text(t)
                FROM unnest(\(part)::text[]) WITH ORDINALITY AS u (t, n) ORDER BY n
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            for (text, form) in zip(part, forms) {
                #expect(text.asShortText.scalars == form.scalars, "\(text.scalars)")
                #expect(form.asShortText.scalars == form.scalars, "\(text.scalars)")
            }
        }
    }

    @Test("the tables' constraints match is_short_text, except for characters judged by context")
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
        for (range, step) in Self.planes where range.lowerBound < 0x20000 || step > 1 {
            for constraint in constraints {
                let differing = try owner.query(
                    """
                    SELECT count(*) FROM (
                        SELECT text AS full_name, text AS avatar_key, text AS family_name
                        FROM generate_series(
                            \(Int32(range.lowerBound)), \(Int32(range.upperBound)),
                            \(step)) AS code,
                            unnest(ARRAY['a' || chr(code), chr(code) || 'a',
                                         'a' || chr(code) || 'b']) AS text
                        WHERE code NOT BETWEEN 55296 AND 57343) AS name
                    WHERE (\(unsafe: constraint)) IS DISTINCT FROM app.is_short_text(full_name, 64)
                        AND ((\(unsafe: constraint)) IS NOT TRUE
                            OR full_name !~ ('[\\u200C\\u200D\\u180E\\U000E0020-\\U000E007F'
                                || app.unassignable_characters() || ']'))
                    """
                ).scalar(Int.self)
                #expect(differing == 0, "\(range) \(constraint)")
            }
        }
    }

    @Test("a direct client's names are normalised, and refused if the API refuses them")
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
            ("UPDATE api.users SET full_name = E'\\u3164'", "23514 users_full_name_form"),
            ("UPDATE api.users SET avatar_key = E'\\u2800'", "23514 users_avatar_key_form"),
            (
                """
                INSERT INTO api.family_units (created_by_user_id, family_name)
                VALUES (\(person.id), E'\\u115F')
                """, "23514 family_units_name_form"
            ),
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
    /// The code points in hexadecimal, since Swift considers canonically equivalent strings equal.
    fileprivate var scalars: String {
        unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
