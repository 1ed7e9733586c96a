import Basics
import Crypto
import Foundation
import HTTPServer
import Identity
import JSON
import TestSupport
import Testing

/// An OpenID provider on this machine: description, keys and token endpoint. Like a real provider,
/// it checks the client's secret, the code and its verifier, and accepts each code once.
final class StandInProvider: Sendable {
    static let client = "hearth-pages"
    private static let secret = "a secret: with + and %"
    private static let (team, keyID) = ("TEAM123456", "KEY1234567")

    /// The way in which the token endpoint answers.
    enum Manner: Sendable {
        case granted
        /// ID tokens have these claims instead of the usual ones.
        case claims([String: JSONValue])
        /// A token that has expired.
        case expired
        /// An ID token that was signed with another key.
        case forged
        case status(Int, String)
        /// Answers once the test calls ``StandInProvider/open()``.
        case hanging
    }

    private struct Grant: Sendable {
        let person: StandInPerson
        let nonce: String
        let challenge: String
        let redirectURI: String
    }

    private struct State: Sendable {
        var grants: [String: Grant] = [:]
        var manner = Manner.granted
        var isAway = false
        var asked = 0
        var held = 0
        var isOpen = false
    }

    let kind: Issuer.Kind
    private let namesIssuer: Bool
    private let methods: [String]
    private let key: SigningKey
    private let teamKey: SigningKey
    private let state = Monitor(State())
    private let server = Lock<Server?>(nil)
    private let port: UInt16

    var issuerName: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - namesIssuer: Whether responses name their issuer (RFC 9207).
    ///   - methods: The ways in which clients may prove their secret.
    init(
        _ kind: Issuer.Kind = .generic, namesIssuer: Bool = true,
        methods: [String] = ["client_secret_basic", "client_secret_post"]
    ) throws {
        self.kind = kind
        self.namesIssuer = namesIssuer
        self.methods = methods
        key = try SigningKey.generate()
        teamKey = try SigningKey.generate()
        var settings = ServerSettings()
        settings.port = 0
        let handler = Lock<(@Sendable (Request) -> Response)?>(nil)
        let server = try Server(
            settings,
            handler: FunctionHandler { request in
                handler.withLock { $0 }?(request) ?? Response(status: 500)
            }
        ) { _ in }
        port = server.port
        self.server.withLock { $0 = server }
        handler.withLock { handler in
            handler = { [weak self] in self?.answer($0) ?? Response(status: 500) }
        }
    }

    deinit {
        open()
        server.withLock { $0?.stop() }
    }

    /// The issuer as an issuers file declares it.
    func issuer(
        named name: String, isPrimary: Bool = false, linksAddresses: Bool = false
    ) throws -> Issuer {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "provider-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ file: String, _ text: String) throws {
            try text.write(
                to: folder.appendingPathComponent(file), atomically: false, encoding: .utf8)
        }
        try write("secret", Self.secret + "\n")
        try write("team.p8", teamKey.pem())
        let credential =
            kind == .apple
            ? """
            "teamId": "\(Self.team)", "keyId": "\(Self.keyID)", "privateKeyFile": "team.p8",
            "requireNonce": true
            """ : #""clientSecretFile": "secret""#
        try write(
            "issuers.json",
            """
            [{"issuer": "\(issuerName)", "kind": "\(kind.rawValue)", "name": "\(name)",
              "primary": \(isPrimary), "linksVerifiedAddresses": \(linksAddresses),
              "audiences": ["com.example.app", "\(Self.client)"], "clientID": "\(Self.client)",
              "jwksURL": "\(issuerName)/keys", \(credential)}]
            """)
        let file = try IssuersFile(path: folder.appendingPathComponent("issuers.json").path)
        return try #require(file.issuers.first)
    }

    /// Starts fetching keys and description, and waits until both are there.
    func publish(_ issuer: Issuer) throws {
        let fetched = Monitor(0)
        issuer.keys.startFetching { _ in fetched.change { $0 += 1 } }
        try #require(issuer.client).metadata.start { _ in fetched.change { $0 += 1 } }
        let end = Deadline.after(seconds: 60)
        try #require(fetched.wait { ($0 >= 2 ? true : nil, end) } == true)
    }

    func answer(in manner: Manner) { state.change { $0.manner = manner } }

    func goAway() { state.change { $0.isAway = true } }

    /// Releases hanging requests.
    func open() { state.change { $0.isOpen = true } }

    /// Waits until this many requests hang.
    func awaitHeld(_ count: Int) -> Bool {
        let end = Deadline.after(seconds: 60)
        return state.wait { ($0.held >= count ? true : nil, end) } ?? false
    }

    /// Number of requests for tokens so far.
    var asked: Int { state.change { $0.asked } }

    /// Signs a person in at the address to which Hearth has led, and returns the response's fields.
    func authorize(_ location: String?, as person: StandInPerson) throws -> [String: String] {
        let fields = try Self.request(location)
        let text = try #require(location)
        #expect(text.hasPrefix(issuerName + "/authorize?"))
        #expect(fields["response_type"] == "code" && fields["client_id"] == Self.client)
        #expect(fields["code_challenge_method"] == "S256")
        #expect(fields["scope"]?.split(separator: " ").contains("openid") == true)
        #expect((fields["response_mode"] == "form_post") == (kind == .apple))
        let code = "c.\(UUID().uuidString)/+="
        let grant = Grant(
            person: person, nonce: try #require(fields["nonce"]),
            challenge: try #require(fields["code_challenge"]),
            redirectURI: try #require(fields["redirect_uri"]))
        state.change { $0.grants[code] = grant }
        var response = ["code": code, "state": try #require(fields["state"])]
        if namesIssuer { response["iss"] = issuerName }
        if kind == .apple, let name = person.firstTimeName {
            response["user"] = #"{"name": \#(name), "email": "somebody.else@example.com"}"#
        }
        return response
    }

    /// Returns the parameters of the address to which Hearth has led.
    static func request(_ location: String?) throws -> [String: String] {
        let text = try #require(location)
        let parts = try #require(URLComponents(string: text))
        return Dictionary(
            uniqueKeysWithValues: (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") })
    }

    // MARK: Responses

    private func answer(_ request: Request) -> Response {
        do {
            switch (request.method.name, request.path) {
            case _ where state.change({ $0.isAway }): return Response(status: 503)
            case ("GET", "/.well-known/openid-configuration"): return json(200, description)
            case ("GET", "/keys"): return json(200, keys)
            case ("POST", "/token"): return try token(request)
            default: return Response(status: 404)
            }
        } catch {
            return Response(status: 500, body: Array("\(error)".utf8))
        }
    }

    private var description: String {
        let methods = methods.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            {"issuer": "\(issuerName)", "authorization_endpoint": "\(issuerName)/authorize",
             "token_endpoint": "\(issuerName)/token", "jwks_uri": "\(issuerName)/keys",
             "token_endpoint_auth_methods_supported": [\(methods)],
             "authorization_response_iss_parameter_supported": \(namesIssuer)}
            """
    }

    private var keys: String {
        """
        {"keys": [{"kty": "EC", "crv": "P-256", "x": "\(Base64URL.text(key.x))",
          "y": "\(Base64URL.text(key.y))", "use": "sig", "alg": "ES256", "kid": "k"}]}
        """
    }

    private func token(_ request: Request) throws -> Response {
        let manner = state.change { state in
            state.asked += 1
            return state.manner
        }
        if case .hanging = manner {
            let end = Deadline.after(seconds: 60)
            state.change { $0.held += 1 }
            _ = state.wait { ($0.isOpen ? true : nil, end) }
            return Response(status: 503)
        }
        if case .status(let status, let text) = manner { return json(status, text) }
        let form = try #require(FormBody(parsing: request.body))
        guard try isClient(request, form) else { return json(401, #"{"error": "invalid_client"}"#) }
        let grant = state.change { $0.grants.removeValue(forKey: form.value("code") ?? "") }
        let challenge = Base64URL.text(SHA256Digest(of: form.value("code_verifier") ?? "").bytes)
        guard let grant, grant.challenge == challenge,
            grant.redirectURI == form.value("redirect_uri"),
            form.value("grant_type") == "authorization_code"
        else { return json(400, #"{"error": "invalid_grant"}"#) }
        let access = "a.\(UUID().uuidString)"
        let id = try idToken(grant, access, manner)
        return json(
            200,
            """
            {"access_token": "\(access)", "token_type": "Bearer", "expires_in": 3600,
             "refresh_token": "r.\(UUID().uuidString)", "id_token": "\(id)"}
            """)
    }

    private func idToken(
        _ grant: Grant, _ access: String, _ manner: Manner
    ) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let hash = Base64URL.text(Array(SHA256Digest(of: access).bytes.prefix(16)))
        var claims: [String: JSONValue] = [
            "iss": .string(issuerName), "sub": .string(grant.person.subject),
            "aud": .string(Self.client), "iat": .integer(now), "exp": .integer(now + 600),
            "nonce": .string(grant.nonce), "at_hash": .string(hash),
            "email": .string(grant.person.email), "email_verified": true,
        ]
        if kind != .apple { claims["name"] = .string(grant.person.name) }
        var signer = key
        switch manner {
        case .claims(let changes): claims.merge(changes) { $1 }
        case .expired: claims["exp"] = .integer(now - 1)
        case .forged: signer = try SigningKey.generate()
        case .granted, .status, .hanging: break
        }
        var json = JSONWriter()
        json.object { json in
            for (name, value) in claims.sorted(by: { $0.key < $1.key }) where value != .null {
                json.member(name, value)
            }
        }
        let header = #"{"alg":"ES256","kid":"k","typ":"JWT"}"#
        let signed = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(json.bytes)
        return signed + "." + Base64URL.text(try signer.sign(Array(signed.utf8)))
    }

    private func isClient(_ request: Request, _ form: FormBody) throws -> Bool {
        if kind == .apple { return try isTeam(form) }
        guard methods.contains("client_secret_basic") else {
            return request.headers["Authorization"] == nil
                && form.value("client_id") == Self.client
                && form.value("client_secret") == Self.secret
        }
        let header = request.headers["Authorization"] ?? ""
        let pair = Data(base64Encoded: String(header.dropFirst("Basic ".count))) ?? Data()
        let parts = String(decoding: pair, as: UTF8.self).split(separator: ":").map {
            $0.removingPercentEncoding ?? ""
        }
        return parts == [Self.client, Self.secret] && form.value("client_secret") == nil
    }

    /// Whether the client secret is a token that the team has signed for this client and issuer.
    private func isTeam(_ form: FormBody) throws -> Bool {
        let parts = (form.value("client_secret") ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3, form.value("client_id") == Self.client,
            let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { return false }
        let said = JSONField(try JSONValue(parsing: claims))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        return try said["iss"].string() == Self.team && said["aud"].string() == issuerName
            && said["sub"].string() == Self.client
            && teamKey.verificationKey().isValid(signature, for: signed.span)
    }

    private func json(_ status: Int, _ text: String) -> Response {
        Response(
            status: status,
            headers: Headers([.init(name: "Content-Type", value: "application/json")]),
            body: Array(text.utf8))
    }
}

/// A person with an account at a provider.
struct StandInPerson: Sendable {
    var subject = UUID().uuidString
    var email = "\(UUID().uuidString.prefix(8).lowercased())@example.com"
    var name = "Some One"
    /// Apple's name of a first sign-in, as JSON.
    var firstTimeName: String?
}
