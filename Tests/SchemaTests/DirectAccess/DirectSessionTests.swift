import Postgres
import TestSupport
import Testing

/// Hearth's own tokens on the direct path, with their claims as PostgREST passes them.
@Suite("Direct clients with Hearth's own tokens")
struct DirectSessionTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private static let issuer = "https://family.test"

    /// A person with a session, in a family.
    private struct Guest {
        let person: Person
        let session: UInt128
        let family: UInt128

        func claims(
            session: String? = nil, subject: String? = nil, audience: String = "hearth",
            more: String = ""
        ) -> String {
            let session = session ?? self.session.uuid.lowercased()
            return """
                {"iss": "\(DirectSessionTests.issuer)", "sub": "\(subject ?? person.subject)",
                 "aud": "\(audience)", "role": "authenticated", "sid": "\(session)"\(more)}
                """
        }
    }

    private func guest() throws -> Guest {
        let house = try house
        try house.superuser().query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, audiences)
            VALUES (\(Self.issuer), 'hearth', '{hearth}') ON CONFLICT DO NOTHING
            """)
        let person = try house.person()
        let family = try house.family(of: person)
        let session = UInt128.random(in: 0 ... .max)
        try house.asAPI(person) {
            try $0.query(
                """
                SELECT app.exchange_for_session(
                    \(session), \(Person.issuer), NULL, sha256('a token'), NULL)
                """)
        }
        return Guest(person: person, session: session, family: family.id)
    }

    private func families(_ claims: String) throws -> [UInt128] {
        try house.asDirect(claims: claims, readOnly: true) {
            try $0.query("SELECT id FROM api.family_units").map { (row) throws(PostgresError) in
                try row.read()
            }
        }
    }

    private func told(_ claims: String, headers: String = "{}") throws -> String? {
        try refusal { try house.asDirect(claims: claims, headers: headers) { _ in } }
    }

    @Test("a session's token reads what its account may read, until the session ends")
    func ended() throws {
        let guest = try guest()
        #expect(try families(guest.claims()) == [guest.family])
        try house.asAPI(guest.person) {
            try $0.query("SELECT app.end_my_session(\(guest.session))")
        }
        #expect(try told(guest.claims()) == "PT401")
    }

    @Test("a token of an expired session is refused")
    func late() throws {
        let guest = try guest()
        try house.superuser().query(
            "UPDATE app.sessions SET ends_at = now() WHERE id = \(guest.session)")
        #expect(try told(guest.claims()) == "PT401")
    }

    @Test("a token with another's session, no session, a delegation or another audience is refused")
    func forged() throws {
        let (guest, other) = (try guest(), try guest())
        #expect(try told(guest.claims(subject: other.person.subject)) == "PT401")
        #expect(try told(guest.claims(session: "x")) == "PT401")
        #expect(try told(guest.claims(session: "")) == "PT401")
        #expect(try told(guest.claims(audience: "votes")) == "PT401")
        #expect(try told(guest.claims(more: #", "act": {"sub": "x"}"#)) == "PT401")
    }

    @Test("a session's token acts for its account's own child only")
    func acting() throws {
        let house = try house
        let guest = try guest()
        let child = try house.child(
            of: guest.person, in: Family(id: guest.family, code: ""))
        func header(_ id: UInt128) -> String { #"{"x-acting-as-member": "\#(id.uuid)"}"# }
        #expect(try told(guest.claims(), headers: header(child)) == nil)
        #expect(try told(self.guest().claims(), headers: header(child)) == "PT403")
    }
}
