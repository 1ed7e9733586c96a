package import Crypto
import JSON
import Synchronization
import Threads

/// Decides whom a bearer token speaks for (RFC 7519, by the rules of RFC 8725).
///
/// The token's `iss` chooses among the trusted issuers, and the issuer decides which algorithms and
/// keys count; the header may only choose among those. Before the signature is verified, only `iss`
/// is read.
///
/// A token is verified once and then remembered until it expires or its issuer's keys change.
package final class TokenVerifier: Sendable {
    /// The most keys that one token without a `kid`, or with a shared one, is tried with.
    static let keysTried = 8

    package let issuers: [Issuer]
    private let cache: TokenCache
    private let waitSlots: WaitSlots

    /// A verifier that trusts these issuers, whose names differ.
    ///
    /// - Parameters:
    ///   - cacheCapacity: About how many tokens it remembers.
    ///   - waiterLimit: Maximum number of verifications that wait for issuers' keys at once.
    package init(_ issuers: [Issuer], cacheCapacity: Int = 8192, waiterLimit: Int = 4) {
        self.issuers = issuers
        cache = TokenCache(capacity: cacheCapacity)
        waitSlots = WaitSlots(waiterLimit)
    }

    /// Verifies a token at a time in seconds since 1970.
    ///
    /// - Parameter isPatient: Whether to wait for an issuer's keys when the token names one that is
    ///   not known; if not, such a token is refused with `keysAwaited` where a wait is needed.
    package func verify(
        _ token: [UInt8], now: Int64, isPatient: Bool = true
    ) throws(TokenRefusal) -> VerifiedToken {
        try remember(token.span, now: now, isPatient: isPatient).token
    }

    /// Verifies a token at a time in seconds since 1970, and gives what is remembered of it: the
    /// same for each of its requests.
    package func remember(
        _ token: Span<UInt8>, now: Int64, isPatient: Bool = true
    ) throws(TokenRefusal) -> RememberedToken {
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
        let entry = try verifyAnew(bytes, now: now, isPatient)
        cache.insert(entry, for: key)
        return entry
    }

    /// Verifies a token at a time in seconds since 1970.
    package func verify(
        _ token: some StringProtocol, now: Int64, isPatient: Bool = true
    ) throws(TokenRefusal) -> VerifiedToken {
        try verify(Array(token.utf8), now: now, isPatient: isPatient)
    }

    /// How many tokens are remembered.
    package var rememberedCount: Int { cache.count }

    private func verifyAnew(
        _ bytes: [UInt8], now: Int64, _ isPatient: Bool
    ) throws(TokenRefusal) -> RememberedToken {
        let token = try CompactToken(bytes)
        guard case .string(let name)? = token.claims["iss"],
            let index = issuers.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { throw .unknownIssuer }
        let issuer = issuers[index]
        // Read before the keys: if they are replaced in between, the entry counts as outdated.
        var generation = issuer.keys.generation
        guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm),
            issuer.keys.accepts(algorithm)
        else { throw .algorithmNotAllowed }
        let signed = bytes.span.extracting(..<token.signedCount)
        var refusal = check(token, signed, algorithm, issuer.keys)
        if refusal == .unknownKey {
            let failure = findKeys(of: issuer, isPatient)
            if case let newer = issuer.keys.generation, newer != generation {
                generation = newer
                refusal = check(token, signed, algorithm, issuer.keys)
            }
            if refusal == .unknownKey, let failure { throw failure }
        }
        if let refusal { throw refusal }
        if issuer.isOwn, token.type != AccessTokens.type { throw .malformed("typ") }
        let verified = try ClaimsReader(claims: token.claims, issuer: issuer, now: now).read()
        return RememberedToken(token: verified, issuer: index, generation: generation)
    }

    /// Looks for keys that this process has not seen yet; nil if the present ones are all there
    /// are, otherwise the refusal of a token whose key is not among them.
    private func findKeys(of issuer: Issuer, _ isPatient: Bool) -> TokenRefusal? {
        if let own = issuer.ownKeys {
            if case .failed = own.reload() { return .keysUnavailable(retryAfterSeconds: 5) }
            return nil
        }
        return switch issuer.keys.source?.search(waits: isPatient, waitSlots) {
        case nil, .fetched: nil
        case .pending(let seconds): .keysPending(retryAfterSeconds: seconds)
        case .unavailable(let seconds): .keysUnavailable(retryAfterSeconds: seconds)
        case .needsWait: .keysAwaited
        }
    }

    /// The fault of the signature, or nil.
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

/// A token that was verified, with what a program has made of it.
package final class RememberedToken: Sendable {
    package let token: VerifiedToken
    let issuer: Int
    /// Of the issuer's keys that verified it.
    let generation: Int
    private let made = Guarded<(any Sendable)?>(nil)

    init(token: VerifiedToken, issuer: Int, generation: Int) {
        self.token = token
        self.issuer = issuer
        self.generation = generation
    }

    /// What `make` makes of the token, kept as long as the token is remembered.
    package func kept<Value: AnyObject & Sendable>(
        _ make: (VerifiedToken) throws -> Value
    ) rethrows -> Value {
        if let value = made.withLock({ $0 }) as? Value { return value }
        let value = try make(token)
        made.withLock { $0 = value }
        return value
    }
}

/// Tokens that were verified, until they expire: bounded, and shared without much waiting.
///
/// Keyed by the token's SHA-256, so that no token is kept. It holds at most `capacity` entries.
/// When a part is full, roughly the least recently used entry is dropped.
final class TokenCache: Sendable {
    typealias Entry = RememberedToken

    /// Two generations: new entries and used ones go to `young`, and when it is full, `old` is
    /// dropped and `young` becomes `old`.
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

    private let shards: [Guarded<Shard>]
    private let partLimit: Int

    /// A cache for `capacity` tokens, a little more or less.
    init(capacity: Int, partCount: Int = 16) {
        shards = (0..<partCount).map { _ in Guarded(Shard()) }
        partLimit = max(1, capacity / partCount / 2)
    }

    /// The entry of a key, whether or not it is still valid.
    subscript(key: SHA256Digest) -> Entry? {
        shard(of: key).withLock { shard in
            if let entry = shard.young[key] { return entry }
            guard let entry = shard.old.removeValue(forKey: key) else { return nil }
            shard.insert(entry, key, limit: partLimit)
            return entry
        }
    }

    /// Remembers a token.
    func insert(_ entry: Entry, for key: SHA256Digest) {
        shard(of: key).withLock { $0.insert(entry, key, limit: partLimit) }
    }

    /// Forgets a token.
    func remove(_ key: SHA256Digest) {
        shard(of: key).withLock { shard in
            shard.young[key] = nil
            shard.old[key] = nil
        }
    }

    /// How many tokens are remembered.
    var count: Int {
        shards.reduce(0) { $0 + $1.withLock { $0.young.count + $0.old.count } }
    }

    private func shard(of key: SHA256Digest) -> Guarded<Shard> {
        shards[Int(key.firstByte) % shards.count]
    }
}

/// A trusted issuer of tokens, and the rules for its tokens.
package struct Issuer: Sendable {
    /// Whose dialect of claims is spoken.
    package enum Kind: String, Sendable, CaseIterable {
        case supabase
        case cognito
        case apple
        case generic
    }

    /// The use of a Cognito token.
    package enum TokenUse: String, Sendable, CaseIterable {
        /// Names its audience in `aud`.
        case id
        /// Names its audience in `client_id`.
        case access
    }

    /// The `iss` of its tokens, compared letter by letter.
    package let name: String
    /// How its tokens are read.
    package let kind: Kind
    /// At least one of these must be a token's audience.
    package let audiences: [String]
    /// Whether its subjects are UUIDs that people are known by in the database.
    package let isPrimary: Bool
    /// Supabase only: whether an e-mail address in a token has been confirmed.
    package let confirmsEmails: Bool
    /// Whether a new sign-in leads to the account that has proved its verified address by mail.
    package let linksAddresses: Bool
    /// Cognito only: which tokens are accepted; nil is both.
    package let tokenUse: TokenUse?
    /// Apple only: whether a token counts for an exchange only together with the nonce that its
    /// claim is the SHA-256 of.
    package let requiresNonce: Bool
    /// Apple only: what asks Apple in the name of the app's team; nil where nothing is asked.
    package let team: AppleTeam?
    /// The keys for its signatures.
    package let keys: IssuerKeys
    /// Hearth itself: the file that the keys come from. Its tokens name a session.
    package let ownKeys: SigningKeys?
    /// Whether this is Hearth itself.
    package var isOwn: Bool { ownKeys != nil }

    /// An issuer of these parts.
    package init(
        name: String, kind: Kind, audiences: [String], isPrimary: Bool = false,
        confirmsEmails: Bool = false, linksAddresses: Bool = false, tokenUse: TokenUse? = nil,
        requiresNonce: Bool = false,
        team: AppleTeam? = nil, keys: IssuerKeys,
        ownKeys: SigningKeys? = nil
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
        self.keys = keys
        self.ownKeys = ownKeys
    }
}

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

/// The algorithms of RFC 7518 and RFC 8037 that are accepted; raw values are those of `alg`.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"

    /// The algorithm of a public key; every key has exactly one.
    package init(of key: VerificationKey) {
        switch key.algorithm {
        case .rsaSHA256: self = .rs256
        case .p256SHA256: self = .es256
        case .ed25519: self = .edDSA
        }
    }
}
