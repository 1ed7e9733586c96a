import Crypto
import Domain
import Postgres
import TestSupport
import Testing
import UseCases

/// Codes and links that the worker would mail, computed from the job as the worker does.
extension Site {
    /// The code and link of the newest e-mail token of an address.
    func mailed(to email: String) throws -> MailedSecrets {
        let connection = try Connection(test.settings())
        let rows = try connection.query(
            """
            SELECT id, link_hash FROM app.email_tokens WHERE email = \(email)
            ORDER BY opened_at DESC, id LIMIT 1
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(PostgresBytes.self))
        }
        let (id, hash) = try #require(rows.first)
        let jobs = try connection.query(
            """
            SELECT count(*) FROM jobs.live
            WHERE kind = 'mail.ticket' AND payload ->> 'ticket' = \(EmailTokenID(rawValue: id).description)
            """
        ).scalar(Int.self)
        try #require(jobs == 1)
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        return try #require(
            try keys.secrets(of: EmailTokenID(rawValue: id), havingLinkHash: hash.bytes))
    }

    /// Return path of the newest e-mail token of an address, as the worker reads it.
    func returnPath(mailedTo email: String) throws -> String? {
        let rows = try Connection(test.settings()).query(
            """
            SELECT id, return_path FROM app.email_tokens WHERE email = \(email)
            ORDER BY opened_at DESC, id LIMIT 1
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(UInt128.self), try row.read(PostgresBytes?.self))
        }
        let (id, sealed) = try #require(rows.first)
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        return try sealed.flatMap {
            try keys.returnPath(in: $0.bytes, of: EmailTokenID(rawValue: id))?.text
        }
    }

    /// Sends the request again while too many passwords are being checked, as a client does.
    func auth(_ route: String, _ body: String, client: String? = nil) throws -> Answer {
        try patiently {
            try send(
                "POST", "/api/auth/\(route)", body: body,
                headers: client.map { ["X-Forwarded-For": $0] } ?? [:])
        }
    }

    func patiently(_ ask: () throws -> Answer) throws -> Answer {
        for _ in 0..<10_000 {
            let answer = try ask()
            if answer.status != 503 { return answer }
        }
        throw TimedOut()
    }

    /// Opens a ticket for an address and returns it.
    func ticket(for email: String, client: String? = nil) throws -> String {
        let answer = try auth("email", #"{"email": "\#(email)"}"#, client: client)
        try #require(answer.status == 202, "\(answer)")
        return try #require(answer.text("ticket"))
    }

    func verify(_ ticket: String, _ code: String) throws -> Answer {
        try auth("email/verify", #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#)
    }

    func signIn(_ email: String, _ password: String, client: String? = nil) throws -> Answer {
        try auth(
            "sign-in", #"{"email": "\#(email)", "password": "\#(password)"}"#, client: client)
    }

    static let password = "gull kettle north 88 moss"

    /// An address that no account has.
    static func address() -> String { "\(UserID.random())@example.com" }
}
