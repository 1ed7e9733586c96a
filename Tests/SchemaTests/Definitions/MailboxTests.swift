import Domain
import Postgres
import TestSupport
import Testing

/// Comparison of addresses: by their local part and the A-labels of their domain.
@Suite("Mailboxes")
struct MailboxTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private func mailbox(_ address: String) throws -> String? {
        try house.superuser().query("SELECT app.mailbox_of(\(address))").scalar(String?.self)
    }

    @Test("a stored domain in another script matches each of its spellings in lower case")
    func known() throws {
        let connection = try house.superuser()
        #expect(try mailbox("gast@bücher.example") == nil)
        try connection.query(
            "SELECT app.store_domain_label('BÜCHER.example', 'xn--bcher-kva.example')")
        for spelling in ["bücher", "BÜCHER", "Bu\u{308}cher", "xn--bcher-kva", "XN--BCHER-KVA"] {
            #expect(
                try mailbox("gast@\(spelling).example") == "gast@xn--bcher-kva.example",
                "\(spelling)")
        }
        #expect(try mailbox("gast@bücher.example.org") == nil)
        #expect(try mailbox("Jürgen@Example.com") == "jürgen@example.com")
    }

    /// Inserts with an address, one for each table that has a mailbox column.
    static let tables = [
        "INSERT INTO app.users (id, email, email_verified) VALUES (gen_random_uuid(), $, true)",
        "INSERT INTO app.suppressed_addresses (email, reason) VALUES ($, 'no')",
        "INSERT INTO app.refused_invitations (email) VALUES ($)",
        """
        INSERT INTO app.email_tokens (id, purpose, email, link_hash, expires_at)
        VALUES (gen_random_uuid(), 'reset', $, sha256(random()::text::bytea),
                now() + interval '1 hour')
        """,
    ]

    @Test("a row's mailbox is set when the row is written, or when its domain becomes known")
    func stored() throws {
        for (index, statement) in Self.tables.enumerated() {
            let owner = try house.superuser()
            let domain = "straße\(index).example"
            let aLabel = "xn--strae\(index)-dta.example"
            func insert(_ address: String) throws -> (String?, String?) {
                let text = statement.replacing("$", with: "'\(address)'")
                return try owner.query("\(unsafe: text) RETURNING email_domain, mailbox").map {
                    (row) throws(PostgresError) in
                    (try row.read(String?.self), try row.read(String?.self))
                }[0]
            }
            #expect(try insert("a@plain\(index).example") == (nil, "a@plain\(index).example"))
            #expect(try insert("a@\(domain)") == (nil, nil))
            try owner.query("SELECT app.store_domain_label(\(domain), \(aLabel))")
            #expect(try insert("b@\(domain)") == (aLabel, "b@\(aLabel)"))
            let table = String(statement.split(separator: " ")[2])
            let left = try owner.query(
                """
                SELECT count(*) FROM \(unsafe: table)
                WHERE mailbox IS NULL AND email LIKE '%' || \(domain)
                """
            ).scalar(Int.self)
            // Tickets expire after ten minutes.
            #expect(left == (table == "app.email_tokens" ? 1 : 0), "\(table)")
        }
    }

    @Test("a stored A-label is ASCII in lower case")
    func form() throws {
        for wrong in ["münchen.example", "XN--MNCHEN-3YA.example", "example", "a b.example"] {
            let met = try refusal {
                try house.superuser().query("SELECT app.store_domain_label('z.example', \(wrong))")
            }
            #expect(met == "23514 domain_labels_a_label_ascii", "\(wrong)")
        }
    }

    @Test("lower-casing a code point never changes a domain, in any locale of the database")
    func everyCodePoint() throws {
        let connection = try house.superuser()
        // The lower case of each locale, since app.domain_key uses the database's.
        for collation in ["", " COLLATE \"C\"", " COLLATE \"tr-x-icu\"", " COLLATE \"lt-x-icu\""] {
            let rows = try connection.query(
                """
                SELECT d, CASE WHEN d ~ '[\\u00CC\\u00CD\\u0128\\u0130\\u03A3\\u1E9E]' THEN d
                    ELSE normalize(lower(d\(unsafe: collation)), NFC) END, app.domain_key(d)
                FROM generate_series(128, 1114111) AS code,
                    unnest(ARRAY['a' || chr(code) || 'b.de', 'a' || chr(code) || '.de']) AS d
                WHERE code NOT BETWEEN 55296 AND 57343
                    AND d <> normalize(lower(d\(unsafe: collation)), NFC)
                    AND app.normalised_email('a@' || d) = 'a@' || d
                """
            ).map { (row) throws(PostgresError) in
                (
                    try row.read(String.self), try row.read(String.self), try row.read(String.self)
                )
            }
            for (typed, lower, key) in rows {
                guard let mailbox = EmailAddress("a@\(typed)")?.mailbox else { continue }
                #expect(EmailAddress("a@\(lower)")?.mailbox == mailbox, "\(typed) \(lower)")
                if collation.isEmpty { #expect(key == lower) }
            }
            if collation.isEmpty { #expect(rows.count > 1_000) }
        }
    }
}
