package import Crypto
import Synchronization

/// A public key of an issuer, with the name that tokens call it by.
package struct NamedKey: Sendable {
    /// The key's `kid`; nil if it has none.
    package let id: String?
    package let key: VerificationKey

    package init(id: String?, key: VerificationKey) {
        self.id = id
        self.key = key
    }
}

/// The keys for an issuer's signatures: a secret, public keys, or both during a rotation.
///
/// Public keys can be replaced while tokens are being verified. Each replacement invalidates what
/// was verified with an earlier set (`generation`).
package final class IssuerKeys: Sendable {
    /// The HS256 secret, if the issuer has one.
    package let secret: HMACKey?
    /// Where the public keys come from, if the issuer publishes them.
    package let source: PublishedKeys?
    /// Keys of a file that are not used. (`startFetching` reports those of published sets.)
    package let ignored: [IgnoredKey]
    private let published: Mutex<[NamedKey]>
    private let generationCounter = Atomic(0)

    /// A secret, public keys, or both; public keys may be published and come later.
    package init(
        secret: HMACKey? = nil, publicKeys: [NamedKey] = [], ignored: [IgnoredKey] = [],
        source: PublishedKeys? = nil
    ) {
        self.secret = secret
        self.ignored = ignored
        self.source = source
        published = Mutex(publicKeys)
    }

    /// Changes whenever a key may have left the set.
    package var generation: Int { generationCounter.load(ordering: .acquiring) }

    /// Puts a new set in the place of the old one.
    package func replace(with publicKeys: [NamedKey]) {
        published.withLock { $0 = publicKeys }
        generationCounter.add(1, ordering: .releasing)
    }

    /// Fetches published keys regularly until `stopFetching`.
    package func startFetching(onEvent: @escaping @Sendable (PublishedKeys.Event) -> Void) {
        source?.start(onEvent: onEvent) { [weak self] in self?.replace(with: $0) }
    }

    /// Stops fetching.
    package func stopFetching() { source?.stop() }

    /// The public keys for an algorithm: those with the token's `kid` if it has one, otherwise all.
    func publicKeys(for algorithm: SignatureAlgorithm, id: String?) -> [VerificationKey] {
        published.withLock { keys in
            keys.filter {
                SignatureAlgorithm(of: $0.key) == algorithm && (id == nil || $0.id == id)
            }.map(\.key)
        }
    }

    /// Whether there is any key for an algorithm, or may be one.
    func accepts(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithm == .hs256
            ? secret != nil : source != nil || !publicKeys(for: algorithm, id: nil).isEmpty
    }
}
