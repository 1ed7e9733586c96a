import Crypto
import Domain

/// A token that continues a session: opaque to clients, and replaced at each use.
///
/// Its parts are the session, the generation, a seed that only the client stores, and HMAC-SHA256
/// of these three. The next token is derived from this one, so a token always has the same
/// successors. The database stores only the hash of the newest token. Because the seed is nowhere
/// else, neither the database nor the secret key is enough to forge a token.
struct RefreshToken: Sendable, Equatable {
    let session: SessionID
    let generation: Int32
    private let seed: [UInt8]
    private let code: [UInt8]

    private static let seedBytes = 32
    private static let codeBytes = 32
    private static let bytes = 16 + 4 + seedBytes + codeBytes

    /// The first token of a session.
    init(of session: SessionID, _ keys: SignInKeys) throws(CryptoError) {
        try self.init(
            session, generation: 0, seed: try .random(count: Self.seedBytes),
            keys.refreshTokens[0])
    }

    private init(
        _ session: SessionID, generation: Int32, seed: [UInt8], _ key: HMACKey
    ) throws(CryptoError) {
        self.session = session
        self.generation = generation
        self.seed = seed
        code = try key.authenticate(Self.message(session, generation, seed))
    }

    /// Parses a token; nil if the text does not have its form.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.bytes, let bytes = Base64URL.decode(text),
            bytes.count == Self.bytes
        else { return nil }
        session = SessionID(rawValue: bytes[..<16].reduce(0) { $0 << 8 | UInt128($1) })
        let number = bytes[16..<20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let generation = Int32(exactly: number) else { return nil }
        self.generation = generation
        seed = Array(bytes[20..<20 + Self.seedBytes])
        code = Array(bytes[(20 + Self.seedBytes)...])
    }

    var text: String { Base64URL.text(Self.message(session, generation, seed) + code) }

    /// The hash that the database stores.
    var hash: SHA256Digest { SHA256Digest(of: text) }

    /// Whether one of the keys made the token.
    func isAuthentic(_ keys: SignInKeys) throws(CryptoError) -> Bool {
        let message = Self.message(session, generation, seed)
        for key in keys.refreshTokens where try key.isValid(code, for: message.span) {
            return true
        }
        return false
    }

    /// Candidates for the newest token: the next one made with each of the keys, the newest key
    /// first, then the tokens that follow from those.
    func descendants(_ keys: SignInKeys) throws(CryptoError) -> [RefreshToken] {
        let successors = try successors(keys)
        var tokens = successors
        for successor in successors { tokens += try successor.successors(keys) }
        return tokens
    }

    private func successors(_ keys: SignInKeys) throws(CryptoError) -> [RefreshToken] {
        var tokens: [RefreshToken] = []
        guard generation < .max else { return tokens }
        for key in keys.refreshTokens {
            tokens.append(
                try RefreshToken(session, generation: generation + 1, seed: seed, key))
        }
        return tokens
    }

    private static func message(
        _ session: SessionID, _ generation: Int32, _ seed: [UInt8]
    ) -> [UInt8] {
        let id = (0..<16).map { UInt8(truncatingIfNeeded: session.rawValue >> (120 - $0 * 8)) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - $0 * 8)) }
        return id + number + seed
    }
}
