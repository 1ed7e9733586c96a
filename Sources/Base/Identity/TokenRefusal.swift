package import Crypto

/// Why a token is not believed.
///
/// `description` is safe for clients. Nearly all mean that the caller needs another token (401).
/// `unavailable` is an error of the server (500), and `keysMissing` is temporary (503).
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
    case expired
    /// `nbf` is in the future.
    case notYetValid
    /// `iat` is in the future.
    case issuedInFuture
    case wrongAudience
    /// Cognito's `token_use` is not the one accepted.
    case wrongTokenUse
    /// Supabase's `role` is not one that people have.
    case wrongRole
    case missingClaim(String)
    /// A claim of the wrong type or form.
    case malformedClaim(String)
    /// The signature could not be checked at all.
    case unavailable(CryptoError)
    /// The issuer's keys could not be fetched yet.
    case keysMissing

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
        case .keysMissing: "keys_missing"
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
        case .unavailable, .keysMissing: "The token could not be checked."
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
