package import Crypto
package import Domain

/// Codes of six digits that are mailed to an address to prove that its owner reads the e-mail.
///
/// A code is derived from a key that never reaches the database, from its purpose and from the
/// time, so nothing has to be stored. It is valid in the ten-minute window in which it is made and
/// in the next one. `Use` is the purpose of a code; a code proves nothing else.
package struct MailedCodes<Use: CustomStringConvertible>: Sendable {
    /// Minimum validity of a code, in seconds.
    package static var validSeconds: Int64 { 600 }

    private let keys: [HMACKey]

    /// - Parameters:
    ///   - secrets: Newest first. Codes are made with the newest; codes made with the others are
    ///     still accepted.
    ///   - label: Separates the codes of one kind from those of another.
    init(_ secrets: [[UInt8]], label: String) throws(CryptoError) {
        var keys: [HMACKey] = []
        for secret in secrets {
            keys.append(try HMACKey(try HMACKey(secret).authenticate(Array(label.utf8))))
        }
        self.keys = keys
    }

    /// Returns the code for a time: six digits.
    package func code(
        for use: Use, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> String {
        guard let newest = keys.first else { return "" }
        return try Self.code(newest, use, secondsSince1970 / Self.validSeconds, address)
    }

    /// Whether this code is valid now.
    func matches(
        _ typed: MailedCode, for use: Use, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> Bool {
        var matches = false
        let period = secondsSince1970 / Self.validSeconds
        for key in keys {
            for period in [period, period - 1] {
                let code = try Self.code(key, use, period, address)
                if constantTimeEqual(Array(code.utf8), Array(typed.digits.utf8)) { matches = true }
            }
        }
        return matches
    }

    private static func code(
        _ key: HMACKey, _ use: Use, _ period: Int64, _ address: String
    ) throws(CryptoError) -> String {
        let bytes = try key.authenticate(Array("\(use) \(period) \(address)".utf8))
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

/// The codes that confirm the erasure of an account.
package typealias DeletionCodes = MailedCodes<UserID>

/// The codes with which a guardian proves a consent.
package typealias ConsentCodes = MailedCodes<ConsentUse>

/// A consent that a code proves.
package struct ConsentUse: Sendable, Equatable, CustomStringConvertible {
    package let guardian: UserID
    package let child: UserID
    package let purpose: String
    /// The version of the purpose's text.
    package let version: String
    /// Number of times that the consent was given or ended before. A code is valid for one consent,
    /// and a withdrawal invalidates it.
    package let generation: Int

    package init(
        guardian: UserID, child: UserID, purpose: String, version: String, generation: Int
    ) {
        self.guardian = guardian
        self.child = child
        self.purpose = purpose
        self.version = version
        self.generation = generation
    }

    package var description: String {
        "\(guardian) \(child) \(purpose) \(version) \(generation)"
    }
}

extension MailedCode {
    /// - Throws: ``Refusal``: `codeMalformed` if the text can't be a mailed code.
    init(judging typed: String) throws(Refusal) {
        guard let code = MailedCode(typed) else { throw Refusal(.codeMalformed, .mailedCode) }
        self = code
    }
}
