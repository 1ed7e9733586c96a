import Crypto
import JSON

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

    /// Trusts these issuers, whose names differ, and remembers about `cacheCapacity` tokens.
    package init(_ issuers: [Issuer], cacheCapacity: Int = 8192) {
        self.issuers = issuers
        cache = TokenCache(capacity: cacheCapacity)
    }

    /// Verifies a token at a time in seconds since 1970.
    ///
    /// - Parameter isPatient: Whether to wait for an issuer's keys when the token names one that is
    ///   not known; if not, such a token is refused with `unknownKey`.
    package func verify(
        _ token: [UInt8], now: Int64, isPatient: Bool = true
    ) throws(TokenRefusal) -> VerifiedToken {
        let key = SHA256Digest(of: token)
        if let entry = cache[key] {
            if entry.generation == issuers[entry.issuer].keys.generation {
                guard now < entry.token.expiresAt else {
                    cache.remove(key)
                    throw .expired
                }
                return entry.token
            }
            cache.remove(key)
        }
        let entry = try verifyAnew(token, now: now, isPatient)
        cache.insert(entry, for: key)
        return entry.token
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
    ) throws(TokenRefusal) -> TokenCache.Entry {
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
        if refusal == .unknownKey, let own = issuer.ownKeys {
            // A rotation that this process has not seen yet.
            own.reload()
            generation = issuer.keys.generation
            refusal = check(token, signed, algorithm, issuer.keys)
        }
        if refusal == .unknownKey, isPatient, let source = issuer.keys.source {
            if issuer.keys.generation == generation, !source.awaitNews() { throw .keysMissing }
            if case let newer = issuer.keys.generation, newer != generation {
                generation = newer
                refusal = check(token, signed, algorithm, issuer.keys)
            }
        }
        if let refusal { throw refusal }
        if issuer.isOwn, token.type != AccessTokens.type { throw .malformed("typ") }
        let verified = try ClaimsReader(claims: token.claims, issuer: issuer, now: now).read()
        return TokenCache.Entry(token: verified, issuer: index, generation: generation)
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
