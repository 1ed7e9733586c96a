import Domain
import Foundation
import Identity
import Postgres
import TestSupport
import Testing
import UseCases

/// The API is killed at a certain step of a sign-in: what was begun has happened as a whole or not at
/// all, and whoever got no answer goes on.
@Suite("kill -9 between two steps of signing in")
struct KilledSignInTests {
    private let office: PostOffice
    private let api: APIProcess
    private let victim: APIProcess

    private static let steps = [
        "AFTER UPDATE ON app.mailed_tickets", "AFTER INSERT ON app.users",
        "AFTER INSERT ON app.email_sign_ins", "AFTER INSERT ON app.sessions",
        "AFTER INSERT ON app.refresh_tokens", "AFTER INSERT ON app.passwords",
    ]
    private static let password = "gull kettle north 88 moss"
    private static let address = "ada@example.org"

    init() throws {
        office = try PostOffice()
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        api = try APIProcess(office, ["HEARTH_SIGNING_KEYS_FILE": keys])
        victim = try APIProcess(
            office, ["HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": api.url])
    }

    private func post(
        _ route: String, _ body: [String: String], at process: APIProcess? = nil
    ) throws -> APIProcess.Answer {
        try (process ?? api).send("POST", "/api/auth/" + route, body: body)
    }

    /// What the worker would mail for the newest ticket.
    private func mailed() throws -> MailedSecrets {
        let connection = try Connection(office.test.settings())
        let rows = try connection.query(
            "SELECT id, link_hash FROM app.mailed_tickets ORDER BY opened_at DESC LIMIT 1"
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(PostgresBytes.self))
        }
        let (id, hash) = try #require(rows.first)
        let keys = try SignInKeys([Array(PostOffice.secret.utf8)])
        return try #require(
            try keys.secrets(of: TicketID(rawValue: id), havingLinkHash: hash.bytes))
    }

    /// Asks the victim, and kills it when it comes to the step.
    private func kill(
        at step: String, _ atCommit: Bool, asking route: String, _ body: [String: String]
    ) throws {
        let gate = try StatementGate(office.test, step, atCommit: atCommit)
        let asking = inBackground { [victim] in
            // It gets no answer.
            _ = try? victim.send("POST", "/api/auth/" + route, body: body)
        }
        try gate.awaitArrival()
        victim.process.kill()
        try gate.open()
        try asking.wait()
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'hearth_api' AND state <> 'idle'
                """) == 0
        }
    }

    private func count(_ table: String) throws -> Int {
        try office.count(SQL(unsafe: "SELECT count(*) FROM app.\(table)"))
    }

    @Test("a code makes one account and one session", arguments: steps, [false, true])
    func code(step: String, atCommit: Bool) throws {
        let up = try post(
            "sign-up",
            ["email": Self.address, "password": Self.password, "fullName": "Ada"])
        let body = try ["ticket": #require(try up.field("ticket")), "code": mailed().code]
        try kill(at: step, atCommit, asking: "email/verify", body)
        let again = try post("email/verify", body)
        #expect([200, 410].contains(again.status), "\(again.text)")
        #expect(try count("users") == 1 && count("email_sign_ins") == 1)
        #expect(try count("sessions") == 1 && count("refresh_tokens") == 1)
        let entered = try post("sign-in", ["email": Self.address, "password": Self.password])
        #expect(entered.status == 200, "\(entered.text)")
    }

    @Test(
        "a link sets one password, and one of two works",
        arguments: ["AFTER UPDATE ON app.mailed_tickets", "AFTER UPDATE ON app.passwords"],
        [false, true])
    func reset(step: String, atCommit: Bool) throws {
        let up = try post(
            "sign-up", ["email": Self.address, "password": Self.password, "fullName": "Ada"])
        let signedIn = try post(
            "email/verify",
            ["ticket": #require(try up.field("ticket")), "code": mailed().code])
        #expect(signedIn.status == 200)
        _ = try post("password/forgot", ["email": Self.address])
        let other = "terns circle the 9 grey piers"
        let body = try ["token": mailed().linkToken, "password": other]
        try kill(at: step, atCommit, asking: "password/reset", body)
        let works = try [Self.password, other].map {
            try post("sign-in", ["email": Self.address, "password": $0]).status
        }
        #expect(works == [200, 401] || works == [401, 200], "\(works)")
        let again = try post("password/reset", body)
        #expect(again.status == (works[0] == 200 ? 200 : 410), "\(again.text)")
        #expect(
            try post("sign-in", ["email": Self.address, "password": other]).status == 200)
    }
}
