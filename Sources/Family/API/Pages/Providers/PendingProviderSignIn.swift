import Crypto
import Domain
import HTTPServer
import Identity
import JSON
import UseCases

/// A sign-in with a provider that a browser has begun, stored in a sealed cookie of this browser
/// for ten minutes. Nothing of it is stored on the server.
///
/// Each has a cookie of its own, so that several tabs can sign in at once.
struct PendingProviderSignIn: Sendable {
    /// The data of a response that a provider's page has sent as a form.
    struct Posted: Sendable {
        let code: String
        /// The name that Apple gives at the first sign-in only.
        let name: PersonName?
    }

    /// Name of the provider's issuer.
    let issuer: String
    let state: String
    let nonce: String
    let verifier: String
    /// The page to continue at.
    let returnPath: ReturnPath?
    /// The session to whose account the sign-in is added; nil to sign in.
    let session: SessionID?
    /// Seconds since 1970.
    let expiresAt: Int64
    var posted: Posted?

    private static let lifetimeSeconds: Int64 = 600
    /// Maximum number of pending sign-ins in one browser; a further one replaces the oldest.
    private static let limit = 4
    /// Number of characters of the state that the cookie's name contains.
    private static let markCount = 8
    /// Maximum length of a cookie, which browsers limit to 4,096 bytes with its attributes.
    private static let longest = 3_800

    /// Begins a sign-in.
    init(
        with client: ProviderClient, returningTo path: ReturnPath?, addingTo session: SessionID?,
        now: Int64
    ) throws(CryptoError) {
        issuer = client.issuer
        state = Base64URL.text(try .random(count: 16))
        nonce = Base64URL.text(try .random(count: 16))
        verifier = Base64URL.text(try .random(count: 32))
        returnPath = path
        self.session = session
        expiresAt = now + Self.lifetimeSeconds
    }

    /// The request to the provider. Each provider has a redirect URI of its own, so that none can
    /// lead to another's sign-in page and receive the code (RFC 9700 section 4.4.2.2).
    func request(_ site: PublicSite, to client: ProviderClient) -> ProviderClient.Request {
        ProviderClient.Request(
            state: state, nonce: nonce, verifier: verifier,
            redirectURI: site.baseURL + "/" + ProviderSignIn.callback(of: client))
    }

    // MARK: Cookies

    /// Returns the browser's sign-in with this state; nil if there is none or it has expired.
    static func find(_ state: String, _ visit: PageVisit) throws -> PendingProviderSignIn? {
        let name = Self.name(of: state, visit.site)
        guard isMark(state.prefix(markCount)),
            let value = Cookies(visit.request.headers).value(name),
            let pending = try open(value, name, visit),
            constantTimeEqual(Array(pending.state.utf8), Array(state.utf8))
        else { return nil }
        return pending
    }

    /// Returns the header that stores the sign-in in the browser.
    func header(_ visit: PageVisit) throws -> (name: String, value: String) {
        let keys = try visit.services.signInSetup().keys
        let name = Self.name(of: state, visit.site)
        let sealed = try keys.providerSignIns[0].seal(content, for: Array(name.utf8))
        let left = max(0, expiresAt - visit.services.seconds)
        return Self.header(name, Base64URL.text(sealed), left, visit.site)
    }

    /// Returns the header that removes the sign-in from the browser.
    func removal(_ visit: PageVisit) -> (name: String, value: String) {
        Self.header(Self.name(of: state, visit.site), "", 0, visit.site)
    }

    /// Returns the headers that make room for another sign-in: they remove sign-ins that can't be
    /// finished any more, and the oldest ones beyond the limit.
    static func makeRoom(_ visit: PageVisit) throws -> [(name: String, value: String)] {
        let cookies = Cookies(visit.request.headers)
        let prefix = name(of: "", visit.site)
        var open: [(name: String, expiresAt: Int64)] = []
        var useless: [String] = []
        for name in Set(cookies.names(startingWith: prefix)).sorted()
        where isMark(name.dropFirst(prefix.count)) {
            if let value = cookies.value(name), let pending = try Self.open(value, name, visit) {
                open.append((name, pending.expiresAt))
            } else {
                useless.append(name)
            }
        }
        open.sort { $0.expiresAt > $1.expiresAt }
        return (open.dropFirst(limit - 1).map(\.name) + useless.prefix(limit * 4)).map {
            header($0, "", 0, visit.site)
        }
    }

    private static func isMark(_ text: Substring) -> Bool {
        text.utf8.count == markCount
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    private static func name(of state: String, _ site: PublicSite) -> String {
        PageCookie.name(isSecure: site.isSecure) + "-oidc-" + state.prefix(markCount)
    }

    /// A provider's page sends a form from its own site. Browsers send a cookie with it only if the
    /// cookie is `SameSite=None`, which they allow only over https.
    private static func header(
        _ name: String, _ value: String, _ seconds: Int64, _ site: PublicSite
    ) -> (name: String, value: String) {
        let reach = site.isSecure ? "None; Secure" : "Lax"
        return (
            "Set-Cookie",
            "\(name)=\(value); Path=/; HttpOnly; SameSite=\(reach); Max-Age=\(seconds)"
        )
    }

    // MARK: Content

    private var content: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("issuer", issuer)
            json.member("state", state)
            json.member("nonce", nonce)
            json.member("verifier", verifier)
            json.member("expires", Int(expiresAt))
            if let returnPath { json.member("return", returnPath.text) }
            if let session { json.member("session", session.description) }
            if let posted {
                json.member("code", posted.code)
                if let name = posted.name { json.member("name", name.text) }
            }
        }
        return json.bytes
    }

    private static func open(
        _ value: String, _ name: String, _ visit: PageVisit
    ) throws -> PendingProviderSignIn? {
        guard value.utf8.count <= longest, let sealed = Base64URL.decode(value) else { return nil }
        for key in try visit.services.signInSetup().keys.providerSignIns {
            guard let content = try key.open(sealed, for: Array(name.utf8)) else { continue }
            let pending = try PendingProviderSignIn(content)
            return visit.services.seconds < pending.expiresAt ? pending : nil
        }
        return nil
    }

    /// - Throws: `JSONError` for content that this program did not write.
    private init(_ content: [UInt8]) throws(JSONError) {
        let json = JSONField(try JSONValue(parsing: content))
        issuer = try json["issuer"].string()
        state = try json["state"].string()
        nonce = try json["nonce"].string()
        verifier = try json["verifier"].string()
        expiresAt = try json["expires"].integer()
        returnPath = ReturnPath(try json["return"].ifPresent?.string())
        session = try json["session"].ifPresent.map { field throws(JSONError) in
            try field.string()
        }.flatMap { SessionID($0) }
        guard let code = try json["code"].ifPresent?.string() else { return }
        posted = Posted(
            code: code, name: try json["name"].ifPresent?.string().asPersonName)
    }
}

extension String {
    fileprivate var asPersonName: PersonName? { PersonName(self) }
}
