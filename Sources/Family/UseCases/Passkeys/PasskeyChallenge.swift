import Crypto
import Domain

/// A challenge that a passkey signs: random, for one purpose, for a few minutes.
///
/// It is not stored. It contains its expiry, and an HMAC-SHA256 over purpose, account and the rest
/// proves that it was made here. The database accepts each challenge only once.
package struct PasskeyChallenge: Sendable {
    /// The purpose of a challenge.
    package enum Purpose: String, Sendable, CaseIterable {
        /// Adding a passkey to an account.
        case register
        /// Signing in.
        case assert
    }

    /// The purpose of a challenge in the operators' console, which has passkeys of its own.
    enum ConsolePurpose: String, Sendable {
        /// Adding a passkey to an operator.
        case register = "console-register"
        /// Signing in, or, with an account, confirming who the operator of a session is.
        case assert = "console-assert"
    }

    /// Validity of a challenge, in seconds.
    package static let seconds: Int64 = 600

    private static let nonceBytes = 16
    private static let signedBytes = nonceBytes + 8
    private static let bytes = signedBytes + 32

    /// Nonce, expiry and HMAC: the bytes that the authenticator signs.
    package let bytes: [UInt8]
    let expires: Timestamp

    var hash: SHA256Digest { SHA256Digest(of: bytes) }

    /// Creates a new challenge, for an account if the purpose is to register.
    init(
        _ purpose: Purpose, for account: UserID?, now: Int64, _ keys: SignInKeys
    ) throws(CryptoError) {
        try self.init(named: purpose.rawValue, account, now, keys)
    }

    /// Creates a new challenge for the console.
    init(
        console purpose: ConsolePurpose, for account: UserID?, now: Int64, _ keys: SignInKeys
    ) throws(CryptoError) {
        try self.init(named: purpose.rawValue, account, now, keys)
    }

    private init(
        named purpose: String, _ account: UserID?, _ now: Int64, _ keys: SignInKeys
    ) throws(CryptoError) {
        let end = now + Self.seconds
        expires = Timestamp(microseconds: end * 1_000_000)
        let signed =
            try .random(count: Self.nonceBytes)
            + (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - $0 * 8)) }
        bytes =
            signed + (try keys.challenges[0].authenticate(Self.message(purpose, account, signed)))
    }

    /// Verifies an answered challenge; nil if it has expired or was not made here for this purpose.
    init?(
        answered bytes: [UInt8], _ purpose: Purpose, for account: UserID?, now: Int64,
        _ keys: SignInKeys
    ) throws(CryptoError) {
        try self.init(answered: bytes, named: purpose.rawValue, account, now, keys)
    }

    /// Verifies an answered challenge of the console.
    init?(
        answered bytes: [UInt8], console purpose: ConsolePurpose, for account: UserID?, now: Int64,
        _ keys: SignInKeys
    ) throws(CryptoError) {
        try self.init(answered: bytes, named: purpose.rawValue, account, now, keys)
    }

    private init?(
        answered bytes: [UInt8], named purpose: String, _ account: UserID?, _ now: Int64,
        _ keys: SignInKeys
    ) throws(CryptoError) {
        guard bytes.count == Self.bytes else { return nil }
        let signed = Array(bytes.prefix(Self.signedBytes))
        let message = Self.message(purpose, account, signed)
        var isAuthentic = false
        for key in keys.challenges
        where try key.isValid(Array(bytes.dropFirst(Self.signedBytes)), for: message.span) {
            isAuthentic = true
        }
        let end = signed.dropFirst(Self.nonceBytes).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // A challenge that ends later than a new one would was made by a clock that was ahead.
        guard isAuthentic, end > now, end <= now + Self.seconds + 60 else { return nil }
        self.bytes = bytes
        expires = Timestamp(microseconds: end * 1_000_000)
    }

    private static func message(
        _ purpose: String, _ account: UserID?, _ signed: [UInt8]
    ) -> [UInt8] {
        Array("\(purpose) \(account?.description ?? "anybody") ".utf8) + signed
    }
}
