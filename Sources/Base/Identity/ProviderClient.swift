import Basics
package import Crypto
import Fetching
import JSON

/// Hearth as a client of an OpenID provider, for signing in on pages (OpenID Connect Core section
/// 3.1: the authorization code flow, with PKCE, RFC 7636).
package struct ProviderClient: Sendable {
    /// The proof of the client's identity.
    enum Credential: Sendable {
        case secret(String)
        /// Apple: secrets are signed with the team's key.
        case team(AppleTeam)
    }

    /// The values that bind a sign-in to one browser.
    package struct Request: Sendable {
        package let state: String
        package let nonce: String
        /// The code verifier of RFC 7636.
        package let verifier: String
        package let redirectURI: String

        package init(state: String, nonce: String, verifier: String, redirectURI: String) {
            self.state = state
            self.nonce = nonce
            self.verifier = verifier
            self.redirectURI = redirectURI
        }
    }

    /// The tokens that a code was exchanged for.
    package struct Tokens: Sendable {
        package let idToken: String
        package let accessToken: String?
        package let refreshToken: String?
    }

    /// The response of the token endpoint.
    package enum Exchange: Sendable {
        case granted(Tokens)
        /// The code is invalid, was used before, or belongs to another request.
        case refused
        /// The provider refuses the client itself, with this error code.
        case misconfigured(String)
        /// Absence of a usable response, with the reason for logs.
        case unavailable(String)
    }

    /// The provider's name on buttons.
    package let name: String
    package let issuer: String
    package let clientID: String
    let credential: Credential
    /// The provider's description.
    package let metadata: PublishedMetadata
    /// Maximum duration of an exchange.
    private static let (exchangeSeconds, connectSeconds) = (5.0, 3.0)

    init(
        name: String, issuer: String, clientID: String, credential: Credential,
        metadata: PublishedMetadata
    ) {
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.credential = credential
        self.metadata = metadata
    }

    /// Whether the provider's page sends responses as forms (OAuth 2.0 Form Post Response Mode).
    /// Apple requires this of clients that request a name.
    package var usesFormPost: Bool {
        if case .team = credential { true } else { false }
    }

    /// Whether the provider gives refresh tokens to a team, as only Apple does.
    package var hasTeam: Bool { usesFormPost }

    // MARK: The beginning

    /// Returns the address of the provider's page for a request.
    package func address(of request: Request, _ metadata: ProviderMetadata) -> String {
        let challenge = Base64URL.text(SHA256Digest(of: request.verifier).bytes)
        var fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", clientID),
            ("redirect_uri", request.redirectURI),
            ("scope", usesFormPost ? "openid name email" : "openid profile email"),
            ("state", request.state), ("nonce", request.nonce),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if usesFormPost { fields.append(("response_mode", "form_post")) }
        let endpoint = metadata.authorizationEndpoint.text
        return endpoint + (endpoint.contains("?") ? "&" : "?") + FormEncoding.text(fields)
    }

    // MARK: The end

    /// Exchanges a code, which is valid once. Takes at most five seconds.
    package func exchange(
        code: String, of request: Request, _ metadata: ProviderMetadata, now: Int64
    ) throws(CryptoError) -> Exchange {
        var fields: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", request.redirectURI), ("code_verifier", request.verifier),
        ]
        var headers = [
            (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            (name: "Accept", value: "application/json"),
        ]
        switch (credential, metadata.authentication) {
        case (.secret(let secret), .basic):
            let pair = FormEncoding.encoded(clientID) + ":" + FormEncoding.encoded(secret)
            headers.append(
                ("Authorization", "Basic " + Base64URL.standardText(Array(pair.utf8))))
        case (.secret(let secret), .post):
            fields += [("client_id", clientID), ("client_secret", secret)]
        case (.team(let team), _):
            fields += [("client_id", clientID), ("client_secret", try team.secret(clientID, now))]
        }
        var outbound = OutboundClient(.trusted)
        outbound.timeoutSeconds = Self.exchangeSeconds
        outbound.connectTimeoutSeconds = Self.connectSeconds
        do throws(FetchError) {
            let response = try outbound.send(
                "POST", to: metadata.tokenEndpoint, headers: headers,
                body: Array(FormEncoding.text(fields).utf8))
            return Self.read(response)
        } catch {
            return .unavailable(error.description)
        }
    }

    private static func read(_ outbound: OutboundResponse) -> Exchange {
        guard !outbound.isTruncated else { return .unavailable("the response is too large") }
        let response = TokenEndpointResponse(outbound)
        switch response.status {
        case 200:
            guard let idToken = response.text("id_token") else {
                return .unavailable("the response has no ID token")
            }
            return .granted(
                Tokens(
                    idToken: idToken, accessToken: response.text("access_token"),
                    refreshToken: response.text("refresh_token")))
        case 400..<500:
            switch response.text("error") {
            case "invalid_grant": return .refused
            case _?: return .misconfigured(response.reason)
            case nil: return .unavailable(response.reason)
            }
        default: return .unavailable(response.reason)
        }
    }
}
