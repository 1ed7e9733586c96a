import Domain
import Postgres
import TestSupport
import Testing
import UseCases

extension LiveServer {
    /// Returns the code that was last mailed to an address.
    func mailedCode(to email: String) throws -> String {
        let rows = try Connection(test.settings()).query(
            """
            SELECT id, link_hash FROM app.email_tokens WHERE email = \(email)
            ORDER BY opened_at DESC LIMIT 1
            """
        ).map { (row) throws(PostgresError) in
            (EmailTokenID(rawValue: try row.read(UInt128.self)), try row.read(PostgresBytes.self))
        }
        let (id, hash) = try #require(rows.first)
        let keys = try SignInKeys([Array(String(repeating: "k", count: 40).utf8)])
        return try #require(try keys.secrets(of: id, havingLinkHash: hash.bytes)).code
    }
}
