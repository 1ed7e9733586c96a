package import Crypto
import JSON

/// The content of a token whose signature and rules have been checked.
package struct VerifiedToken: Sendable, Equatable {
    /// The kind of bearer.
    package enum Bearer: String, Sendable {
        /// A person who has signed in.
        case person
        /// Somebody who has not said who they are; Supabase's anonymous users and its `anon` key.
        case anonymous
        /// A machine with more rights than a person should have; Supabase's `service_role` key.
        case service
    }

    /// The issuer's name; together with `subject` it says who it is.
    package let issuer: String
    /// The issuer's name for the bearer, 1 to 255 characters; from a primary issuer a UUID in lower
    /// case. Empty only if `bearer` is not `person`.
    package let subject: String
    /// The issuer's kind: ``bearer`` is the caller's.
    package let kind: Issuer.Kind
    /// Whether the issuer's user ids are also Hearth's: see ``Issuer``.
    package let isPrimary: Bool
    /// Whether a new sign-in of the issuer is added to an account by its address: see ``Issuer``.
    package let linksAddresses: Bool
    /// What kind of caller the token is of.
    package let bearer: Bearer
    /// As the issuer wrote it; nil if it gave none.
    package let email: String?
    /// Whether the issuer vouches for the address.
    package let isEmailVerified: Bool
    /// The name that the bearer once chose: only a default for a profile.
    package let fullName: String?
    /// The role the bearer once chose: a default for a profile, nothing to rely on.
    package let role: String?
    /// Of the token's audiences the one that the issuer's entry has.
    package var audience = ""
    /// As the issuer wrote it: what the client gave when it asked for the token.
    package var nonce: String?
    /// When the issuer made it, in whole seconds since 1970; nil if it doesn't say. Of two tokens
    /// of one subject, the later one decides.
    package let issuedAt: Int64?
    /// The second (since 1970) at which the token expires.
    package let expiresAt: Int64
    /// Of Hearth's own tokens only.
    package var session: Session?

    /// The session that one of Hearth's own tokens is of.
    package struct Session: Sendable, Equatable {
        /// The session's id.
        package let id: String
        /// Who acts for the subject; nil: the subject itself.
        package let actor: String?
        /// When the person signed in, in seconds since 1970: not later when the session is
        /// refreshed.
        package let signedInAt: Int64
    }
}

/// A token taken apart (RFC 7515 section 7.1), with nothing in it believed yet.
struct CompactToken {
    /// Longer ones are refused before anything is read of them.
    static let limitBytes = 8192

    let algorithm: String
    let keyID: String?
    /// In lower case.
    let type: String?
    let claims: JSONObject
    let signature: [UInt8]
    /// How many of the token's first bytes the signature is over.
    let signedCount: Int

    /// Reads header, payload and signature; refuses what is malformed and what would have us trust
    /// the token for its own keys.
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

    /// A token that says what it is must be one for access or identity (RFC 8725 section 3.11).
    private static func type(_ type: JSONValue?) throws(TokenRefusal) -> String? {
        guard let type else { return nil }
        guard case .string(let name) = type,
            ["jwt", "at+jwt", "application/at+jwt"].contains(name.lowercased())
        else { throw .malformed("typ") }
        return name.lowercased()
    }
}

/// Why a token is not believed.
///
/// `description` is safe for clients. Nearly all mean that the caller needs another token (401).
/// `unavailable` is an error of the server (500). `keysUnavailable` and `keysPending` are temporary
/// (503). `keysAwaited` is only for callers that don't wait.
package enum TokenRefusal: Error, Sendable, Equatable {
    /// Not three parts of canonical base64url with JSON objects in them, or too long.
    case malformed(String)
    /// The header names keys or extensions: `jwk`, `jku`, `x5u`, `x5c`, `crit`.
    case forbiddenHeader(String)
    /// `iss` is not a trusted issuer.
    case unknownIssuer
    /// The issuer doesn't sign with the algorithm that the header names.
    case algorithmNotAllowed
    /// The issuer has no key of the name that the header gives.
    case unknownKey
    case badSignature
    /// `exp` has passed.
    case expired
    /// `nbf` is in the future.
    case notYetValid
    /// `iat` is in the future.
    case issuedInFuture
    /// None of the token's audiences is one that the issuer's entry has.
    case wrongAudience
    /// Cognito's `token_use` is not the one accepted.
    case wrongTokenUse
    /// Supabase's `role` is not one that people have.
    case wrongRole
    /// A claim that every token must have is not there: its name.
    case missingClaim(String)
    /// A claim of the wrong type or form.
    case malformedClaim(String)
    /// The signature could not be checked at all.
    case unavailable(CryptoError)
    /// The token's key could not be looked for: the issuer gave no good answer, or none yet.
    case keysUnavailable(retryAfterSeconds: Int)
    /// The token's key is not known, and it is too early to ask the issuer again.
    case keysPending(retryAfterSeconds: Int)
    /// The token's key has to be fetched first, and the caller does not wait.
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
        case .wrongTokenUse, .wrongRole: "The token is not one of a person signed in."
        case .missingClaim, .malformedClaim: "The token lacks a claim that is needed."
        case .unavailable, .keysUnavailable, .keysPending, .keysAwaited:
            "The token could not be checked."
        }
    }

    /// Says which part of the token is wrong, never its content.
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
