import Crypto
import JSON
import Testing

@testable import Identity

/// Creates tokens of any kind, valid or not.
struct Forge {
    static let now: Int64 = 1_800_000_000
    static let secretBytes = Array("an-hs256-secret-of-at-least-32-bytes".utf8)
    static let subject = "5f0c7f1e-3b1a-4c57-9a4e-0d8a3d2f6b11"

    var header = #"{"alg":"HS256","typ":"JWT"}"#
    var claims: JSONObject
    /// Text to sign instead of the claims.
    var payload: String?
    var secret = Forge.secretBytes

    /// Creates a token as an issuer of this kind would, valid from `now` for an hour.
    init(_ kind: Issuer.Kind = .generic) {
        var members: [JSONObject.Member] = [
            .init(name: "iss", value: .string(Self.issuerName(kind))),
            .init(name: "sub", value: .string(Self.subject)),
            .init(name: "aud", value: "hearth"),
            .init(name: "iat", value: .integer(Self.now)),
            .init(name: "exp", value: .integer(Self.now + 3600)),
            .init(name: "email", value: "someone@example.com"),
        ]
        switch kind {
        case .supabase: members.append(.init(name: "role", value: "authenticated"))
        case .cognito: members.append(.init(name: "token_use", value: "id"))
        case .apple, .generic: break
        }
        claims = JSONObject(members)
    }

    static func issuerName(_ kind: Issuer.Kind) -> String { "https://\(kind.rawValue).example.com" }

    static func issuer(
        _ kind: Issuer.Kind = .generic, isPrimary: Bool = false, confirmsEmails: Bool = false,
        tokenUse: Issuer.TokenUse? = nil
    ) throws -> Issuer {
        Issuer(
            name: issuerName(kind), kind: kind, audiences: ["hearth", "other"],
            isPrimary: isPrimary, confirmsEmails: confirmsEmails, tokenUse: tokenUse,
            keys: IssuerKeys(secret: try HMACKey(secretBytes)))
    }

    /// Returns a copy with a claim set, or removed if nil.
    func with(_ name: String, _ value: JSONValue?) -> Forge {
        var copy = self
        let rest = claims.members.filter { $0.name != name }
        copy.claims = JSONObject(rest + (value.map { [.init(name: name, value: $0)] } ?? []))
        return copy
    }

    func with(header: String) -> Forge {
        var copy = self
        copy.header = header
        return copy
    }

    func with(payload: String) -> Forge {
        var copy = self
        copy.payload = payload
        return copy
    }

    var signedPart: String {
        let text = payload ?? JSONValue.object(claims).text()
        return Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(Array(text.utf8))
    }

    var token: String {
        get throws {
            let signature = try HMACKey(secret).authenticate(Array(signedPart.utf8))
            return signedPart + "." + Base64URL.text(signature)
        }
    }
}

/// Verifies a token with a verifier that trusts these issuers.
func verdict(
    _ token: String, _ issuers: [Issuer], now: Int64 = Forge.now
) -> Result<VerifiedToken, TokenRefusal> {
    do throws(TokenRefusal) {
        return .success(try TokenVerifier(issuers).verify(token, now: now))
    } catch {
        return .failure(error)
    }
}

/// Returns the reason why an issuer's verifier refuses the token; nil if it is accepted.
func refusal(_ forge: Forge, by issuer: Issuer, now: Int64 = Forge.now) throws -> TokenRefusal? {
    switch verdict(try forge.token, [issuer], now: now) {
    case .success: nil
    case .failure(let refusal): refusal
    }
}
