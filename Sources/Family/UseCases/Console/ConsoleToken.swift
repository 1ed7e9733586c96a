import Crypto
package import Postgres

/// The secret of a session in the console, or of a one-time link. Only its hash is stored.
package struct ConsoleToken: Sendable {
    /// The token as a cookie and a link have it.
    package let text: String

    private static let bytes = 32

    /// Creates a new token from random bytes.
    package static func random() throws -> ConsoleToken {
        ConsoleToken(text: Base64URL.text(try [UInt8].random(count: bytes)))
    }

    /// Parses what a browser has sent; nil if it can't be a token.
    package init?(_ text: String) {
        guard text.utf8.count == 43, Base64URL.decode(text)?.count == Self.bytes else { return nil }
        self.text = text
    }

    private init(text: String) { self.text = text }

    /// Hash of the token, by which the database knows it.
    package var hash: PostgresBytes { PostgresBytes(SHA256Digest(of: text).bytes) }

    /// The text that the forms of this session's pages carry. Only a page that the browser got with
    /// this session has it.
    package var formToken: String {
        Base64URL.text(SHA256Digest(of: "hearth console form: " + text).bytes)
    }

    /// Whether a form's text was made for this session.
    package func accepts(form token: String) -> Bool {
        constantTimeEqual(Array(token.utf8), Array(formToken.utf8))
    }
}
