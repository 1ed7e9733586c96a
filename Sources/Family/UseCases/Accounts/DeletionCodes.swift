package import Crypto
package import Domain

/// The codes that confirm the erasure of an account.
///
/// A code is derived from a key that never reaches the database, the account, its address and the
/// time, so nothing has to be stored. It is valid in the ten minutes in which it is made and in the
/// following ten.
package struct DeletionCodes: Sendable {
    /// How long a code is valid at least.
    package static let validSeconds: Int64 = 600

    private let keys: [HMACKey]

    /// - Parameter secrets: Newest first. Codes are made with the newest; the others' are still
    ///   recognised.
    package init(_ secrets: [[UInt8]]) throws(CryptoError) {
        var keys: [HMACKey] = []
        for secret in secrets {
            let label = Array("hearth: codes that confirm an erasure".utf8)
            keys.append(try HMACKey(try HMACKey(secret).authenticate(label)))
        }
        self.keys = keys
    }

    /// Six digits.
    package func code(
        of user: UserID, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> String {
        guard let newest = keys.first else { return "" }
        return try Self.code(newest, user, address, secondsSince1970 / Self.validSeconds)
    }

    /// Whether this is a code that is valid now.
    func isRight(
        _ typed: String, of user: UserID, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> Bool {
        var isRight = false
        let period = secondsSince1970 / Self.validSeconds
        for key in keys {
            for period in [period, period - 1] {
                let code = try Self.code(key, user, address, period)
                if constantTimeEqual(Array(code.utf8), Array(typed.utf8)) { isRight = true }
            }
        }
        return isRight
    }

    private static func code(
        _ key: HMACKey, _ user: UserID, _ address: String, _ period: Int64
    ) throws(CryptoError) -> String {
        let bytes = try key.authenticate(Array("\(user) \(period) \(address)".utf8))
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
