package import Crypto
import JSON

/// The claims of a token to mint.
package struct TokenDraft: Sendable {
    /// The `sub`, a UUID for a primary issuer.
    package var subject: String
    /// The address; nil: the token contains neither an address nor its verification.
    package var email: String?
    /// Whether the address is verified. Used only for issuers that state this in the token; for
    /// Supabase, the issuers file states it.
    package var isEmailVerified = true
    /// The name; nil: the token contains none.
    package var fullName: String?
    /// The role `player` or `parent`; Supabase only.
    package var role: String?
    /// Lifetime of the token from the moment it is minted.
    package var lifetimeSeconds: Int64 = 3600

    /// Creates a draft that is valid for an hour and contains only the subject.
    package init(subject: String) {
        self.subject = subject
    }
}

/// The reason why no token can be minted.
package enum TokenMintError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The issuer signs with keys that Hearth does not have.
    case noSecret(issuer: String)
    case failed(CryptoError)

    package var description: String {
        switch self {
        case .noSecret(let issuer): "The issuer \(issuer) has no HS256 secret to sign with"
        case .failed(let error): error.description
        }
    }
}

extension Issuer {
    /// Mints a token as this issuer would sign it, for development or for operators. Possible only
    /// for an issuer whose HS256 secret Hearth has.
    ///
    /// `now` is in seconds since 1970. A `TokenVerifier` that trusts the issuer accepts the token,
    /// if the subject has the form of the issuer's subjects.
    package func mint(_ draft: TokenDraft, now: Int64) throws(TokenMintError) -> String {
        guard let secret = keys.secret else { throw .noSecret(issuer: name) }
        var token = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(claims(draft, now: now))
        do throws(CryptoError) {
            let signature = Base64URL.encode(try secret.authenticate(token))
            return String(decoding: token + [UInt8(ascii: ".")] + signature, as: UTF8.self)
        } catch {
            throw .failed(error)
        }
    }

    private func claims(_ draft: TokenDraft, now: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("iss", name)
            json.member("sub", draft.subject)
            json.member(
                kind == .cognito && tokenUse == .access ? "client_id" : "aud", audiences.first)
            json.member("iat", Int(now))
            json.member("exp", Int(now + draft.lifetimeSeconds))
            if let email = draft.email {
                json.member("email", email)
                if kind != .supabase { json.member("email_verified", draft.isEmailVerified) }
            }
            switch kind {
            case .supabase:
                json.member("role", "authenticated")
                json.member("is_anonymous", false)
                json.object("user_metadata") { metadata in
                    if let fullName = draft.fullName { metadata.member("full_name", fullName) }
                    if let role = draft.role { metadata.member("role", role) }
                }
            case .cognito: json.member("token_use", (tokenUse ?? .id).rawValue)
            case .apple, .generic: break
            }
            if kind != .supabase, let fullName = draft.fullName { json.member("name", fullName) }
        }
        return json.bytes
    }
}
