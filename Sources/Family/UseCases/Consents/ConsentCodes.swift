package import Crypto
package import Domain

/// The codes by which a guardian proves a consent.
package struct ConsentCodes: Sendable {
    /// How long a code is valid at least.
    package static let validSeconds = MailedCodes.validSeconds

    /// What a code is for: nothing else can be proved with it.
    package struct Use: Sendable, Equatable {
        package let guardian: UserID
        package let child: UserID
        package let purpose: String
        /// The version of the purpose's text.
        package let version: String
        /// How often the consent was given or ended before: a code counts once, and a withdrawal
        /// ends it.
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

        fileprivate var text: String {
            "\(guardian) \(child) \(purpose) \(version) \(generation)"
        }
    }

    private let codes: MailedCodes

    init(_ secrets: [[UInt8]]) throws(CryptoError) {
        codes = try MailedCodes(secrets, label: "hearth: codes that prove a consent")
    }

    /// Six digits.
    package func code(
        for use: Use, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> String {
        try codes.code(use.text, address, seconds: secondsSince1970)
    }

    /// Whether this is a code that is valid now.
    func isRight(
        _ typed: MailedCode, for use: Use, at address: String, secondsSince1970: Int64
    ) throws(CryptoError) -> Bool {
        try codes.isRight(typed, use.text, address, seconds: secondsSince1970)
    }
}
