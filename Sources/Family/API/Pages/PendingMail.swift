import Crypto
import HTTPServer

/// A cookie that stores the e-mail a browser has requested, while it is redirected to the page for
/// the code: reloading that page sends no second e-mail.
struct PendingMail: Sendable {
    /// The purpose of the e-mail.
    enum Purpose: String {
        case signIn = "sign-in"
        case signUp = "sign-up"
        case reset
        case erasure
        case newAddress = "new-address"
    }

    let purpose: Purpose
    /// The e-mail token that the code belongs to; empty if the code needs none.
    let emailToken: String
    let email: String

    /// Lifetime of the cookie, equal to that of a code.
    private static let lifetimeSeconds = 600

    private static func name(isSecure: Bool) -> String {
        PageCookie.name(isSecure: isSecure) + "-mail"
    }

    init(_ purpose: Purpose, emailToken: String = "", email: String = "") {
        self.purpose = purpose
        self.emailToken = emailToken
        self.email = email
    }

    /// Parses the cookie that the browser has sent. Forging it misleads only the browser's owner:
    /// the cookie is useless without the code.
    init?(_ visit: PageVisit) {
        let sent = Cookies(visit.request.headers).value(
            Self.name(isSecure: visit.site.isSecure))
        guard let sent, sent.utf8.count <= 1_024, let bytes = Base64URL.decode(sent) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, let purpose = Purpose(rawValue: String(lines[2])) else {
            return nil
        }
        self.init(purpose, emailToken: String(lines[0]), email: String(lines[1]))
    }

    /// Returns the header that sets the cookie.
    func header(isSecure: Bool) -> (name: String, value: String) {
        let value = Base64URL.text(Array("\(emailToken)\n\(email)\n\(purpose.rawValue)".utf8))
        return (
            "Set-Cookie",
            "\(Self.name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "") + "; Max-Age=\(Self.lifetimeSeconds)"
        )
    }
}

extension Problem {
    /// Whether a request for a further code was refused without an effect on the code that was
    /// mailed before, so that the page with the field for that code is shown again.
    var leavesMailedCode: Bool { code == .refusal(.tooManyAttempts) || status >= 500 }

    /// Whether the problem is about the mailed code that somebody has entered.
    var isAboutMailedCode: Bool {
        [.refusal(.codeMalformed), .refusal(.codeWrong), .refusal(.codeExpired)].contains(code)
    }
}
