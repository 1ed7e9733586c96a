import Crypto
import JSON
import Testing

@testable import Identity

@Suite("Token cache") struct TokenVerifierTests {
    @Test("a verified token is cached, and gives the same result again")
    func remembered() throws {
        let verifier = TokenVerifier([try Forge.issuer()])
        let token = try Forge().token
        let first = try verifier.verify(token, now: Forge.now)
        #expect(verifier.cachedCount == 1)
        #expect(try verifier.verify(token, now: Forge.now + 3599) == first)
        #expect(verifier.cachedCount == 1)
    }

    @Test("a cached token is refused after its expiry")
    func expires() throws {
        let verifier = TokenVerifier([try Forge.issuer()])
        let token = try Forge().token
        _ = try verifier.verify(token, now: Forge.now)
        #expect(throws: TokenRefusal.expired) { try verifier.verify(token, now: Forge.now + 3600) }
        #expect(verifier.cachedCount == 0)
    }

    @Test("a refused token is not cached")
    func refusedIsForgotten() throws {
        let verifier = TokenVerifier([try Forge.issuer()])
        let early = try Forge().with("nbf", .integer(Forge.now + 100)).token
        #expect(throws: TokenRefusal.notYetValid) { try verifier.verify(early, now: Forge.now) }
        #expect(verifier.cachedCount == 0)
        #expect(throws: Never.self) { try verifier.verify(early, now: Forge.now + 50) }
    }

    @Test("a cached token is dropped when its key leaves the set")
    func keysReplaced() throws {
        let issuer = try ForgeryTests.keySetIssuer()
        let keys = try JSONWebKeySet(parsing: Array(SignedFixtures.keySet.utf8)).keys
        let verifier = TokenVerifier([issuer])
        let now = SignedFixtures.issuedAt
        _ = try verifier.verify(SignedFixtures.rs256, now: now)
        _ = try verifier.verify(SignedFixtures.es256, now: now)
        issuer.keys.replace(with: keys.filter { $0.id != "r" })
        #expect(throws: TokenRefusal.algorithmNotAllowed) {
            try verifier.verify(SignedFixtures.rs256, now: now)
        }
        #expect(throws: Never.self) { try verifier.verify(SignedFixtures.es256, now: now) }
        issuer.keys.replace(with: keys)
        #expect(throws: Never.self) { try verifier.verify(SignedFixtures.rs256, now: now) }
    }

    @Test("the cache is bounded, and tokens in use stay in it")
    func bounded() throws {
        let verifier = TokenVerifier([try Forge.issuer()], cacheCapacity: 320)
        let used = try Forge().token
        _ = try verifier.verify(used, now: Forge.now)
        for number in 0..<5000 {
            _ = try verifier.verify(
                Forge().with("sub", .string("\(number)")).token, now: Forge.now)
            _ = try verifier.verify(used, now: Forge.now)
        }
        #expect(verifier.cachedCount <= 320)
        #expect(verifier.cachedCount >= 160)
        #expect(throws: Never.self) { try verifier.verify(used, now: Forge.now) }
    }

    @Test("tokens in use stay in the cache longer than unused ones")
    func leastRecentlyUsed() {
        let cache = TokenCache(capacity: 20, shardCount: 1)
        let token = VerifiedToken(
            issuer: "i", subject: "s", kind: .generic, isPrimary: false,
            linksAddresses: false, bearer: .person, email: nil, isEmailVerified: false,
            fullName: nil, role: nil, issuedAt: nil, expiresAt: 1)
        let entry = TokenCache.Entry(token: token, issuer: 0, generation: 0)
        let keys = (0..<1000).map { SHA256Digest(of: "\($0)") }
        cache.insert(entry, for: keys[0])
        for key in keys[1...] {
            cache.insert(entry, for: key)
            #expect(cache[keys[0]] != nil)
            #expect(cache.count <= 20)
        }
        #expect(cache[keys[1]] == nil)
        #expect(cache[keys[999]] != nil)
        cache.remove(keys[0])
        #expect(cache[keys[0]] == nil)
    }

    @Test("a minted token is accepted for every kind of issuer", arguments: Issuer.Kind.allCases)
    func minted(kind: Issuer.Kind) throws {
        let issuer = try Forge.issuer(kind, isPrimary: true, confirmsEmails: kind == .supabase)
        var draft = TokenDraft(subject: Forge.subject)
        draft.email = "someone@example.com"
        draft.fullName = "A \"quoted\" Name"
        draft.role = "player"
        draft.lifetimeSeconds = 60
        let text = try issuer.mint(draft, now: Forge.now)
        let token = try verdict(text, [issuer]).get()
        #expect(token.subject == Forge.subject)
        #expect(token.email == "someone@example.com")
        #expect(token.isEmailVerified)
        #expect(token.fullName == "A \"quoted\" Name")
        #expect(token.role == (kind == .supabase ? "player" : nil))
        #expect(token.expiresAt == Forge.now + 60)
        #expect(verdict(text, [issuer], now: Forge.now + 60) == .failure(.expired))
    }

    @Test("a token minted for Cognito has the accepted use")
    func mintedForCognito() throws {
        for use in Issuer.TokenUse.allCases {
            let issuer = try Forge.issuer(.cognito, tokenUse: use)
            let text = try issuer.mint(TokenDraft(subject: "s"), now: Forge.now)
            #expect(throws: Never.self) { try verdict(text, [issuer]).get() }
        }
    }

    @Test("an issuer without a secret can't mint tokens")
    func noSecret() throws {
        let issuer = try ForgeryTests.keySetIssuer()
        #expect(throws: TokenMintError.noSecret(issuer: SignedFixtures.issuer)) {
            try issuer.mint(TokenDraft(subject: "s"), now: Forge.now)
        }
    }
}
