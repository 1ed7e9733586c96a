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

extension ConsoleToken {
    /// Seconds for which the address of a search's results works.
    package static let searchSeconds: Int64 = 3_600

    /// Encrypts the text of a search for the address of its results, or another text that a page
    /// shows and its address must not reveal.
    ///
    /// The key is derived from the session's secret, which only the browser stores. So neither a
    /// log of addresses nor the database reveals the text, and only this session can open it.
    /// - Parameter now: Seconds since 1970.
    package func sealedSearch(_ text: String, now: Int64) throws -> String {
        let end = withUnsafeBytes(of: (now + Self.searchSeconds).bigEndian) { Array($0) }
        let key = try searchKey()
        return Base64URL.text(try key.seal(end + Array(text.utf8), for: Self.searchContext))
    }

    /// Returns the text of a search; nil if its time is over, or if another session sealed it.
    ///
    /// - Parameter now: Seconds since 1970.
    package func search(_ sealed: String, now: Int64) throws -> String? {
        guard let bytes = Base64URL.decode(sealed) else { return nil }
        let key = try searchKey()
        guard let content = try key.open(bytes, for: Self.searchContext), content.count >= 8
        else { return nil }
        let end = content.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return now < end ? String(decoding: content.dropFirst(8), as: UTF8.self) : nil
    }

    private static let searchContext = Array("hearth console search".utf8)

    private func searchKey() throws -> SealingKey {
        try SealingKey(SHA256Digest(of: "hearth console search: " + text).bytes)
    }
}
