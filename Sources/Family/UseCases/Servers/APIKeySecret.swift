package import Crypto

/// An API key: `hk_` and 32 random bytes in base64url. The prefix lets scanners for leaked secrets
/// find it. The database stores only its SHA-256.
package struct APIKeySecret: Sendable {
    package static let prefix = "hk_"
    private static let randomBytes = 32
    private static let randomCharacters = 43

    /// The key as its owner stores it.
    package let text: String

    /// Creates a new key.
    package init() throws(CryptoError) {
        text = Self.prefix + Base64URL.text(try [UInt8].random(count: Self.randomBytes))
    }

    /// Reads a key; nil for a text of another form.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            text.utf8.count == Self.prefix.utf8.count + Self.randomCharacters,
            Base64URL.decode(String(text.dropFirst(Self.prefix.count)))?.count == Self.randomBytes
        else { return nil }
        self.text = text
    }

    /// The hash that the database stores.
    package var hash: SHA256Digest { SHA256Digest(of: text) }
}
