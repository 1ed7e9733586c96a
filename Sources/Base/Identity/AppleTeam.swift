import Basics
package import Crypto
package import Fetching
import JSON

/// Access to Apple's token endpoints for an app's team, as Apple documents it ("Sign in with Apple
/// REST API").
package struct AppleTeam: Sendable {
    /// The response of Apple.
    package enum TokenResponse: Sendable, Equatable {
        /// The request was granted; tokens are set only if they were requested.
        case granted(refreshToken: String?, idToken: String?)
        /// The code or token is invalid or has expired.
        case refused
        /// The result is unknown: Apple is unreachable, or refuses the team's own key.
        case unknown(String)
    }

    /// The URLs of Apple's endpoints.
    package static let (tokenURL, revokeURL) = (
        "https://appleid.apple.com/auth/token", "https://appleid.apple.com/auth/revoke"
    )
    /// Lifetime of a client secret.
    private static let secretSeconds: Int64 = 300

    private let issuer: String
    private let teamID: String
    private let keyID: String
    private let key: SigningKey
    private let tokenAddress: FetchAddress
    private let revokeAddress: FetchAddress

    /// - Parameters:
    ///   - issuer: Apple's issuer name, the audience of client secrets.
    ///   - key: The private key that Apple knows as `keyID`.
    package init(
        issuer: String, teamID: String, keyID: String, key: SigningKey,
        tokenAddress: FetchAddress, revokeAddress: FetchAddress
    ) {
        self.issuer = issuer
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
        self.tokenAddress = tokenAddress
        self.revokeAddress = revokeAddress
    }

    /// Exchanges an authorization code, which is valid once, for a refresh token.
    ///
    /// - Parameters:
    ///   - client: The app or service that the code was issued to: the token's audience.
    ///   - now: Seconds since 1970.
    package func exchange(code: String, client: String, now: Int64) throws(CryptoError)
        -> TokenResponse
    {
        try send(
            tokenAddress, client, now,
            [("grant_type", "authorization_code"), ("code", code)])
    }

    /// Checks whether a refresh token is still valid: the person has not revoked it.
    package func check(
        refreshToken: String, client: String, now: Int64
    ) throws(CryptoError) -> TokenResponse {
        try send(
            tokenAddress, client, now,
            [("grant_type", "refresh_token"), ("refresh_token", refreshToken)])
    }

    /// Revokes the app's access to the person's Apple account. An invalid token is `refused`;
    /// nothing is left to revoke then.
    package func revoke(
        refreshToken: String, client: String, now: Int64
    ) throws(CryptoError) -> TokenResponse {
        try send(
            revokeAddress, client, now,
            [("token", refreshToken), ("token_type_hint", "refresh_token")])
    }

    private func send(
        _ address: FetchAddress, _ client: String, _ now: Int64,
        _ fields: [(name: String, value: String)]
    ) throws(CryptoError) -> TokenResponse {
        let clientFields = [
            (name: "client_id", value: client),
            (name: "client_secret", value: try secret(client, now)),
        ]
        let body = FormEncoding.text(clientFields + fields)
        var outbound = OutboundClient(.internetAndLoopback)
        outbound.timeoutSeconds = 5
        outbound.connectTimeoutSeconds = 3
        do throws(FetchError) {
            let response = try outbound.send(
                "POST", to: address,
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(body.utf8))
            return Self.read(response)
        } catch {
            return .unknown(error.description)
        }
    }

    /// Creates a client secret: a signed token that authenticates the team.
    func secret(_ client: String, _ now: Int64) throws(CryptoError) -> String {
        var header = JSONWriter()
        header.object {
            $0.member("alg", "ES256")
            $0.member("kid", keyID)
        }
        var claims = JSONWriter()
        claims.object {
            $0.member("iss", teamID)
            $0.member("iat", Int(now))
            $0.member("exp", Int(now + Self.secretSeconds))
            $0.member("aud", issuer)
            $0.member("sub", client)
        }
        let point = [UInt8(ascii: ".")]
        let signed = Base64URL.encode(header.bytes) + point + Base64URL.encode(claims.bytes)
        let signature = Base64URL.encode(try key.sign(signed))
        return String(decoding: signed + point + signature, as: UTF8.self)
    }

    private static func read(_ outbound: OutboundResponse) -> TokenResponse {
        let response = TokenEndpointResponse(outbound)
        switch (response.status, response.text("error")) {
        case (200, _):
            return .granted(
                refreshToken: response.text("refresh_token"), idToken: response.text("id_token"))
        case (400, "invalid_grant"): return .refused
        default: return .unknown(response.reason)
        }
    }
}
