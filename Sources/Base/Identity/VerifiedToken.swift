package import Crypto
import JSON

/// The content of a token whose signature and claims have been checked.
package struct VerifiedToken: Sendable, Equatable {
    /// The kind of bearer.
    package enum Bearer: String, Sendable {
        /// A person who has signed in.
        case person
        /// An unidentified caller: Supabase's anonymous users and its `anon` key.
        case anonymous
        /// A machine with more rights than a person should have: Supabase's `service_role` key.
        case service
    }

    /// The issuer's name; it identifies the bearer together with `subject`.
    package let issuer: String
    /// The issuer's name for the bearer, 1 to 255 characters; from a primary issuer a UUID in lower
    /// case. Empty only if `bearer` is not `person`.
    package let subject: String
    /// The kind of issuer. (The caller's kind is ``bearer``.)
    package let kind: Issuer.Kind
    /// Whether the issuer's user ids are also Hearth's: see ``Issuer``.
    package let isPrimary: Bool
    /// Whether a new sign-in of the issuer joins an account by its address: see ``Issuer``.
    package let linksAddresses: Bool
    /// The kind of caller that the token belongs to.
    package let bearer: Bearer
    /// The address as the issuer wrote it; nil if it gave none.
    package let email: String?
    /// Whether the issuer vouches for the address.
    package let isEmailVerified: Bool
    /// The name that the bearer once chose: only a default for a profile.
    package let fullName: String?
    /// The role that the bearer once chose: a default for a profile, and not to be relied on.
    package let role: String?
    /// The token's audience that the issuer's entry lists.
    package var audience = ""
    /// The nonce that the client passed when it requested the token.
    package var nonce: String?
    /// Time of issue, in whole seconds since 1970; nil if the token doesn't state it. If two tokens
    /// of one subject differ, the one that was issued later decides.
    package let issuedAt: Int64?
    /// Time of expiry, in seconds since 1970.
    package let expiresAt: Int64
    /// The session; set only for Hearth's own tokens.
    package var session: Session?

    /// The session of one of Hearth's own tokens.
    package struct Session: Sendable, Equatable {
        /// The session's id.
        package let id: String
        /// The id of the user acting for the subject; nil: the subject itself.
        package let actor: String?
        /// Time of the sign-in, in seconds since 1970; refreshing the session does not change it.
        package let signedInAt: Int64
    }
}

/// A token split into its parts (RFC 7515 section 7.1), none of them verified yet.
struct CompactToken {
    /// Maximum length; longer tokens are refused before they are parsed.
    static let limitBytes = 8192

    let algorithm: String
    let keyID: String?
    /// The type in lower case.
    let type: String?
    let claims: JSONObject
    let signature: [UInt8]
    /// Number of bytes at the beginning of the token that the signature covers.
    let signedCount: Int

    /// Parses header, payload and signature. Refuses malformed tokens, and those that try to supply
    /// their own keys.
    init(_ bytes: [UInt8]) throws(TokenRefusal) {
        guard bytes.count <= Self.limitBytes else { throw .malformed("too long") }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot),
            let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot)
        else { throw .malformed("not three parts") }
        let header = try Self.object(bytes.span.extracting(..<first), "header")
        claims = try Self.object(bytes.span.extracting((first + 1)..<second), "payload")
        guard let signature = Base64URL.decode(bytes.span.extracting((second + 1)...)) else {
            throw .malformed("signature")
        }
        self.signature = signature
        signedCount = second
        for name in ["jwk", "jku", "x5u", "x5c", "crit"] where header[name] != nil {
            throw .forbiddenHeader(name)
        }
        guard case .string(let algorithm)? = header["alg"] else { throw .malformed("alg") }
        self.algorithm = algorithm
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let id)?: keyID = id
        default: throw .malformed("kid")
        }
        type = try Self.type(header["typ"])
    }

    private static func object(
        _ encoded: Span<UInt8>, _ part: String
    ) throws(TokenRefusal) -> JSONObject {
        guard let bytes = Base64URL.decode(encoded) else { throw .malformed(part) }
        do throws(JSONError) {
            return try JSONField(try JSONValue(parsing: bytes)).object()
        } catch {
            // Not the error's own text, which could contain names from the payload.
            throw .malformed("\(part) (\(error.code.rawValue))")
        }
    }

    /// Checks that a token with a type is an access or ID token (RFC 8725 section 3.11).
    private static func type(_ type: JSONValue?) throws(TokenRefusal) -> String? {
        guard let type else { return nil }
        guard case .string(let name) = type,
            ["jwt", "at+jwt", "application/at+jwt"].contains(name.lowercased())
        else { throw .malformed("typ") }
        return name.lowercased()
    }
}

/// The reason why a token is refused.
///
/// `description` is safe for clients. Nearly all refusals mean that the caller needs another token
/// (401). `unavailable` is an error of the server (500). `keysUnavailable` and `keysPending` are
/// temporary (503). `keysAwaited` is only for callers that don't wait.
package enum TokenRefusal: Error, Sendable, Equatable {
    /// The token is not three parts of canonical base64url with JSON objects in them, or too long.
    case malformed(String)
    /// The header contains keys or extensions: `jwk`, `jku`, `x5u`, `x5c`, `crit`.
    case forbiddenHeader(String)
    /// `iss` is not a trusted issuer.
    case unknownIssuer
    /// The issuer doesn't sign with the header's algorithm.
    case algorithmNotAllowed
    /// The issuer has no key with the header's id.
    case unknownKey
    case badSignature
    /// `exp` has passed.
    case expired
    /// `nbf` is in the future.
    case notYetValid
    /// `iat` is in the future.
    case issuedInFuture
    /// The token has none of the audiences in the issuer's entry.
    case wrongAudience
    /// Cognito's `token_use` is not the accepted one.
    case wrongTokenUse
    /// Supabase's `role` is not that of a person.
    case wrongRole
    /// A required claim is missing: its name.
    case missingClaim(String)
    /// A claim has the wrong type or form.
    case malformedClaim(String)
    /// The signature could not be checked.
    case unavailable(CryptoError)
    /// The token's key could not be fetched: the issuer gave no valid response, or none yet.
    case keysUnavailable(retryAfterSeconds: Int)
    /// The token's key is unknown, and it is too early to ask the issuer again.
    case keysPending(retryAfterSeconds: Int)
    /// The token's key must be fetched first, and the caller does not wait.
    case keysAwaited

    /// A stable word for metrics and logs.
    package var code: String {
        switch self {
        case .malformed: "malformed"
        case .forbiddenHeader: "forbidden_header"
        case .unknownIssuer: "unknown_issuer"
        case .algorithmNotAllowed: "algorithm_not_allowed"
        case .unknownKey: "unknown_key"
        case .badSignature: "bad_signature"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .issuedInFuture: "issued_in_future"
        case .wrongAudience: "wrong_audience"
        case .wrongTokenUse: "wrong_token_use"
        case .wrongRole: "wrong_role"
        case .missingClaim: "missing_claim"
        case .malformedClaim: "malformed_claim"
        case .unavailable: "unavailable"
        case .keysUnavailable: "keys_unavailable"
        case .keysPending: "keys_pending"
        case .keysAwaited: "keys_awaited"
        }
    }
}

extension TokenRefusal: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "The token is malformed."
        case .forbiddenHeader: "The token's header has a field that is not accepted."
        case .unknownIssuer: "The token's issuer is not trusted here."
        case .algorithmNotAllowed: "The token's algorithm is not accepted from its issuer."
        case .unknownKey, .badSignature: "The token's signature is not valid."
        case .expired: "The token has expired."
        case .notYetValid, .issuedInFuture: "The token is not valid yet."
        case .wrongAudience: "The token is meant for someone else."
        case .wrongTokenUse, .wrongRole: "The token does not belong to a signed-in person."
        case .missingClaim, .malformedClaim: "The token lacks a claim that is needed."
        case .unavailable, .keysUnavailable, .keysPending, .keysAwaited:
            "The token could not be checked."
        }
    }

    /// Names the part of the token that is wrong, never its content.
    package var debugDescription: String {
        switch self {
        case .malformed(let detail): "\(code): \(detail)"
        case .forbiddenHeader(let name), .missingClaim(let name), .malformedClaim(let name):
            "\(code): \(name)"
        case .unavailable(let error): "\(code): \(error.debugDescription)"
        default: code
        }
    }
}
