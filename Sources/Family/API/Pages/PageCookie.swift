import Crypto
import Domain
import UseCases

/// The cookie of Hearth's pages: it identifies the browser's session or visitor, and binds forms to
/// the browser.
///
/// Only pages accept it; `/api` ignores it. A session's cookie can't be forged without Hearth's
/// key, and the database decides with each request whether the session is still valid. A visitor
/// who has not signed in gets a random cookie, so that a form's token is valid in one browser only.
/// The cookie of a session that an app has opened also contains the address that leads back to the
/// app.
struct PageCookie: Sendable {
    enum Owner: Sendable {
        case visitor
        /// - Parameter signedInAt: Seconds since 1970.
        case session(Caller.Session, signedInAt: Int64)
    }

    /// The value as browsers send it.
    let value: String
    let owner: Owner
    /// Address to which the pages lead back; nil if there is none.
    let back: String?

    private static let visitorMark = "v"
    private static let sessionMark = "s"
    private static let visitorBytes = 16
    /// Number of bytes of two ids and a time. The return address follows them.
    private static let ownerBytes = 40
    private static let sealBytes = 32
    private static let longest = 1_024

    /// Creates the cookie of a visitor who has not signed in.
    static func visitor() throws(CryptoError) -> PageCookie {
        let bytes = try [UInt8].random(count: visitorBytes)
        return PageCookie(value: visitorMark + Base64URL.text(bytes), owner: .visitor)
    }

    /// Creates the cookie of a session that has just begun.
    ///
    /// - Parameter back: Address to which the pages lead back.
    init(
        _ signedIn: SignedIn, back: ReturnAddress? = nil, _ keys: SignInKeys
    ) throws(CryptoError) {
        let session = Caller.Session(id: signedIn.session, account: signedIn.user)
        let moment = UInt128(truncatingIfNeeded: signedIn.startedAt.seconds)
        let content =
            Self.bytes(session.id.rawValue) + Self.bytes(session.account.rawValue)
            + Self.bytes(moment).suffix(8) + Array((back?.text ?? "").utf8)
        let seal = try keys.pageCookies[0].authenticate(content)
        self.init(
            value: Self.sessionMark + Base64URL.text(content + seal),
            owner: .session(session, signedInAt: signedIn.startedAt.seconds), back: back?.text)
    }

    private init(value: String, owner: Owner, back: String? = nil) {
        self.value = value
        self.owner = owner
        self.back = back
    }

    /// Parses the value that a browser has sent; returns nil if Hearth did not create it.
    init?(_ value: String, _ keys: SignInKeys) throws(CryptoError) {
        guard value.utf8.count <= Self.longest,
            let bytes = Base64URL.decode(String(value.dropFirst()))
        else { return nil }
        switch value.prefix(1) {
        case Self.visitorMark where bytes.count == Self.visitorBytes:
            self.init(value: value, owner: .visitor)
        case Self.sessionMark where bytes.count >= Self.ownerBytes + Self.sealBytes:
            let content = Array(bytes.dropLast(Self.sealBytes))
            let seal = Array(bytes.suffix(Self.sealBytes))
            guard try keys.pageCookies.contains(sealing: content, as: seal) else { return nil }
            let session = Caller.Session(
                id: SessionID(rawValue: Self.number(content[..<16])),
                account: UserID(rawValue: Self.number(content[16..<32])))
            let moment = Int64(
                truncatingIfNeeded: Self.number(content[32..<Self.ownerBytes]))
            let back = String(decoding: content[Self.ownerBytes...], as: UTF8.self)
            self.init(
                value: value, owner: .session(session, signedInAt: moment),
                back: back.isEmpty ? nil : back)
        default: return nil
        }
    }

    /// Returns the token that this browser's forms carry.
    func formToken(_ keys: SignInKeys) throws(CryptoError) -> String {
        Base64URL.text(try keys.pageForms[0].authenticate(Array(value.utf8)))
    }

    /// Returns true if a form's token was created for this browser.
    func sealed(_ token: String, _ keys: SignInKeys) throws(CryptoError) -> Bool {
        guard token.utf8.count <= 64, let seal = Base64URL.decode(token) else { return false }
        return try keys.pageForms.contains(sealing: Array(value.utf8), as: seal)
    }

    /// Returns the cookie's name. `__Host-` keeps other hosts from setting it, but browsers require
    /// https for it.
    static func name(isSecure: Bool) -> String { isSecure ? "__Host-hearth" : "hearth" }

    /// Returns the header that sets the cookie.
    ///
    /// - Parameter seconds: Lifetime of the cookie; nil until the browser is closed.
    func header(isSecure: Bool, seconds: Int?) -> (name: String, value: String) {
        Self.header(value, isSecure, seconds)
    }

    /// Returns the header that removes the cookie.
    static func removal(isSecure: Bool) -> (name: String, value: String) {
        header("", isSecure, 0)
    }

    private static func header(
        _ value: String, _ isSecure: Bool, _ seconds: Int?
    ) -> (name: String, value: String) {
        let lifetime = seconds.map { "; Max-Age=\($0)" } ?? ""
        return (
            "Set-Cookie",
            "\(name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "") + lifetime
        )
    }

    private static func bytes(_ number: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - $0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension [HMACKey] {
    /// Returns true if one of the keys created the seal.
    fileprivate func contains(
        sealing message: [UInt8], as seal: [UInt8]
    ) throws(CryptoError) -> Bool {
        for key in self where try key.isValid(seal, for: message.span) { return true }
        return false
    }
}
