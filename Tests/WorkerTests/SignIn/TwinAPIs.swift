import Domain
import Foundation
import Identity
import JSON
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCases

/// Two processes of the API with the same database, keys and public address.
struct TwinAPIs: Sendable {
    let office: PostOffice
    let api: APIProcess
    /// The process that tests kill.
    let victim: APIProcess
    let site: String

    static let password = "gull kettle north 88 moss"
    static let otherPassword = "terns circle the 9 grey piers"
    static let address = "ada@example.org"

    /// - Parameter more: Further settings of both processes.
    init(_ more: [String: String] = [:]) throws {
        office = try PostOffice()
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        let port = try FreePort.find()
        // Passkeys are bound to host names, not to numeric addresses.
        site = "http://localhost:\(port)"
        let settings = ["HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": site]
            .merging(more) { $1 }
        api = try APIProcess(office, at: port, settings)
        victim = try APIProcess(office, settings)
    }

    /// The two processes in turn.
    subscript(index: Int) -> APIProcess { index.isMultiple(of: 2) ? api : victim }

    func post(
        _ route: String, _ body: [String: String], at process: APIProcess? = nil
    ) throws -> APIProcess.Answer {
        try (process ?? api).send("POST", "/api/auth/" + route, body: body)
    }

    /// Repeats a request while too many passwords are being hashed, as a client does.
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

    /// Creates an account with a password; returns the response with its session.
    func signUp() throws -> APIProcess.Answer {
        let opened = try post(
            "sign-up",
            ["email": Self.address, "password": Self.password, "fullName": "Ada"])
        let ticket = try #require(try opened.field("ticket"))
        let answer = try post("email/verify", ["ticket": ticket, "code": mailed().code])
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// The code and link that the worker would mail for the newest e-mail token.
    func mailed() throws -> MailedSecrets {
        let connection = try Connection(office.test.settings())
        let rows = try connection.query(
            "SELECT id, link_hash FROM app.email_tokens ORDER BY opened_at DESC LIMIT 1"
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(PostgresBytes.self))
        }
        let (id, hash) = try #require(rows.first)
        let keys = try SignInKeys([Array(PostOffice.secret.utf8)])
        return try #require(
            try keys.secrets(of: EmailTokenID(rawValue: id), havingLinkHash: hash.bytes))
    }

    /// Moment at which a process is killed: at a step of a transaction, or at its commit.
    struct Moment: Sendable, CustomTestStringConvertible {
        let event: String
        let isCommit: Bool

        var testDescription: String { isCommit ? "commit" : event }

        /// A moment for each of these steps, and one for the commit.
        static func each(of events: String...) -> [Moment] {
            events.map { Moment(event: $0, isCommit: false) }
                + events.suffix(1).map { Moment(event: $0, isCommit: true) }
        }
    }

    /// Sends the victim a request and kills it at the given moment.
    func kill(
        at moment: Moment,
        asking ask: @escaping @Sendable (APIProcess) throws -> APIProcess.Answer
    ) throws {
        let gate = try StatementGate(
            office.test, moment.event, atCommit: moment.isCommit)
        let asking = inBackground { [victim] in
            // The request gets no response.
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

    /// Tokens in a response with a session.
    var accessToken: String { get throws { try json["access_token"].string() } }
    var refreshToken: String { get throws { try json["refresh_token"].string() } }
}
