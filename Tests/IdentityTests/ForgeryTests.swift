import Crypto
import JSON
import Testing

@testable import Identity

@Suite("Forged tokens") struct ForgeryTests {
    private func verdictOfKeySet(_ token: String) throws -> Result<VerifiedToken, TokenRefusal> {
        verdict(token, [try Self.keySetIssuer()], now: SignedFixtures.issuedAt)
    }

    static func keySetIssuer(secret: HMACKey? = nil) throws -> Issuer {
        Issuer(
            name: SignedFixtures.issuer, kind: .generic, audiences: ["hearth"],
            keys: IssuerKeys(
                secret: secret,
                publicKeys: try JSONWebKeySet(parsing: Array(SignedFixtures.keySet.utf8)).keys))
    }

    @Test(
        "tokens signed with RS256, ES256 and EdDSA are verified",
        arguments: [
            SignedFixtures.rs256, SignedFixtures.es256, SignedFixtures.edDSA,
        ])
    func signed(token: String) throws {
        let verified = try verdictOfKeySet(token).get()
        #expect(verified.subject == "someone")
        #expect(verified.email == "someone@example.com")
        #expect(verified.isEmailVerified)
        #expect(verified.fullName == "Some One")
    }

    @Test(
        "a token with any bit changed is refused",
        arguments: [
            SignedFixtures.rs256, SignedFixtures.es256, SignedFixtures.edDSA,
        ])
    func flippedBits(token: String) throws {
        let verifier = TokenVerifier([try Self.keySetIssuer()])
        let bytes = Array(token.utf8)
        for position in bytes.indices {
            for bit in 0..<8 {
                var mutant = bytes
                mutant[position] ^= 1 << UInt8(bit)
                #expect(throws: TokenRefusal.self, "byte \(position), bit \(bit)") {
                    try verifier.verify(mutant, now: SignedFixtures.issuedAt)
                }
            }
        }
    }

    @Test("an HS256 token with any bit changed is refused")
    func flippedBitsOfSecret() throws {
        let verifier = TokenVerifier([try Forge.issuer()])
        let bytes = Array(try Forge().token.utf8)
        _ = try verifier.verify(bytes, now: Forge.now)
        for position in bytes.indices {
            for bit in 0..<8 {
                var mutant = bytes
                mutant[position] ^= 1 << UInt8(bit)
                #expect(throws: TokenRefusal.self) { try verifier.verify(mutant, now: Forge.now) }
            }
        }
    }

    @Test("the example of RFC 7515, A.1, has a valid signature and refused claims")
    func knownAnswer() throws {
        let key = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9"
                    + "CAow"))
        let issuer = Issuer(
            name: "joe", kind: .generic, audiences: ["x"],
            keys: IssuerKeys(secret: try HMACKey(key)))
        let signed =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
            + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb2"
            + "90Ijp0cnVlfQ."
        let good = signed + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(verdict(good, [issuer], now: 1_300_819_379) == .failure(.missingClaim("aud")))
        let bad = signed + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXg"
        #expect(verdict(bad, [issuer], now: 1_300_819_379) == .failure(.badSignature))
    }

    @Test(
        "the algorithm `none` is refused in any spelling, and so is an unsupported algorithm",
        arguments: [
            "none", "None", "NONE", "nOnE", "", "HS256 ", "hs256", "HS384", "HS512", "PS256",
            "null",
        ])
    func none(algorithm: String) throws {
        let forge = Forge().with(header: #"{"alg":"\#(algorithm)"}"#)
        let issuer = try Forge.issuer()
        #expect(try refusal(forge, by: issuer) == .algorithmNotAllowed)
        #expect(verdict(forge.signedPart + ".", [issuer]) == .failure(.algorithmNotAllowed))
    }

    @Test("a token's header can't choose an algorithm for which the issuer has no key")
    func confusion() throws {
        // The public key's parts used as a secret, in the forms that a careless verifier would
        // accept.
        let modulus = try #require(Base64URL.decode(SignedFixtures.rsaModulus))
        for secret in [modulus, Array(SignedFixtures.rsaModulus.utf8)] {
            var forge = Forge().with("iss", .string(SignedFixtures.issuer))
            forge.secret = secret
            #expect(try refusal(forge, by: Self.keySetIssuer()) == .algorithmNotAllowed)
            let both = try Self.keySetIssuer(secret: HMACKey(Forge.secretBytes))
            #expect(try refusal(forge, by: both) == .badSignature)
        }
        let asRSA = Forge().with(header: #"{"alg":"RS256"}"#)
        #expect(try refusal(asRSA, by: Forge.issuer()) == .algorithmNotAllowed)
    }

    @Test("a key of one algorithm doesn't verify another algorithm's signatures")
    func keyOfAnotherKind() throws {
        for (token, algorithm) in [
            (SignedFixtures.rs256, "ES256"), (SignedFixtures.es256, "RS256"),
            (SignedFixtures.edDSA, "ES256"),
        ] {
            let parts = token.split(separator: ".")
            let header = Base64URL.text(Array(#"{"alg":"\#(algorithm)"}"#.utf8))
            let forged = "\(header).\(parts[1]).\(parts[2])"
            #expect(try verdictOfKeySet(forged) == .failure(.badSignature))
        }
    }

    @Test("an issuer rotating from a secret to keys accepts both, each for its algorithm")
    func rotation() throws {
        let issuer = try Self.keySetIssuer(secret: HMACKey(Forge.secretBytes))
        let forge = Forge().with("iss", .string(SignedFixtures.issuer))
        #expect(try refusal(forge, by: issuer) == nil)
        for token in [SignedFixtures.rs256, SignedFixtures.es256, SignedFixtures.edDSA] {
            #expect(throws: Never.self) {
                try verdict(token, [issuer], now: SignedFixtures.issuedAt).get()
            }
        }
    }

    @Test(
        "a token can't bring its own key or require unknown extensions",
        arguments: [
            ("jwk", #"{"kty":"oct","k":"AA"}"#), ("jku", #""https://evil.example.com""#),
            ("x5u", #""https://evil.example.com""#), ("x5c", #"["MII"]"#), ("crit", #"["exp"]"#),
            ("crit", #"["b64"],"b64":false"#), ("crit", "[]"), ("jwk", "null"),
        ])
    func forbiddenHeaders(name: String, value: String) throws {
        let forge = Forge().with(header: #"{"alg":"HS256","\#(name)":\#(value)}"#)
        #expect(try refusal(forge, by: Forge.issuer()) == .forbiddenHeader(name))
    }

    @Test("an unknown key id is refused, and without a key id the issuer's keys are tried")
    func keyNames() throws {
        let parts = SignedFixtures.rs256.split(separator: ".")
        func forged(_ header: String) -> String {
            "\(Base64URL.text(Array(header.utf8))).\(parts[1]).\(parts[2])"
        }
        #expect(
            try verdictOfKeySet(forged(#"{"alg":"RS256","kid":"x"}"#)) == .failure(.unknownKey))
        #expect(
            try verdictOfKeySet(forged(#"{"alg":"RS256","kid":"e"}"#)) == .failure(.unknownKey))
        #expect(try verdictOfKeySet(forged(#"{"alg":"RS256"}"#)) == .failure(.badSignature))
        #expect(
            try verdictOfKeySet(forged(#"{"alg":"RS256","kid":7}"#)) == .failure(.malformed("kid")))
    }

    @Test(
        "a header that is not a JSON object with an algorithm is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"alg":null}"#, #"{"alg":["HS256"]}"#,
            #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"none","alg":"HS256"}"#,
            #"{"alg":"HS256","\u0061lg":"HS256"}"#, #"{"alg":"HS256"} "x""#, #"{"alg":"HS256""#,
            #"{"alg":"HS256","typ":"secevent+jwt"}"#, #"{"alg":"HS256","typ":7}"#,
            #"{"alg":"HS256","a":"#
                + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
        ])
    func malformedHeaders(header: String) throws {
        let refused = try refusal(Forge().with(header: header), by: Forge.issuer())
        #expect(refused?.code == "malformed")
    }

    @Test(
        "a header's `typ` is accepted if it names a kind of token",
        arguments: ["JWT", "jwt", "at+jwt"])
    func types(type: String) throws {
        let forge = Forge().with(header: #"{"alg":"HS256","typ":"\#(type)"}"#)
        #expect(try refusal(forge, by: Forge.issuer()) == nil)
    }

    @Test("a payload that two parsers could read differently is refused")
    func malformedPayloads() throws {
        let claims = #""iss":"https://generic.example.com","aud":"hearth","exp":1900000000"#
        for payload in [
            "", "[]", "null", #"{"sub":"a","sub":"b",\#(claims)}"#, "{\(claims),\(claims)}",
            #"{"sub":"a","su\u0062":"b",\#(claims)}"#, "{\(claims)}{}", "{\(claims)}\u{0}",
        ] {
            let refused = try refusal(Forge().with(payload: payload), by: Forge.issuer())
            #expect(refused?.code == "malformed", "\(payload)")
        }
        let good = Forge().with(payload: #"{"sub":"a",\#(claims)}"#)
        #expect(try refusal(good, by: Forge.issuer()) == nil)
    }

    @Test("a token has only one accepted base64url spelling")
    func encodings() throws {
        let issuer = try Forge.issuer()
        let token = try Forge().token
        let parts = token.split(separator: ".").map(String.init)
        for forged in [
            token + "=", token + "A", token + "\n", " " + token, token + " ", token + ".",
            "." + token, parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "." + parts[1],
            parts[0], "", ".", "..", "...", parts[0] + ".." + parts[2], token + "." + parts[2],
            token.replacing("_", with: "/").replacing("-", with: "+") + "+",
            "Bearer " + token, token.uppercased(),
        ] {
            #expect(throws: TokenRefusal.self, "\(forged)") {
                try verdict(forged, [issuer]).get()
            }
        }
    }

    @Test("every truncated token is refused")
    func truncations() throws {
        let verifier = TokenVerifier([try Forge.issuer()])
        let bytes = Array(try Forge().token.utf8)
        for length in bytes.indices {
            #expect(throws: TokenRefusal.self) {
                try verifier.verify(Array(bytes[..<length]), now: Forge.now)
            }
        }
    }

    @Test("a token that is too long is refused without being parsed")
    func tooLong() throws {
        let long = Forge().with("x", .string(String(repeating: "x", count: 9000)))
        #expect(try refusal(long, by: Forge.issuer()) == .malformed("too long"))
    }

    @Test(
        "an issuer whose name differs in any letter from a trusted one is unknown",
        arguments: [
            "https://generic.example.com/", "HTTPS://generic.example.com",
            "https://evil.example.com",
            "", "https://generic.example.com\u{0}",
        ])
    func issuers(name: String) throws {
        let forge = Forge().with("iss", .string(name))
        #expect(try refusal(forge, by: Forge.issuer()) == .unknownIssuer)
    }

    @Test("a token without an issuer, or with a malformed one, is refused")
    func noIssuer() throws {
        for value: JSONValue? in [nil, .null, 7, ["https://generic.example.com"]] {
            let refused = try refusal(Forge().with("iss", value), by: Forge.issuer())
            #expect(refused == .unknownIssuer)
        }
    }

    @Test("a token signed by one issuer in the name of another is refused")
    func crossIssuer() throws {
        let other = Issuer(
            name: "https://other.example.com", kind: .generic, audiences: ["hearth"],
            keys: IssuerKeys(secret: try HMACKey(Array("another-secret-of-at-least-32-bytes".utf8)))
        )
        let issuers = [try Forge.issuer(), other]
        let forge = Forge().with("iss", "https://other.example.com")
        #expect(verdict(try forge.token, issuers) == .failure(.badSignature))
        #expect(throws: Never.self) { try verdict(Forge().token, issuers).get() }
    }

    @Test("a refusal shows clients no part of the token's content")
    func descriptions() throws {
        let forge = Forge().with(payload: #"{"secret-name":1,"secret-name":2}"#)
        let refused = try #require(try refusal(forge, by: Forge.issuer()))
        #expect(refused.description == "The token is malformed.")
        #expect(refused.debugDescription == "malformed: payload (duplicateMember)")
    }
}
