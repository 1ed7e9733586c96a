import Crypto
import Domain

/// Codes of six digits that are mailed to an address to prove that the person reads what is sent
/// there.
///
/// A code is derived from a key that never reaches the database, from what it is about and from the
/// time, so nothing has to be stored. It is valid in the ten minutes in which it is made and in the
/// following ten.
struct MailedCodes: Sendable {
    /// How long a code is valid at least.
    static let validSeconds: Int64 = 600

    private let keys: [HMACKey]

    /// - Parameters:
    ///   - secrets: Newest first. Codes are made with the newest; the others' are still recognised.
    ///   - label: Tells the codes of one use from those of another.
    init(_ secrets: [[UInt8]], label: String) throws(CryptoError) {
        var keys: [HMACKey] = []
        for secret in secrets {
            keys.append(try HMACKey(try HMACKey(secret).authenticate(Array(label.utf8))))
        }
        self.keys = keys
    }

    /// The code of a moment for what is about to be proved.
    func code(_ subject: String, _ context: String, seconds: Int64) throws(CryptoError) -> String {
        guard let newest = keys.first else { return "" }
        return try Self.code(newest, subject, seconds / Self.validSeconds, context)
    }

    /// Whether this is a code that is valid now.
    func isRight(
        _ typed: MailedCode, _ subject: String, _ context: String, seconds: Int64
    ) throws(CryptoError) -> Bool {
        var isRight = false
        let period = seconds / Self.validSeconds
        for key in keys {
            for period in [period, period - 1] {
                let code = try Self.code(key, subject, period, context)
                if constantTimeEqual(Array(code.utf8), Array(typed.digits.utf8)) { isRight = true }
            }
        }
        return isRight
    }

    private static func code(
        _ key: HMACKey, _ subject: String, _ period: Int64, _ context: String
    ) throws(CryptoError) -> String {
        let bytes = try key.authenticate(Array("\(subject) \(period) \(context)".utf8))
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
