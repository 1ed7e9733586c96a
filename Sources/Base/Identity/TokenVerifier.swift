package import Crypto
import JSON
import Synchronization
import Basics

/// Verifies bearer tokens (RFC 7519, by the rules of RFC 8725).
///
/// The token's `iss` selects one of the trusted issuers, which determines the allowed algorithms
/// and keys; the header may only select among those. Before the signature is verified, only `iss`
/// is read.
///
/// A token is verified once and then cached until it expires or its issuer's keys change.
package final class TokenVerifier: Sendable {
    /// Maximum number of keys that a token without a `kid`, or with a shared one, is tried with.
    static let keysTried = 8

    package let issuers: [Issuer]
    private let cache: TokenCache
    private let waitSlots: WaitSlots

    /// Creates a verifier that trusts these issuers, which must have different names.
    ///
    /// - Parameters:
    ///   - cacheCapacity: Approximate number of cached tokens.
    ///   - waiterLimit: Maximum number of verifications that wait for issuers' keys at once.
    package init(_ issuers: [Issuer], cacheCapacity: Int = 8192, waiterLimit: Int = 4) {
        self.issuers = issuers
        cache = TokenCache(capacity: cacheCapacity)
        waitSlots = WaitSlots(waiterLimit)
    }

    /// Verifies a token as of `now`, in seconds since 1970.
    ///
    /// - Parameter waitsForKeys: Whether to wait for an issuer's keys if the token names an unknown
    ///   one; if not, such a token is refused with `keysAwaited` if waiting is necessary.
    package func verify(
        _ token: [UInt8], now: Int64, waitsForKeys: Bool = true
    ) throws(TokenRefusal) -> VerifiedToken {
        try verifyCached(token.span, now: now, waitsForKeys: waitsForKeys).token
    }

    /// Verifies a token as of `now`, in seconds since 1970. Returns its cache entry: the same
    /// object for every request with this token.
    package func verifyCached(
        _ token: Span<UInt8>, now: Int64, waitsForKeys: Bool = true
    ) throws(TokenRefusal) -> CachedToken {
        let key = SHA256Digest(of: token)
        if let entry = cache[key] {
            if entry.generation == issuers[entry.issuer].keys.generation {
                guard now < entry.token.expiresAt else {
                    cache.remove(key)
                    throw .expired
                }
                return entry
            }
            cache.remove(key)
        }
        let bytes = token.withUnsafeBufferPointer { Array($0) }
        let entry = try verifyUncached(bytes, now: now, waitsForKeys)
        cache.insert(entry, for: key)
        return entry
    }

    /// Verifies a token as of `now`, in seconds since 1970.
    package func verify(
        _ token: some StringProtocol, now: Int64, waitsForKeys: Bool = true
    ) throws(TokenRefusal) -> VerifiedToken {
        try verify(Array(token.utf8), now: now, waitsForKeys: waitsForKeys)
    }

    /// Number of cached tokens.
    package var cachedCount: Int { cache.count }

    private func verifyUncached(
        _ bytes: [UInt8], now: Int64, _ waitsForKeys: Bool
    ) throws(TokenRefusal) -> CachedToken {
        let token = try CompactToken(bytes)
        guard case .string(let name)? = token.claims["iss"],
            let index = issuers.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { throw .unknownIssuer }
        let issuer = issuers[index]
        // Read before the keys: if they are replaced in between, the entry is treated as outdated.
        var generation = issuer.keys.generation
        guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm),
            issuer.keys.accepts(algorithm)
        else { throw .algorithmNotAllowed }
        let signed = bytes.span.extracting(..<token.signedCount)
        var refusal = check(token, signed, algorithm, issuer.keys)
        if refusal == .unknownKey {
            let failure = findKeys(of: issuer, waitsForKeys)
            if case let newGeneration = issuer.keys.generation, newGeneration != generation {
                generation = newGeneration
                refusal = check(token, signed, algorithm, issuer.keys)
            }
            if refusal == .unknownKey, let failure { throw failure }
        }
        if let refusal { throw refusal }
        if issuer.isOwn, token.type != AccessTokens.type { throw .malformed("typ") }
        let verified = try ClaimsReader(claims: token.claims, issuer: issuer, now: now).read()
        return CachedToken(token: verified, issuer: index, generation: generation)
    }

    /// Searches for keys that this process does not have yet. Returns nil if the current keys are
    /// complete, otherwise the refusal of a token whose key is not among them.
    private func findKeys(of issuer: Issuer, _ waitsForKeys: Bool) -> TokenRefusal? {
        if let ownKeys = issuer.ownKeys {
            if case .failed = ownKeys.reload() { return .keysUnavailable(retryAfterSeconds: 5) }
            return nil
        }
        return switch issuer.keys.source?.search(waits: waitsForKeys, waitSlots) {
        case nil, .fetched: nil
        case .pending(let seconds): .keysPending(retryAfterSeconds: seconds)
        case .unavailable(let seconds): .keysUnavailable(retryAfterSeconds: seconds)
        case .needsWait: .keysAwaited
        }
    }

    /// Returns the reason why the signature is refused, or nil.
    private func check(
        _ token: CompactToken, _ signed: Span<UInt8>, _ algorithm: SignatureAlgorithm,
        _ keys: IssuerKeys
    ) -> TokenRefusal? {
        do throws(CryptoError) {
            if algorithm == .hs256 {
                guard let secret = keys.secret else { return .algorithmNotAllowed }
                return try secret.isValid(token.signature, for: signed) ? nil : .badSignature
            }
            let candidates = keys.publicKeys(for: algorithm, id: token.keyID)
            if candidates.isEmpty { return .unknownKey }
            for key in candidates.prefix(Self.keysTried)
            where try key.isValid(token.signature, for: signed) {
                return nil
            }
            return .badSignature
        } catch {
            return .unavailable(error)
        }
    }
}

/// A verified token, with a value that a program has derived from it.
package final class CachedToken: Sendable {
    package let token: VerifiedToken
    let issuer: Int
    /// The generation of the issuer's keys that verified the token.
    let generation: Int
    private let derived = Lock<(any Sendable)?>(nil)

    init(token: VerifiedToken, issuer: Int, generation: Int) {
        self.token = token
        self.issuer = issuer
        self.generation = generation
    }

    /// Returns the value that `make` derives from the token, kept as long as the token is cached.
    package func derivedValue<Value: AnyObject & Sendable>(
        _ make: (VerifiedToken) throws -> Value
    ) rethrows -> Value {
        if let value = derived.withLock({ $0 }) as? Value { return value }
        let value = try make(token)
        derived.withLock { $0 = value }
        return value
    }
}

/// A bounded cache that holds verified tokens until they expire, shared with little contention.
///
/// Keyed by the token's SHA-256, so that no token is stored. It holds at most `capacity` entries.
/// When a shard is full, roughly the least recently used entries are dropped.
final class TokenCache: Sendable {
    typealias Entry = CachedToken

    /// Two generations: new entries and used ones go to `young`; when it is full, `old` is dropped
    /// and `young` becomes `old`.
    private struct Shard: Sendable {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]

        mutating func insert(_ entry: Entry, _ key: SHA256Digest, limit: Int) {
            if young.count >= limit, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = entry
        }
    }

    private let shards: [Lock<Shard>]
    private let shardLimit: Int

    /// Creates a cache for approximately `capacity` tokens.
    init(capacity: Int, shardCount: Int = 16) {
        shards = (0..<shardCount).map { _ in Lock(Shard()) }
        shardLimit = max(1, capacity / shardCount / 2)
    }

    /// Returns the entry of a key, whether or not it is still valid.
    subscript(key: SHA256Digest) -> Entry? {
        shard(of: key).withLock { shard in
            if let entry = shard.young[key] { return entry }
            guard let entry = shard.old.removeValue(forKey: key) else { return nil }
            shard.insert(entry, key, limit: shardLimit)
            return entry
        }
    }

    /// Adds a token.
    func insert(_ entry: Entry, for key: SHA256Digest) {
        shard(of: key).withLock { $0.insert(entry, key, limit: shardLimit) }
    }

    /// Removes a token.
    func remove(_ key: SHA256Digest) {
        shard(of: key).withLock { shard in
            shard.young[key] = nil
            shard.old[key] = nil
        }
    }

    /// Number of cached tokens.
    var count: Int {
        shards.reduce(0) { $0 + $1.withLock { $0.young.count + $0.old.count } }
    }

    private func shard(of key: SHA256Digest) -> Lock<Shard> {
        shards[Int(key.firstByte) % shards.count]
    }
}

/// A trusted issuer of tokens, and the rules for its tokens.
package struct Issuer: Sendable {
    /// The kind of provider, which determines the form of its claims.
    package enum Kind: String, Sendable, CaseIterable {
        case supabase
        case cognito
        case apple
        case generic
    }

    /// The use of a Cognito token.
    package enum TokenUse: String, Sendable, CaseIterable {
        /// An ID token, with its audience in `aud`.
        case id
        /// An access token, with its audience in `client_id`.
        case access
    }

    /// The `iss` of the issuer's tokens, compared exactly.
    package let name: String
    /// The kind of provider, which determines how its tokens are read.
    package let kind: Kind
    /// The accepted audiences; a token must have at least one of them.
    package let audiences: [String]
    /// Whether the issuer's subjects are UUIDs that become users' ids in the database.
    package let isPrimary: Bool
    /// Supabase only: whether e-mail addresses in tokens have been confirmed.
    package let confirmsEmails: Bool
    /// Whether a new sign-in joins the account that has verified the same address by e-mail.
    package let linksAddresses: Bool
    /// Cognito only: the accepted use of tokens; nil is both.
    package let tokenUse: TokenUse?
    /// Apple only: whether exchanging a token requires the nonce whose SHA-256 is in its claim.
    package let requiresNonce: Bool
    /// Apple only: the team's access to Apple's endpoints; nil if they are not used.
    package let team: AppleTeam?
    /// The client registration for signing in on pages; nil if the issuer has none.
    package let client: ProviderClient?
    /// The keys that verify the issuer's signatures.
    package let keys: IssuerKeys
    /// Hearth itself only: the file that the keys come from; nil in a program without this file.
    package let ownKeys: SigningKeys?
    /// Whether this issuer is Hearth itself. Its tokens name a session.
    package let isOwn: Bool

    /// Creates an issuer from its parts. With `ownKeys`, it is Hearth itself.
    package init(
        name: String, kind: Kind, audiences: [String], isPrimary: Bool = false,
        confirmsEmails: Bool = false, linksAddresses: Bool = false, tokenUse: TokenUse? = nil,
        requiresNonce: Bool = false,
        team: AppleTeam? = nil, client: ProviderClient? = nil, keys: IssuerKeys,
        ownKeys: SigningKeys? = nil, isOwn: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.audiences = audiences
        self.isPrimary = isPrimary
        self.confirmsEmails = confirmsEmails
        self.linksAddresses = linksAddresses
        self.tokenUse = tokenUse
        self.requiresNonce = requiresNonce
        self.team = team
        self.client = client
        self.keys = keys
        self.ownKeys = ownKeys
        self.isOwn = isOwn || ownKeys != nil
    }
}

/// A public key of an issuer, with the id that tokens use for it.
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
/// Public keys can be replaced while tokens are being verified. Each replacement invalidates
/// results of earlier sets (`generation`).
package final class IssuerKeys: Sendable {
    /// The HS256 secret, if the issuer has one.
    package let secret: HMACKey?
    /// The source of the public keys, if the issuer publishes them.
    package let source: PublishedKeys?
    /// Unused keys of a file. (`startFetching` reports those of published sets.)
    package let ignored: [IgnoredKey]
    private let published: Mutex<[NamedKey]>
    private let generationCounter = Atomic(0)

    /// Creates keys from a secret, public keys, or both; published keys may arrive later.
    package init(
        secret: HMACKey? = nil, publicKeys: [NamedKey] = [], ignored: [IgnoredKey] = [],
        source: PublishedKeys? = nil
    ) {
        self.secret = secret
        self.ignored = ignored
        self.source = source
        published = Mutex(publicKeys)
    }

    /// A number that changes whenever a key may have left the set.
    package var generation: Int { generationCounter.load(ordering: .acquiring) }

    /// Replaces the set of public keys.
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

    /// Returns the public keys for an algorithm: those with the token's `kid` if it has one,
    /// otherwise all.
    func publicKeys(for algorithm: SignatureAlgorithm, id: String?) -> [VerificationKey] {
        published.withLock { keys in
            keys.filter {
                SignatureAlgorithm(of: $0.key) == algorithm && (id == nil || $0.id == id)
            }.map(\.key)
        }
    }

    /// Whether there is, or may be, a key for an algorithm.
    func accepts(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithm == .hs256
            ? secret != nil : source != nil || !publicKeys(for: algorithm, id: nil).isEmpty
    }
}

/// The accepted algorithms of RFC 7518 and RFC 8037; raw values are those of `alg`.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    /// Returns the algorithm of a public key; every key has exactly one.
    package init(of key: VerificationKey) {
        switch key.algorithm {
        case .rsaSHA256: self = .rs256
        case .p256SHA256: self = .es256
        case .ed25519: self = .edDSA
        }
    }
}
