package import Crypto

/// A request that its sender may repeat without its having a second effect.
///
/// A key belongs to an account, the member acted for, and a route. It is kept for 24 hours.
package struct IdempotentRequest: Sendable {
    /// Characters that a key may have.
    package static let allowedKeyLengths = 1...255

    /// Method and path pattern, at most 200 bytes.
    package let route: String
    package let key: String
    /// The digest of everything that distinguishes requests on the same route.
    package let digest: SHA256Digest
    /// The latest format of kept answers that this program reads.
    package let latestFormat: Int16

    /// Nil for a key that is empty or too long.
    package init?(route: String, key: String, digest: SHA256Digest, latestFormat: Int16) {
        guard Self.allowedKeyLengths.contains(key.unicodeScalars.count),
            !key.unicodeScalars.contains("\0")
        else { return nil }
        self.route = route
        self.key = key
        self.digest = digest
        self.latestFormat = latestFormat
    }
}
