package import Crypto

/// The keys from which sign-in derives its tokens and codes. They never reach the database.
///
/// Each of Hearth's secret keys gives one key for each purpose, so nothing made for one purpose can
/// be used for another. New tokens and codes are made with the newest; those made with the others
/// are still accepted.
package struct SignInKeys: Sendable {
    let refreshTokens: [HMACKey]
    let links: [HMACKey]
    let codes: [HMACKey]
    let providerTokens: [SealingKey]
    /// Keys that authenticate the cookie of Hearth's pages.
    package let pageCookies: [HMACKey]
    /// Keys that authenticate the forms of Hearth's pages.
    package let pageForms: [HMACKey]
    let challenges: [HMACKey]
    let returnPaths: [SealingKey]
    /// Keys that seal the cookies of sign-ins with a provider on pages.
    package let providerSignIns: [SealingKey]
    let pageTickets: [SealingKey]

    /// - Parameter secrets: At least one, newest first.
    package init(_ secrets: [[UInt8]]) throws(CryptoError) {
        refreshTokens = try Self.keys(secrets, "refresh token")
        links = try Self.keys(secrets, "mailed link")
        codes = try Self.keys(secrets, "mailed code")
        providerTokens = try Self.sealingKeys(secrets, "provider token")
        returnPaths = try Self.sealingKeys(secrets, "return path of a mailed link")
        providerSignIns = try Self.sealingKeys(secrets, "sign-in with a provider")
        pageTickets = try Self.sealingKeys(secrets, "page ticket")
        pageCookies = try Self.keys(secrets, "cookie of pages")
        pageForms = try Self.keys(secrets, "form of pages")
        challenges = try Self.keys(secrets, "passkey challenge")
    }

    private static func keys(
        _ secrets: [[UInt8]], _ purpose: String
    ) throws(CryptoError) -> [HMACKey] {
        precondition(!secrets.isEmpty, "the setting has at least one key")
        var keys: [HMACKey] = []
        for secret in secrets {
            keys.append(try HMACKey(try derived(secret, purpose)))
        }
        return keys
    }

    private static func sealingKeys(
        _ secrets: [[UInt8]], _ purpose: String
    ) throws(CryptoError) -> [SealingKey] {
        var keys: [SealingKey] = []
        for secret in secrets { keys.append(try SealingKey(try derived(secret, purpose))) }
        return keys
    }

    private static func derived(
        _ secret: [UInt8], _ purpose: String
    ) throws(CryptoError) -> [UInt8] {
        try HMACKey(secret).authenticate(Array("hearth sign-in: \(purpose)".utf8))
    }
}
