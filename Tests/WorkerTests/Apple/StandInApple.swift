import Crypto
import Foundation
import HTTPServer
import Identity
import JSON
import Synchronization
import TestSupport
import Testing

/// Apple's endpoints as Apple documents them: keys, token, revoke. Client secrets are verified, a
/// code works once and for its own client only, and errors have the names of RFC 6749.
final class StandInApple: Sendable {
    static let (issuer, client) = ("https://appleid.apple.com", "com.example.family")
    private static let (team, keyID) = ("TEAM123456", "KEY1234567")
    /// Apple refuses secrets that are valid for more than six months.
    private static let longestSecret: Int64 = 15_777_000

    private struct State {
        var codes: [String: String] = [:]
        var tokens: [String: String] = [:]
        var isAway = false
        var asked: [String] = []
    }

    /// Key that signs Apple's own tokens.
    private let key: SigningKey
    /// Key that verifies the team's client secrets.
    private let teamKey: VerificationKey
    private let teamKeyFile: URL
    private let state = Mutex(State())
    private let server = Mutex<Server?>(nil)

    init(in folder: URL) throws {
        key = try SigningKey.generate()
        let teamKey = try SigningKey.generate()
        self.teamKey = try teamKey.verificationKey()
        teamKeyFile = folder.appendingPathComponent("AuthKey.p8")
        try teamKey.pem().write(to: teamKeyFile, atomically: false, encoding: .utf8)
        var settings = ServerSettings()
        settings.port = 0
        let server = try Server(
            settings, handler: FunctionHandler { [weak self] in self?.answer($0) ?? Self.lost }
        ) { _ in }
        self.server.withLock { $0 = server }
    }

    deinit { server.withLock { $0?.stop() } }

    /// An entry for an issuers file.
    func entry() throws -> String {
        let port = try #require(server.withLock { $0?.port })
        let base = "http://127.0.0.1:\(port)/auth"
        return """
            {"issuer": "\(Self.issuer)", "kind": "apple", "audiences": ["\(Self.client)"],
             "jwksURL": "\(base)/keys", "requireNonce": true, "teamId": "\(Self.team)",
             "keyId": "\(Self.keyID)", "privateKeyFile": "\(teamKeyFile.path)",
             "tokenURL": "\(base)/token", "revokeURL": "\(base)/revoke"}
            """
    }

    /// The identity token that the app gets at sign-in.
    func token(of subject: String, nonce: String?) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        return try sign {
            $0.member("iss", Self.issuer)
            $0.member("sub", subject)
            $0.member("aud", Self.client)
            $0.member("iat", now)
            $0.member("exp", now + 600)
            if let nonce { $0.member("nonce", SHA256Digest(of: nonce).hex) }
            $0.member("email", "\(subject)@privaterelay.appleid.com")
            $0.member("email_verified", "true")
        }
    }

    func code(of subject: String) -> String {
        let code = "c.\(UUID().uuidString).0/+=&"
        state.withLock { $0.codes[code] = subject }
        return code
    }

    /// Revokes the app's access, as a person does in the settings of a device.
    func takeBack(_ subject: String) {
        state.withLock { state in state.tokens = state.tokens.filter { $0.value != subject } }
    }

    func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Returns the requests since the last call.
    func asked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    func tokens(of subject: String) -> [String] {
        state.withLock { $0.tokens.filter { $0.value == subject }.map(\.key) }
    }

    // MARK: Responses

    private static let lost = Response(status: 500)

    private func answer(_ request: Request) -> Response {
        guard request.path == "/auth/keys" || !state.withLock({ $0.isAway }) else {
            return Response(status: 503)
        }
        do {
            switch (request.method.name, request.path) {
            case ("GET", "/auth/keys"): return Self.json(200, try keys())
            case ("POST", "/auth/token"): return try token(Self.form(request))
            case ("POST", "/auth/revoke"): return try revoke(Self.form(request))
            default: return Response(status: 404)
            }
        } catch {
            return Response(status: 500, body: Array("\(error)".utf8))
        }
    }

    private func keys() throws -> String {
        """
        {"keys": [{"kty": "EC", "crv": "P-256", "x": "\(Base64URL.text(key.x))",
          "y": "\(Base64URL.text(key.y))", "use": "sig", "alg": "ES256", "kid": "apple-1"}]}
        """
    }

    private func token(_ form: [String: String]) throws -> Response {
        guard try isTeam(form) else { return Self.error("invalid_client") }
        let kind = form["grant_type"] ?? ""
        state.withLock { $0.asked.append(kind) }
        switch kind {
        case "authorization_code":
            guard let subject = state.withLock({ $0.codes.removeValue(forKey: form["code"] ?? "") })
            else { return Self.error("invalid_grant") }
            let refresh = "r.\(UUID().uuidString).0.\(UUID().uuidString)"
            state.withLock { $0.tokens[refresh] = subject }
            let id = try token(of: subject, nonce: nil)
            return Self.json(
                200,
                """
                {"access_token": "a.\(UUID().uuidString)", "token_type": "Bearer",
                 "expires_in": 3600, "refresh_token": "\(refresh)", "id_token": "\(id)"}
                """)
        case "refresh_token":
            guard let subject = state.withLock({ $0.tokens[form["refresh_token"] ?? ""] })
            else { return Self.error("invalid_grant") }
            let id = try token(of: subject, nonce: nil)
            return Self.json(
                200,
                #"{"access_token": "a", "token_type": "Bearer", "expires_in": 3600, "id_token": "\#(id)"}"#
            )
        default: return Self.error("unsupported_grant_type")
        }
    }

    private func revoke(_ form: [String: String]) throws -> Response {
        guard try isTeam(form) else { return Self.error("invalid_client") }
        state.withLock {
            $0.asked.append("revoke \(form["token_type_hint"] ?? "")")
            $0.tokens[form["token"] ?? ""] = nil
        }
        return Response(status: 200)
    }

    /// Whether the client secret is the team's, issued for this client and for Apple.
    private func isTeam(_ form: [String: String]) throws -> Bool {
        let parts = (form["client_secret"] ?? "").split(separator: ".").map(String.init)
        guard parts.count == 3, form["client_id"] == Self.client,
            let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return false }
        let head = JSONField(try JSONValue(parsing: header))
        let said = JSONField(try JSONValue(parsing: claims))
        let now = Int64(Date().timeIntervalSince1970)
        let (issued, expires) = (try said["iat"].integer(), try said["exp"].integer())
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        return try head["alg"].string() == "ES256" && head["kid"].string() == Self.keyID
            && said["iss"].string() == Self.team && said["aud"].string() == Self.issuer
            && said["sub"].string() == Self.client && expires > now && issued <= now + 60
            && expires - issued <= Self.longestSecret
            && teamKey.isValid(signature, for: signed.span)
    }

    private func sign(_ write: (inout JSONWriter) -> Void) throws -> String {
        var claims = JSONWriter()
        claims.object { write(&$0) }
        let header = #"{"alg":"ES256","kid":"apple-1"}"#
        let signed = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(claims.bytes)
        return signed + "." + Base64URL.text(try key.sign(Array(signed.utf8)))
    }

    private static func form(_ request: Request) throws -> [String: String] {
        try #require(
            request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        var fields: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            fields[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        return fields
    }

    private static func error(_ code: String) -> Response {
        json(400, #"{"error": "\#(code)"}"#)
    }

    private static func json(_ status: Int, _ text: String) -> Response {
        Response(
            status: status,
            headers: Headers([.init(name: "Content-Type", value: "application/json")]),
            body: Array(text.utf8))
    }
}
