import Crypto
package import Postgres

/// The secret of a session in the console, or of a one-time link. Only its hash is stored.
package struct ConsoleToken: Sendable {
    /// The token as the text of a cookie or link.
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

    /// Hash of the token, by which the database identifies it.
    package var hash: PostgresBytes { PostgresBytes(SHA256Digest(of: text).bytes) }

    /// Token in the forms of this session's pages, derived from the secret. Other sites can't read
    /// it, so they can't forge a form.
    package var formToken: String {
        Base64URL.text(SHA256Digest(of: "hearth console form: " + text).bytes)
    }

    /// Whether a form's token belongs to this session.
    package func accepts(form token: String) -> Bool {
        constantTimeEqual(Array(token.utf8), Array(formToken.utf8))
    }
}
