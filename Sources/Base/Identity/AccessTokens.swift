package import Crypto
import JSON

/// Signs the access tokens of Hearth's own sessions (RFC 9068).
package struct AccessTokens: Sendable {
    /// The claims of a token to sign.
    package struct Draft: Sendable {
        /// A user's id.
        package var subject: String
        /// The session's id: `sid`.
        package var session: String
        /// Time of the sign-in, in seconds since 1970.
        package var signedInAt: Int64
        /// The sign-in methods (RFC 8176).
        package var methods: [String]
        /// The audience: Hearth itself, or a service that a guardian requested the token for.
        package var audience = AccessTokens.audience
        /// The id of the user acting for the subject (RFC 8693 section 4.1); nil: the subject
        /// itself.
        package var actor: String?
        /// Lifetime of the token from the moment it is signed.
        package var lifetimeSeconds = AccessTokens.lifetimeSeconds

        package init(
            subject: String, session: String, signedInAt: Int64, methods: [String]
        ) {
            self.subject = subject
            self.session = session
            self.signedInAt = signedInAt
            self.methods = methods
        }
    }

    /// The audience of tokens for Hearth itself.
    package static let audience = "hearth"
    /// Lifetime of a token in seconds.
    package static let lifetimeSeconds: Int64 = 600
    /// The `typ` of the tokens.
    static let type = "at+jwt"

    /// The `iss` of the tokens.
    package let issuer: String
    /// The signing keys; the newest one signs.
    package let keys: SigningKeys

    package init(issuer: String, keys: SigningKeys) {
        self.issuer = issuer
        self.keys = keys
    }

    /// The issuer of these tokens, for a verifier's list of trusted issuers.
    package var trusted: Issuer {
        let keys = keys
        return Issuer(
            name: issuer, kind: .generic, audiences: [Self.audience], keys: keys.verification,
            ownKeys: keys)
    }

    /// Returns Hearth as an issuer in a program that has only its public keys.
    package static func trusted(issuer: String, publicKeys: [NamedKey]) -> Issuer {
        Issuer(
            name: issuer, kind: .generic, audiences: [audience],
            keys: IssuerKeys(publicKeys: publicKeys), isOwn: true)
    }

    /// Signs a token; `now` is in seconds since 1970.
    package func token(_ draft: Draft, now: Int64) throws(CryptoError) -> String {
        let key = keys.newest
        let header = #"{"alg":"ES256","typ":"\#(Self.type)","kid":"\#(key.id)"}"#
        var token = Base64URL.encode(Array(header.utf8))
        token.append(UInt8(ascii: "."))
        token += Base64URL.encode(claims(draft, id: try .random(count: 16), now: now))
        let signature = Base64URL.encode(try key.key.sign(token))
        return String(decoding: token + [UInt8(ascii: ".")] + signature, as: UTF8.self)
    }

    private func claims(_ draft: Draft, id: [UInt8], now: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("iss", issuer)
            json.member("sub", draft.subject)
            json.member("aud", draft.audience)
            json.member("client_id", Self.audience)
            json.member("iat", Int(now))
            json.member("exp", Int(now + draft.lifetimeSeconds))
            json.member("jti", Base64URL.text(id))
            json.member("sid", draft.session)
            json.member("auth_time", Int(draft.signedInAt))
            json.array("amr") { for method in draft.methods { $0.element(method) } }
            // The database role that PostgREST switches to.
            json.member("role", "authenticated")
            if let actor = draft.actor { json.object("act") { $0.member("sub", actor) } }
        }
        return json.bytes
    }
}
