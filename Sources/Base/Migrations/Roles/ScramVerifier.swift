import Crypto

/// PostgreSQL's stored form of a password (RFC 5803), which is enough to check a password but not
/// to log in.
///
/// It is computed here, so that the password is never sent to the server, whose log may show the
/// statement that sets it.
struct ScramVerifier: Equatable {
    private let iterations: Int
    private let salt: [UInt8]
    private let storedKey: [UInt8]
    private let serverKey: [UInt8]

    /// The server's default (SCRAM_DEFAULT_ITERATIONS).
    static let defaultIterations = 4096

    /// Creates the verifier of a password.
    ///
    /// The password is used without normalisation (RFC 4013), which is correct only for ASCII.
    init(
        password: String, salt: [UInt8], iterations: Int = defaultIterations
    ) throws(CryptoError) {
        let key = try HMACKey(Array(password.utf8))
        var block = try key.authenticate(salt + [0, 0, 0, 1])
        var salted = block
        for _ in 1..<iterations {
            block = try key.authenticate(block)
            for index in salted.indices { salted[index] ^= block[index] }
        }
        let saltedKey = try HMACKey(salted)
        let clientKey = try saltedKey.authenticate(Array("Client Key".utf8))
        storedKey = SHA256Digest(of: clientKey).bytes
        serverKey = try saltedKey.authenticate(Array("Server Key".utf8))
        self.salt = salt
        self.iterations = iterations
    }

    /// The form in which PostgreSQL stores the verifier, and accepts it in place of a password.
    var text: String {
        "SCRAM-SHA-256$\(iterations):\(Base64.text(salt))"
            + "$\(Base64.text(storedKey)):\(Base64.text(serverKey))"
    }

    /// Whether a stored verifier belongs to this password. False for any other kind of entry.
    static func matches(_ stored: String, password: String) throws(CryptoError) -> Bool {
        let parts = stored.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "SCRAM-SHA-256" else { return false }
        let head = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard head.count == 2, let iterations = Int(head[0]), (1...1_000_000).contains(iterations),
            let salt = Base64.decode(head[1])
        else { return false }
        let verifier = try ScramVerifier(password: password, salt: salt, iterations: iterations)
        return constantTimeEqual(Array(verifier.text.utf8), Array(stored.utf8))
    }
}

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    static func text(_ bytes: [UInt8]) -> String {
        let unpadded = Base64URL.text(bytes).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return String(unpadded) + String(repeating: "=", count: (4 - unpadded.count % 4) % 4)
    }

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var word = ""
        for character in text where character != "=" {
            switch character {
            case "+": word.append("-")
            case "/": word.append("_")
            default: word.append(character)
            }
        }
        return Base64URL.decode(word)
    }
}
