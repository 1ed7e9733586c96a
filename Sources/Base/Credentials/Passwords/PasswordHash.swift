import CSodium

/// Hashes passwords with Argon2id (RFC 9106), as text that contains parameters and salt.
package enum PasswordHash {
    /// A hash can't be computed, for lack of memory or of a working libsodium.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package var description: String { "A password could not be hashed" }
    }

    /// 19 MiB, two passes, one lane: the minimum of OWASP's Password Storage Cheat Sheet.
    private static let memoryBytes = 19 << 20
    private static let passes: UInt64 = 2
    private static let length = 128

    private static let isReady = sodium_init() >= 0

    /// A hash of no account's password, with the current parameters: comparing with it takes as
    /// long as comparing with a real one.
    package static let dummyHash: String? = try? make(of: Array("nobody's".utf8))

    /// Hashes a password with a new salt.
    package static func make(of password: [UInt8]) throws(Failure) -> String {
        guard isReady else { throw Failure() }
        var text = [CChar](repeating: 0, count: length)
        let characters = password.map { CChar(bitPattern: $0) }
        let code = crypto_pwhash_argon2id_str(
            &text, characters, UInt64(characters.count), passes, memoryBytes)
        guard code == 0 else { throw Failure() }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
    }

    /// Whether a hash belongs to this password.
    package static func isValid(_ hash: String, for password: [UInt8]) -> Bool {
        guard isReady, hash.utf8.count < length else { return false }
        let characters = password.map { CChar(bitPattern: $0) }
        return crypto_pwhash_argon2id_str_verify(hash, characters, UInt64(characters.count)) == 0
    }

    /// Whether a hash was made with parameters other than the current ones.
    package static func isOutdated(_ hash: String) -> Bool {
        isReady && crypto_pwhash_argon2id_str_needs_rehash(hash, passes, memoryBytes) != 0
    }
}
