import Crypto
import HTTPServer

/// What a browser remembers of an e-mail that it has asked for, while it is led to the page on
/// which the code is typed in: to reload that page sends no second e-mail.
struct PendingMail: Sendable {
    /// Empty where no code is typed in.
    let ticket: String
    let email: String

    /// As long as a code is valid.
    private static let lifetimeSeconds = 600

    private static func name(isSecure: Bool) -> String {
        PageCookie.name(isSecure: isSecure) + "-mail"
    }

    init(ticket: String, email: String) {
        self.ticket = ticket
        self.email = email
    }

    /// Reads what the browser has sent. Nobody but the browser's owner can be misled by it: it
    /// opens nothing without the code.
    init?(_ visit: PageVisit) {
        let sent = Cookies(visit.request.headers).value(
            Self.name(isSecure: visit.site.isSecure))
        guard let sent, sent.utf8.count <= 1_024, let bytes = Base64URL.decode(sent) else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2 else { return nil }
        self.init(ticket: String(lines[0]), email: String(lines[1]))
    }

    /// The header that gives it to the browser.
    func header(isSecure: Bool) -> (name: String, value: String) {
        let value = Base64URL.text(Array("\(ticket)\n\(email)".utf8))
        return (
            "Set-Cookie",
            "\(Self.name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Lax"
                + (isSecure ? "; Secure" : "") + "; Max-Age=\(Self.lifetimeSeconds)"
        )
    }
}
