import Crypto
import Fetching
import KeySupport
import TestSupport
import Testing

@testable import Identity

@Suite("Published keys") struct PublishedKeysTests {
    /// Returns a key set with these ids.
    private static func keySet(_ ids: String...) -> KeySite.Manner {
        let e =
            #"{"kty": "EC", "crv": "P-256", "kid": "e", "#
            + #""x": "HqQNY2ZZs8EJIMZ9thxqri7sah3YSDeHp5GBYqTh-CE", "#
            + #""y": "kenporWCnBkcfxakJuIb4M2kae1fQacBLZIe9097MEA"}"#
        let o =
            #"{"kty": "OKP", "crv": "Ed25519", "kid": "o", "#
            + #""x": "Gurwd2J_jNAUuZxDpTXVurM7moaYFDNivD-QF1HL2_o"}"#
        let keys = ids.map { $0 == "e" ? e : o }.joined(separator: ",")
        return .document(#"{"keys": [\#(keys)]}"#)
    }

    /// Returns a token with a given header and an invalid signature.
    private static func forged(_ header: String) -> String {
        let claims = #"{"iss":"\#(SignedFixtures.issuer)","sub":"x","aud":"hearth"}"#
        return [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 1, count: 64)]
            .map { Base64URL.text($0) }.joined(separator: ".")
    }

    @Test("keys are fetched in advance, and an early token waits for them")
    func ahead() throws {
        let site = try KeySite(Self.keySet("e", "o"))
        let issuer = try PublishedIssuer(site)
        issuer.start()
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        #expect(issuer.refusal(SignedFixtures.edDSA) == nil)
        #expect(issuer.events.awaitCount(1))
        #expect(issuer.events.all == ["2 keys"])
        #expect(site.paths == ["/keys"])
    }

    @Test("tokens with unknown keys cause no fetch within thirty seconds of the last fetch")
    func unknownKeys() throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site)
        issuer.start()
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        for number in 0..<1000 {
            let token = Self.forged(#"{"alg":"ES256","kid":"unknown-\#(number)"}"#)
            #expect(issuer.refusal(token)?.code == "keys_pending")
        }
        #expect(
            issuer.refusal(SignedFixtures.edDSA)?.code == "keys_pending",
            "nor does another algorithm")
        #expect(site.paths.count == 1)
    }

    @Test("a token with an unknown key causes a fetch once one is due, and waits for it")
    func rotation() throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site) { $0.shortestIntervalSeconds = 0 }
        issuer.start()
        #expect(issuer.events.awaitCount(1))
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        #expect(issuer.verifier.cachedCount == 1)
        site.publish(Self.keySet("o"))
        #expect(issuer.refusal(SignedFixtures.edDSA) == nil, "the new key counts at once")
        #expect(issuer.refusal(SignedFixtures.es256) == .unknownKey, "and the old one no more")
    }

    @Test("keys are fetched again at intervals, even without requests")
    func refresh() throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site) { $0.refreshSeconds = 0.02 }
        issuer.start()
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        #expect(site.awaitRequests(3))
        #expect(issuer.events.all == ["1 keys"], "the same set is no news")
        #expect(issuer.verifier.cachedCount == 1)
        site.publish(Self.keySet("o"))
        #expect(issuer.events.awaitCount(2))
        #expect(issuer.refusal(SignedFixtures.es256)?.code == "keys_pending")
    }

    @Test(
        "old keys stay in use after a response that is not a key set",
        arguments: [
            KeySite.Manner.status(404), .status(500), .redirect, .huge, .document("garbage"),
            .document(#"{"keys": []}"#), .document(#"{"keys": [{"kty": "EC", "crv": "P-256"}]}"#),
            .document(String(repeating: "[", count: 100_000)), .document(""),
        ])
    func badAnswers(manner: KeySite.Manner) throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site) { $0.shortestIntervalSeconds = 0 }
        issuer.start()
        #expect(issuer.events.awaitCount(1))
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        site.publish(manner)
        #expect(issuer.refusal(SignedFixtures.edDSA)?.code == "keys_unavailable")
        #expect(issuer.events.awaitCount(2))
        #expect(issuer.events.all.first == "1 keys" && issuer.events.all.count == 2)
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        #expect(!site.paths.contains("/elsewhere"), "a redirect is not followed")
        site.publish(Self.keySet("e", "o"))
        #expect(issuer.refusal(SignedFixtures.edDSA) == nil, "and the next good one counts")
    }

    @Test("unusable keys in a set are reported, and the usable keys are used")
    func oddKeys() throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site) { $0.shortestIntervalSeconds = 0 }
        issuer.start()
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        let odd =
            #"{"keys": [{"kty": "RSA", "e": "AQAB"}, {"kty": "new"}, "#
            + #"{"kty": "OKP", "crv": "Ed25519", "kid": "o", "#
            + #""x": "Gurwd2J_jNAUuZxDpTXVurM7moaYFDNivD-QF1HL2_o"}]}"#
        site.publish(.document(odd))
        #expect(issuer.refusal(SignedFixtures.edDSA) == nil)
        #expect(issuer.events.awaitLast("1 keys, malformed, unsuitable"))
    }

    @Test("tokens are refused while there are no keys, and accepted once keys arrive")
    func neverFetched() throws {
        let site = try KeySite(.status(503))
        let issuer = try PublishedIssuer(site) { $0.firstRetrySeconds = 0.01 }
        #expect(
            issuer.refusal(SignedFixtures.es256)?.code == "keys_unavailable",
            "nobody fetches yet")
        issuer.start()
        #expect(issuer.events.awaitCount(3), "it is tried again")
        #expect(issuer.refusal(SignedFixtures.es256)?.code == "keys_unavailable")
        site.publish(Self.keySet("e"))
        #expect(issuer.events.awaitLast("1 keys"))
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
    }

    @Test("a hanging server delays only a few tokens, and only briefly")
    func hanging() throws {
        let site = try KeySite(Self.keySet("e"))
        let issuer = try PublishedIssuer(site, timeoutSeconds: 600) {
            $0.shortestIntervalSeconds = 0
            $0.waitSeconds = 0.05
            $0.firstRetrySeconds = 0.01
        }
        issuer.start()
        #expect(issuer.events.awaitLast("1 keys"))
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        site.publish(.hanging)
        #expect(issuer.refusal(SignedFixtures.edDSA)?.code == "keys_unavailable")
        // The fetch may begin only after the first token has waited.
        #expect(site.awaitRequests(2))
        try eventually { issuer.refusal(SignedFixtures.edDSA)?.code == "keys_pending" }
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        site.open()
    }

    @Test("a fetch from a hanging server times out")
    func givenUp() throws {
        let site = try KeySite(.hanging)
        let issuer = try PublishedIssuer(site, timeoutSeconds: 0.5) {
            $0.firstRetrySeconds = 0.01
        }
        issuer.start()
        #expect(issuer.events.awaitLast("127.0.0.1 took too long: Timeout was reached"))
        site.open()
    }

    @Test("a token whose header names an address of keys is refused, and nothing is fetched")
    func neverFollowed() throws {
        let site = try KeySite(Self.keySet("e"))
        let trap = try KeySite(Self.keySet("o"))
        let issuer = try PublishedIssuer(site) { $0.shortestIntervalSeconds = 0 }
        issuer.start()
        #expect(issuer.refusal(SignedFixtures.es256) == nil)
        let asked = site.paths.count
        for name in ["jku", "x5u"] {
            for path in ["http://127.0.0.1:\(trap.port)/keys", "http://127.0.0.1:\(site.port)/x"] {
                let header = #"{"alg":"EdDSA","kid":"o","\#(name)":"\#(path)"}"#
                #expect(issuer.refusal(Self.forged(header)) == .forbiddenHeader(name))
            }
        }
        #expect(trap.paths == [])
        #expect(site.paths.count == asked)
    }
}
