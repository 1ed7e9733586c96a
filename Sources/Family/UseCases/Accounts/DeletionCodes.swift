package import Crypto
package import Domain

/// The codes that confirm the erasure of an account.
package struct DeletionCodes: Sendable {
    /// How long a code is valid at least.
    package static let validSeconds = MailedCodes.validSeconds

    private let codes: MailedCodes

    /// - Parameter secrets: Newest first. Codes are made with the newest; the others' are still
    ///   recognised.
    package init(_ secrets: [[UInt8]]) throws(CryptoError) {
        codes = try MailedCodes(secrets, label: "hearth: codes that confirm an erasure")
    }

    /// Six digits.
    package func code(
        of user: UserID, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> String {
        try codes.code("\(user)", address, seconds: secondsSince1970)
    }

    /// Whether this is a code that is valid now.
    func isRight(
        _ typed: MailedCode, of user: UserID, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> Bool {
        try codes.isRight(typed, "\(user)", address, seconds: secondsSince1970)
    }
}
