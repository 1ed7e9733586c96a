import Crypto
import Domain
import UseCases

/// The cookie of Hearth's pages: whose browser it is, and what its forms are sealed with.
///
/// Only pages believe it; `/api` never looks at it. A session's cookie can't be made without
/// Hearth's key, and whether the session goes on the database says with each request. Somebody who
/// has not signed in has a random one, so that a form's token counts in one browser only.
struct PageCookie: Sendable {
    enum Owner: Sendable {
        case visitor
        /// - Parameter signedInAt: Seconds since 1970.
        case session(Caller.Session, signedInAt: Int64)
    }

    /// As browsers send it.
    let value: String
    let owner: Owner

    private static let visitorMark = "v"
    private static let sessionMark = "s"
    private static let visitorBytes = 16
    /// Two ids, a time, and the seal upon them.
    private static let sessionBytes = 72
    private static let sealedBytes = 40

    /// Somebody's who has not signed in.
    static func visitor() throws(CryptoError) -> PageCookie {
        let bytes = try [UInt8].random(count: visitorBytes)
        return PageCookie(value: visitorMark + Base64URL.text(bytes), owner: .visitor)
    }

    /// Of a session that has just begun.
    init(_ signedIn: SignedIn, _ keys: SignInKeys) throws(CryptoError) {
        let session = Caller.Session(id: signedIn.session, account: signedIn.user)
        let moment = UInt128(truncatingIfNeeded: signedIn.startedAt.seconds)
        let content =
            Self.bytes(session.id.rawValue) + Self.bytes(session.account.rawValue)
            + Self.bytes(moment).suffix(8)
        let seal = try keys.pageCookies[0].authenticate(content)
        self.init(
            value: Self.sessionMark + Base64URL.text(content + seal),
            owner: .session(session, signedInAt: signedIn.startedAt.seconds))
    }

    private init(value: String, owner: Owner) {
        self.value = value
        self.owner = owner
    }

    /// Reads what a browser has sent; nil for what Hearth has not made.
    init?(_ value: String, _ keys: SignInKeys) throws(CryptoError) {
        guard value.utf8.count <= 128, let bytes = Base64URL.decode(String(value.dropFirst()))
        else { return nil }
        switch value.prefix(1) {
        case Self.visitorMark where bytes.count == Self.visitorBytes:
            self.init(value: value, owner: .visitor)
        case Self.sessionMark where bytes.count == Self.sessionBytes:
            let content = Array(bytes[..<Self.sealedBytes])
            let seal = Array(bytes[Self.sealedBytes...])
            guard try keys.pageCookies.contains(sealing: content, as: seal) else { return nil }
            let session = Caller.Session(
                id: SessionID(rawValue: Self.number(content[..<16])),
                account: UserID(rawValue: Self.number(content[16..<32])))
            let moment = Int64(truncatingIfNeeded: Self.number(content[32...]))
            self.init(value: value, owner: .session(session, signedInAt: moment))
        default: return nil
        }
    }

    /// What this browser's forms carry.
    func formToken(_ keys: SignInKeys) throws(CryptoError) -> String {
        Base64URL.text(try keys.pageForms[0].authenticate(Array(value.utf8)))
    }

    /// Whether a form was made for this browser.
    func sealed(_ token: String, _ keys: SignInKeys) throws(CryptoError) -> Bool {
        guard token.utf8.count <= 64, let seal = Base64URL.decode(token) else { return false }
        return try keys.pageForms.contains(sealing: Array(value.utf8), as: seal)
    }

    /// Its name: `__Host-` keeps other hosts from setting it, which browsers do over https only.
    static func name(isSecure: Bool) -> String { isSecure ? "__Host-hearth" : "hearth" }

    /// The header that gives it to the browser.
    ///
    /// - Parameter seconds: How long it is kept; nil: until the browser is closed.
    func header(isSecure: Bool, seconds: Int?) -> (name: String, value: String) {
        Self.header(value, isSecure, seconds)
    }

    /// The header that takes it away.
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
    /// Whether one of the keys has made the seal.
    fileprivate func contains(
        sealing message: [UInt8], as seal: [UInt8]
    ) throws(CryptoError) -> Bool {
        for key in self where try key.isValid(seal, for: message.span) { return true }
        return false
    }
}
