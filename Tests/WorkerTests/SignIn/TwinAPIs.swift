import Domain
import Foundation
import Identity
import JSON
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCases

/// Two processes of the API over one database, with the same keys and the same public address.
struct TwinAPIs: Sendable {
    let office: PostOffice
    let api: APIProcess
    /// The one that is killed.
    let victim: APIProcess
    let site: String

    static let password = "gull kettle north 88 moss"
    static let otherPassword = "terns circle the 9 grey piers"
    static let address = "ada@example.org"

    /// - Parameter more: Further settings of both.
    init(_ more: [String: String] = [:]) throws {
        office = try PostOffice()
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        let port = try FreePort.find()
        // Passkeys belong to names, not to addresses in numbers.
        site = "http://localhost:\(port)"
        let settings = ["HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": site]
            .merging(more) { $1 }
        api = try APIProcess(office, at: port, settings)
        victim = try APIProcess(office, settings)
    }

    /// One of both, in turn.
    subscript(index: Int) -> APIProcess { index.isMultiple(of: 2) ? api : victim }

    func post(
        _ route: String, _ body: [String: String], at process: APIProcess? = nil
    ) throws -> APIProcess.Answer {
        try (process ?? api).send("POST", "/api/auth/" + route, body: body)
    }

    /// Sends it again while too many passwords are being hashed, as a client does.
    func patiently(_ ask: () throws -> APIProcess.Answer) throws -> APIProcess.Answer {
        for _ in 0..<10_000 {
            let answer = try ask()
            if answer.status != 503 { return answer }
        }
        throw TimedOut()
    }

    func signIn(
        _ password: String, at process: APIProcess? = nil
    ) throws -> APIProcess.Answer {
        try patiently {
            try post(
                "sign-in", ["email": Self.address, "password": password], at: process)
        }
    }

    /// An account with a password; the answer with its session.
    func signUp() throws -> APIProcess.Answer {
        let opened = try post(
            "sign-up",
            ["email": Self.address, "password": Self.password, "fullName": "Ada"])
        let ticket = try #require(try opened.field("ticket"))
        let answer = try post("email/verify", ["ticket": ticket, "code": mailed().code])
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// What the worker would mail for the newest ticket.
    func mailed() throws -> MailedSecrets {
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

    /// When a process is killed: at a step of a transaction, or at its commit.
    struct Moment: Sendable, CustomTestStringConvertible {
        let event: String
        let isCommit: Bool

        var testDescription: String { isCommit ? "commit" : event }

        /// At each of these steps, and at the commit.
        static func each(of events: String...) -> [Moment] {
            events.map { Moment(event: $0, isCommit: false) }
                + events.suffix(1).map { Moment(event: $0, isCommit: true) }
        }
    }

    /// Has the victim asked something, and kills it at that moment.
    func kill(
        at moment: Moment,
        asking ask: @escaping @Sendable (APIProcess) throws -> APIProcess.Answer
    ) throws {
        let gate = try StatementGate(
            office.test, moment.event, atCommit: moment.isCommit)
        let asking = inBackground { [victim] in
            // It gets no answer.
            _ = try? ask(victim)
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

    func count(_ table: String, where condition: String = "true") throws -> Int {
        try office.count(SQL(unsafe: "SELECT count(*) FROM app.\(table) WHERE \(condition)"))
    }
}

extension APIProcess.Answer {
    var json: JSONField { get throws { JSONField(try JSONValue(parsing: Array(body))) } }

    /// What an answer with a session has.
    var accessToken: String { get throws { try json["access_token"].string() } }
    var refreshToken: String { get throws { try json["refresh_token"].string() } }
}
