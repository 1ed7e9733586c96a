import Crypto
import Domain
import Foundation
import Postgres
import TestSupport
import Testing
import UseCases

/// Tests that the API and the direct path (claims from PostgREST) refuse a session's tokens from
/// the next request on, in whatever way the session ends.
@Suite("Tokens of an ended session")
struct EndedSessionTests {
    static let shared = Result {
        let site = try Site(trustsLocalProxy: true)
        try Connection(site.test.settings()).query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, audiences)
            VALUES (\(Site.publicURL), 'hearth', '{hearth}')
            """)
        return site
    }
    private var site: Site { get throws { try Self.shared.get() } }

    enum WakeReason: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case signedOut = "signed out"
        case endedByItself = "ended by itself"
        case endedByAnother = "ended by another session"
        case othersEnded = "ended with all others"
        case passwordSet = "a password was set"
        case passwordReset = "the password was reset"
        case tokenReused = "a former refresh token was used"
        case endedByOperator = "ended by an operator"
        case allEndedByOperator = "ended with all by an operator"
        case erased = "the account was erased"
        case erasedByOperator = "the account was erased by an operator"
        case replaced = "the account had too many"
        case moved = "its sign-in was moved to another account"
        case takenBack = "the provider was told to let the app go"
        case ranOut = "it ran out"

        var testDescription: String { rawValue }
    }

    /// A session, another session of the same account, and the account's owner.
    private struct Guest {
        let person: APIClient
        let client: SessionClient
        let other: SessionClient

        var user: UserID { get throws { try #require(UserID(client.user)) } }
        var session: SessionID { get throws { try #require(SessionID(client.session)) } }
    }

    private func guest() throws -> Guest {
        let site = try site
        let person = try site.person(.parent)
        return Guest(
            person: person, client: try site.session(of: person),
            other: try site.session(of: person))
    }

    /// SQLSTATE with which the direct path refuses the token; nil if it accepts it.
    private func direct(_ client: SessionClient) throws -> String? {
        let payload = try #require(client.access.split(separator: ".").dropFirst().first)
        let bytes = try #require(Base64URL.decode(String(payload)))
        let claims = String(decoding: bytes, as: UTF8.self)
        let connection = try Connection(site.test.settings(as: "authenticator"))
        do {
            try connection.transaction(TransactionOptions(isReadOnly: true)) { transaction in
                try transaction.query(
                    """
                    SELECT set_config('role', 'authenticated', true),
                        set_config('request.jwt.claims', \(claims), true),
                        set_config('request.headers', '{}', true)
                    """)
                try transaction.query("SELECT gateway.begin_request()")
            }
            return nil
        } catch let error as PostgresError {
            guard let server = error.server else { throw error }
            return "\(server.sqlState)"
        }
    }

    @Test("a request with a signed token whose session is no id gets 401 with a challenge")
    func lackingClaim() throws {
        let site = try Site()
        let now = Int64(Date().timeIntervalSince1970)
        let token = try SigningFile.services().tokens.token(
            .init(
                subject: "\(UserID.random())", session: "none", signedInAt: now,
                methods: ["pwd"]),
            now: now)
        let answer = try site.send("GET", "/api/me", token: token)
        #expect(
            answer.says(
                401, "invalid_token",
                "The token lacks a claim that is needed. Get a new token, or sign in again."))
        #expect(answer.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
    }

    @Test(
        "an ended session's tokens are refused immediately by the API and for direct clients",
        arguments: WakeReason.allCases)
    func ended(_ ending: WakeReason) throws {
        let (guest, bystander) = (try guest(), try guest().client)
        for client in [guest.client, bystander] {
            #expect(try client.get("/api/me").status == 200)
            #expect(try direct(client) == nil)
        }
        try end(guest, ending)
        #expect(try guest.client.get("/api/me").says(401, "session_ended"))
        #expect(try direct(guest.client) == "PT401")
        #expect(try site.refresh(guest.client.refresh).status == 401)
        #expect(try bystander.get("/api/me").status == 200)
        #expect(try direct(bystander) == nil)
    }

    private func end(_ guest: Guest, _ ending: WakeReason) throws {
        let (site, client) = (try site, guest.client)
        switch ending {
        case .signedOut: try expect(site.signOut(client.refresh))
        case .endedByItself: try expect(client.delete("/api/me/sessions/\(client.session)"))
        case .endedByAnother:
            try expect(guest.other.delete("/api/me/sessions/\(client.session)"))
        case .othersEnded: try expect(guest.other.delete("/api/me/sessions"))
        case .passwordSet:
            try expect(
                site.patiently {
                    try guest.other.send(
                        "PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
                })
        case .passwordReset: try reset(guest)
        case .tokenReused:
            var next = client
            for _ in 0..<3 { next = try SessionClient(site, site.refresh(next.refresh)) }
            #expect(try site.refresh(client.refresh).says(401, "session_ended"))
        case .endedByOperator:
            #expect(try office().endSessions(of: guest.user, only: guest.session) == 1)
        case .allEndedByOperator:
            #expect(try office().endSessions(of: guest.user, only: nil) == 2)
        case .erased: try expect(guest.other.delete("/api/me"))
        case .erasedByOperator: try erase(guest)
        case .replaced: try replace(guest)
        case .moved:
            // An account without a sign-in of this issuer, because an account may have only one.
            let email = Site.address()
            let ticket = try site.ticket(for: email, client: PasskeyClient.address())
            let mover = try SessionClient(
                site, site.verify(ticket, site.mailed(to: email).code))
            try expect(
                mover.send(
                    "POST", "/api/me/identities", #"{"token": "\#(guest.person.token)"}"#))
        case .takenBack: try takeBack(guest)
        case .ranOut:
            let id = try guest.session.rawValue
            try Connection(site.test.settings()).query(
                "UPDATE app.sessions SET ends_at = now() WHERE id = \(id)")
        }
    }

    private func expect(_ answer: Answer) throws {
        try #require(answer.status == 200, "\(answer)")
    }

    private func office() throws -> OperatorSession {
        try OperatorSession(site.test.settings(as: "hearth_admin"), operatorName: "jo")
    }

    private func reset(_ guest: Guest) throws {
        let (site, email) = (try site, guest.person.email)
        let asked = try site.auth(
            "password/forgot", #"{"email": "\#(email)"}"#, client: PasskeyClient.address())
        try #require(asked.status == 202)
        let link = try site.mailed(to: email).linkToken
        try expect(
            site.auth(
                "password/reset", #"{"token": "\#(link)", "password": "\#(Site.password)"}"#))
    }

    private func erase(_ guest: Guest) throws {
        let id = try guest.user.rawValue
        try Connection(site.test.settings(as: "hearth_admin")).transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            try transaction.query("SELECT app.erase_user(\(id), '{}')")
        }
    }

    /// Creates a hundred sessions that were used later.
    private func replace(_ guest: Guest) throws {
        let id = try guest.user.rawValue
        try Connection(site.test.settings()).query(
            """
            INSERT INTO app.sessions (id, user_id, method, last_used_at, ends_at)
            SELECT gen_random_uuid(), \(id), 'email', now() + interval '1 second',
                now() + interval '1 day' FROM generate_series(1, 99)
            """)
        _ = try site.session(of: guest.person)
    }

    /// Records, as the program does, that the provider has revoked the token.
    private func takeBack(_ guest: Guest) throws {
        let (session, user) = (try guest.session.rawValue, try guest.user.rawValue)
        let token = try Connection(site.test.settings()).query(
            """
            INSERT INTO app.provider_tokens
                (issuer, client, subject_hash, user_id, sealed, check_at)
            SELECT i.issuer, 'app', i.subject_hash, i.user_id, decode(repeat('00', 32), 'hex'),
                now()
            FROM app.user_identities AS i WHERE i.user_id = \(user) RETURNING id
            """
        ).scalar(UInt128.self)
        try Connection(site.test.settings(as: "hearth_api")).transaction { transaction in
            try transaction.query("SELECT app.begin_session(\(session), \(user))")
            try transaction.query("SELECT app.record_provider_check(\(token), false)")
        }
    }
}
