import Crypto
import JSON
import Testing

@testable import Identity

@Suite("Claims") struct ClaimsTests {
    @Test("a valid token of each kind identifies its subject", arguments: Issuer.Kind.allCases)
    func good(kind: Issuer.Kind) throws {
        let token = try verdict(Forge(kind).token, [Forge.issuer(kind)]).get()
        #expect(token.issuer == Forge.issuerName(kind))
        #expect(token.subject == Forge.subject)
        #expect(token.kind == kind)
        #expect(!token.isPrimary)
        #expect(token.bearer == .person)
        #expect(token.email == "someone@example.com")
        #expect(!token.isEmailVerified)
        #expect(token.fullName == nil)
        #expect(token.role == nil)
        #expect(token.issuedAt == Forge.now)
        #expect(token.expiresAt == Forge.now + 3600)
    }

    @Test("a token's time of issue is returned in whole seconds, or is nil")
    func issueTime() throws {
        for (claim, expected): (JSONValue?, Int64?) in [
            (.number(1.9), 1), (.integer(-5), 0), (.number(-1e300), 0), (nil, nil),
        ] {
            let token = try verdict(Forge().with("iat", claim).token, [Forge.issuer()]).get()
            #expect(token.issuedAt == expected)
        }
    }

    @Test("a token is valid until its expiry, without leeway")
    func expiry() throws {
        let issuer = try Forge.issuer()
        #expect(try refusal(Forge(), by: issuer, now: Forge.now + 3599) == nil)
        #expect(try refusal(Forge(), by: issuer, now: Forge.now + 3600) == .expired)
        #expect(try refusal(Forge(), by: issuer, now: .max) == .expired)
        let fraction = Forge().with("exp", .number(Double(Forge.now) + 0.5))
        #expect(try refusal(fraction, by: issuer, now: Forge.now) == nil)
        #expect(try refusal(fraction, by: issuer, now: Forge.now + 1) == .expired)
        #expect(try refusal(Forge().with("exp", nil), by: issuer) == .missingClaim("exp"))
        for value: JSONValue in ["1900000000", nil, true, [], [:]] {
            #expect(
                try refusal(Forge().with("exp", value), by: issuer) == .malformedClaim("exp"))
        }
        #expect(try refusal(Forge().with("exp", .number(-1e300)), by: issuer) == .expired)
        #expect(try refusal(Forge().with("exp", .number(1e300)), by: issuer) == nil)
    }

    @Test("a token from the future is refused, with 60 seconds of leeway")
    func future() throws {
        let issuer = try Forge.issuer()
        for (name, expected) in [
            ("nbf", TokenRefusal.notYetValid), ("iat", .issuedInFuture),
        ] {
            let near = Forge().with(name, .integer(Forge.now + 60))
            #expect(try refusal(near, by: issuer) == nil)
            let far = Forge().with(name, .integer(Forge.now + 61))
            #expect(try refusal(far, by: issuer) == expected)
            #expect(try refusal(Forge().with(name, nil), by: issuer) == nil)
            let text = Forge().with(name, "1")
            #expect(try refusal(text, by: issuer) == .malformedClaim(name))
        }
    }

    @Test(
        "a token's audience must be one of its issuer's audiences",
        arguments: [
            ("hearth", nil), ("other", nil), (["x", "other"], nil), ("Hearth", .wrongAudience),
            ("hearth ", .wrongAudience), ([], .wrongAudience), (["x", 1], .wrongAudience),
            (nil, .malformedClaim("aud")), (7, .malformedClaim("aud")),
        ] as [(JSONValue, TokenRefusal?)])
    func audience(value: JSONValue, expected: TokenRefusal?) throws {
        #expect(try refusal(Forge().with("aud", value), by: Forge.issuer()) == expected)
    }

    @Test("a token without an audience is refused")
    func noAudience() throws {
        let refused = try refusal(Forge().with("aud", nil), by: Forge.issuer())
        #expect(refused == .missingClaim("aud"))
    }

    @Test("an audience in another Unicode normal form is refused")
    func lookAlikeAudience() throws {
        let issuer = Issuer(
            name: Forge.issuerName(.generic), kind: .generic, audiences: ["caf\u{E9}"],
            keys: try Forge.issuer().keys)
        #expect(try refusal(Forge().with("aud", "caf\u{E9}"), by: issuer) == nil)
        let composed = Forge().with("aud", "cafe\u{301}")
        #expect(try refusal(composed, by: issuer) == .wrongAudience)
    }

    @Test("the subject is required and must be well-formed")
    func subject() throws {
        let issuer = try Forge.issuer()
        #expect(try refusal(Forge().with("sub", nil), by: issuer) == .missingClaim("sub"))
        #expect(try refusal(Forge().with("sub", ""), by: issuer) == .missingClaim("sub"))
        let longest = String(repeating: "é", count: 255)
        #expect(try refusal(Forge().with("sub", .string(longest)), by: issuer) == nil)
        for value: JSONValue in [.string(longest + "x"), 7, ["a"], "a\u{0}b", "a\nb", "\u{7F}"] {
            #expect(
                try refusal(Forge().with("sub", value), by: issuer) == .malformedClaim("sub"))
        }
    }

    @Test("a primary issuer's subject is a UUID, returned in one spelling")
    func primarySubject() throws {
        let issuer = try Forge.issuer(isPrimary: true)
        let upper = Forge().with("sub", .string(Forge.subject.uppercased()))
        let token = try verdict(upper.token, [issuer]).get()
        #expect(token.isPrimary)
        #expect(token.subject == Forge.subject)
        for value: JSONValue in [
            "someone", "5f0c7f1e3b1a4c579a4e0d8a3d2f6b11", .string(Forge.subject + "0"),
            .string("{\(Forge.subject)}"), .string(Forge.subject.replacing("-", with: "_")),
            .string(Forge.subject.replacing("f", with: "g")),
            .string(Forge.subject.replacing("5", with: "\u{665}")),
        ] {
            #expect(
                try refusal(Forge().with("sub", value), by: issuer) == .malformedClaim("sub"))
        }
    }

    @Test("a Supabase address is verified if the issuer's entry says so, whatever the token says")
    func supabaseEmail() throws {
        let forge = Forge(.supabase).with("email_verified", true)
            .with("user_metadata", ["email_verified": true, "email": "other@example.com"])
        let unconfirmed = try verdict(forge.token, [Forge.issuer(.supabase)]).get()
        #expect(unconfirmed.email == "someone@example.com")
        #expect(!unconfirmed.isEmailVerified)
        let issuer = try Forge.issuer(.supabase, confirmsEmails: true)
        #expect(try verdict(forge.token, [issuer]).get().isEmailVerified)
        let none = try verdict(forge.with("email", "").token, [issuer]).get()
        #expect(none.email == nil)
        #expect(!none.isEmailVerified, "there is nothing to verify")
    }

    @Test("other issuers' tokens confirm addresses with a Boolean, and Apple's also with a string")
    func emailVerified() throws {
        for kind: Issuer.Kind in [.cognito, .apple, .generic] {
            for (value, isVerified): (JSONValue, Bool) in [
                (true, true), (false, false), ("true", kind == .apple), ("True", false), (1, false),
                ("1", false),
            ] {
                let forge = Forge(kind).with("email_verified", value)
                let token = try verdict(forge.token, [Forge.issuer(kind)]).get()
                #expect(token.isEmailVerified == isVerified, "\(kind) \(value)")
            }
        }
    }

    @Test("name and role come from Supabase's user metadata; in other tokens the name is in `name`")
    func profile() throws {
        let forge = Forge(.supabase).with("name", "Not This").with(
            "user_metadata", ["full_name": "A Name", "name": "Another", "role": "player"])
        let token = try verdict(forge.token, [Forge.issuer(.supabase)]).get()
        #expect(token.fullName == "A Name")
        #expect(token.role == "player")
        let other = Forge(.generic).with("name", "A Name").with("role", "player")
            .with("user_metadata", ["full_name": "No", "role": "player"])
        let generic = try verdict(other.token, [Forge.issuer()]).get()
        #expect(generic.fullName == "A Name")
        #expect(generic.role == nil)
    }

    @Test("user metadata of an unexpected type is ignored")
    func oddMetadata() throws {
        for value: JSONValue in [nil, 7, "x", [], ["full_name": 7, "role": ["a"]]] {
            let forge = Forge(.supabase).with("user_metadata", value)
            let token = try verdict(forge.token, [Forge.issuer(.supabase)]).get()
            #expect(token.fullName == nil)
            #expect(token.role == nil)
        }
    }

    @Test("Supabase's anonymous users and project keys are recognised")
    func supabaseStanding() throws {
        let issuer = try Forge.issuer(.supabase)
        func bearer(_ forge: Forge) throws -> VerifiedToken.Bearer? {
            try? verdict(forge.token, [issuer]).get().bearer
        }
        let forge = Forge(.supabase)
        #expect(try bearer(forge) == .person)
        #expect(try bearer(forge.with("role", nil)) == .person)
        #expect(try bearer(forge.with("is_anonymous", false)) == .person)
        #expect(try bearer(forge.with("is_anonymous", true)) == .anonymous)
        #expect(try bearer(forge.with("role", "anon").with("sub", nil)) == .anonymous)
        #expect(try bearer(forge.with("role", "service_role").with("sub", nil)) == .service)
        #expect(try refusal(forge.with("role", "postgres"), by: issuer) == .wrongRole)
        #expect(
            try refusal(forge.with("is_anonymous", "false"), by: issuer)
                == .malformedClaim("is_anonymous"))
        let generic = Forge(.generic).with("is_anonymous", true).with("role", "service_role")
        #expect(try verdict(generic.token, [Forge.issuer()]).get().bearer == .person)
    }

    @Test("a Supabase project key, which has no audience, is refused")
    func projectKey() throws {
        let key = Forge(.supabase).with("role", "service_role").with("aud", nil).with("sub", nil)
        #expect(try refusal(key, by: Forge.issuer(.supabase)) == .missingClaim("aud"))
    }

    @Test("a Cognito token must have the accepted use, and its client in that use's claim")
    func cognito() throws {
        let id = Forge(.cognito)
        let access = Forge(.cognito).with("token_use", "access").with("aud", nil)
            .with("client_id", "hearth")
        let both = try Forge.issuer(.cognito)
        let idOnly = try Forge.issuer(.cognito, tokenUse: .id)
        let accessOnly = try Forge.issuer(.cognito, tokenUse: .access)
        #expect(try refusal(id, by: both) == nil)
        #expect(try refusal(access, by: both) == nil)
        #expect(try refusal(id, by: idOnly) == nil)
        #expect(try refusal(access, by: idOnly) == .wrongTokenUse)
        #expect(try refusal(id, by: accessOnly) == .wrongTokenUse)
        #expect(try refusal(access, by: accessOnly) == nil)
        #expect(try refusal(id.with("token_use", nil), by: both) == .wrongTokenUse)
        #expect(try refusal(id.with("token_use", "refresh"), by: both) == .wrongTokenUse)
        #expect(try refusal(access.with("client_id", "x"), by: both) == .wrongAudience)
        #expect(
            try refusal(access.with("client_id", ["hearth"]), by: both)
                == .malformedClaim("client_id"))
        let borrowed = access.with("client_id", nil).with("aud", "hearth")
        #expect(try refusal(borrowed, by: both) == .missingClaim("client_id"))
    }
}
