import Crypto
import JSON

extension TokenVerifier {
    /// Verifies the ID token of a sign-in on pages (OpenID Connect Core section 3.1.3.7).
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the request; the token's claim must be equal to it.
    ///   - accessToken: The access token that came with the ID token. If the ID token contains the
    ///     hash of an access token, it must be the hash of this one.
    package func verifyIDToken(
        _ token: String, of client: ProviderClient, nonce: String, accessToken: String?, now: Int64
    ) throws(TokenRefusal) -> VerifiedToken {
        let bytes = Array(token.utf8)
        let verified = try verify(bytes, now: now)
        guard verified.issuer.utf8.elementsEqual(client.issuer.utf8), verified.session == nil else {
            throw .unknownIssuer
        }
        // The signature is valid, so the claims can be believed.
        let parts = try CompactToken(bytes)
        // An access token of the same issuer is no proof that somebody has signed in here.
        guard parts.type == nil || parts.type == "jwt" else { throw .malformed("typ") }
        try Self.checkAudience(parts.claims, client.clientID)
        guard verified.issuedAt != nil else { throw .missingClaim("iat") }
        guard case .string(let claim)? = parts.claims["nonce"],
            constantTimeEqual(Array(claim.utf8), Array(nonce.utf8))
        else { throw .malformedClaim("nonce") }
        if let hash = parts.claims["at_hash"], let accessToken {
            guard case .string(let text)? = Optional(hash),
                try text == Self.hash(of: accessToken, parts.algorithm)
            else { throw .malformedClaim("at_hash") }
        }
        return verified
    }

    /// Checks that the token was issued to the client. A token with further audiences must name the
    /// client in `azp`.
    private static func checkAudience(
        _ claims: JSONObject, _ client: String
    ) throws(TokenRefusal) {
        let audiences: [JSONValue] =
            switch claims["aud"] {
            case .array(let list)?: list
            case let value?: [value]
            case nil: []
            }
        func isClient(_ value: JSONValue) -> Bool {
            guard case .string(let text) = value else { return false }
            return text.utf8.elementsEqual(client.utf8)
        }
        guard audiences.contains(where: isClient) else { throw .wrongAudience }
        switch claims["azp"] {
        case nil where audiences.count == 1: break
        case let party? where isClient(party): break
        default: throw .malformedClaim("azp")
        }
    }

    /// Returns the left half of an access token's hash, with the hash function of the algorithm.
    private static func hash(
        of accessToken: String, _ algorithm: String
    ) throws(TokenRefusal) -> String {
        guard algorithm == SignatureAlgorithm.edDSA.rawValue else {
            return Base64URL.text(Array(SHA256Digest(of: accessToken).bytes.prefix(16)))
        }
        do throws(CryptoError) {
            return Base64URL.text(Array(try SHA512.digest(of: Array(accessToken.utf8)).prefix(32)))
        } catch {
            throw .unavailable(error)
        }
    }
}
