import Basics
import Domain
import HTTPServer
import UseCases

/// Signing in by a mailed code, where HEARTH_CONSOLE_MAILED_CODES allows it.
///
/// A code works only in the browser that asked for it: a cookie has the secret of its e-mail token.
enum CodeScreens {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(method: .post, pattern: "/sign-in/code", action: nil, run: send),
        ConsoleRoute(method: .get, pattern: "/sign-in/code", action: nil) { visit in
            if let refusal = try refusalIfOff(visit) { return refusal }
            if visit.operator != nil { return ConsoleReply.redirect(to: visit.returnPath) }
            return question(visit)
        },
        ConsoleRoute(method: .post, pattern: "/sign-in/code/check", action: nil, run: check),
    ]

    /// Seconds that the browser remembers having asked for a code, as long as a code works.
    private static let seconds = 600
    /// Name of the field that binds the form with the code to the browser that asked for it.
    private static let tokenField = "code_token"

    // MARK: Asking for a code

    /// Returns the form that asks for a code; empty where codes are off.
    static func request(_ visit: ConsoleVisit) -> HTML {
        guard visit.services.hasMailedCodes else { return "" }
        let form = ConsoleParts(visit).form(
            to: "/sign-in/code", hidden: [("return", visit.returnPath)],
            """
            <div class="field"><label for="email">E-mail address</label>
            <input id="email" name="email" type="email" autocomplete="username" required \
            maxlength="254"></div>
            <button type="submit" class="plain">Send me a code</button>
            """, style: "question")
        return """
            <h2>With a code by e-mail</h2>
            \(form)
            """
    }

    private static func send(_ visit: ConsoleVisit) throws -> Response {
        if let refusal = try refusalIfOff(visit) { return refusal }
        guard let email = visit.field("email").flatMap({ EmailAddress($0) }) else {
            return try SignInScreens.signIn(visit, problem: "Enter an e-mail address.")
        }
        do {
            let token = try visit.services.signIn.sendCode(to: email, from: visit.client)
            return ConsoleReply.redirect(
                to: URLText.address("/sign-in/code", [("return", visit.returnPath)]),
                cookie: cookie(token, visit))
        } catch let refusal as Refusal {
            return try SignInScreens.signIn(visit, problem: sentence(refusal))
        }
    }

    // MARK: Entering the code

    private static func question(_ visit: ConsoleVisit, problem: String? = nil) -> Response {
        guard let token = token(visit) else { return ConsoleReply.redirect(to: "/sign-in") }
        let form = ConsoleParts(visit).form(
            to: "/sign-in/code/check",
            hidden: [("return", visit.returnPath), (tokenField, token.formToken)],
            """
            <div class="field"><label for="code">Code</label>
            <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required \
            maxlength="20"></div>
            <button type="submit">Sign in</button>
            """, style: "question")
        return visit.reply(
            "Enter the code",
            """
            <h1>Enter the code</h1>
            \(SignInScreens.alert(problem))<p>If the address is an operator's, a code of six \
            digits is on its way to it. It works for ten minutes, once, and only in this \
            browser.</p>
            \(form)<p><a href="/sign-in">Ask for another code</a></p>

            """, status: problem == nil ? 200 : 403)
    }

    private static func check(_ visit: ConsoleVisit) throws -> Response {
        if let refusal = try refusalIfOff(visit) { return refusal }
        guard let asked = token(visit), let sent = visit.form?.value(tokenField),
            asked.accepts(form: sent)
        else {
            return try visit.refused(
                "This code was not asked for in this browser, or too long ago. Ask for another "
                    + "one.", status: 403)
        }
        do {
            let token = try visit.services.signIn.signIn(
                code: visit.field("code") ?? "", of: asked, browser: visit.browser)
            var reply = ConsoleReply.redirect(to: visit.returnPath, cookie: visit.cookie(token))
            reply.headers.add("Set-Cookie", cookie(nil, visit))
            return reply
        } catch let refusal as Refusal {
            return question(visit, problem: sentence(refusal))
        } catch let refusal as OperatorRefusal {
            visit.record(refusal)
            return question(visit, problem: refusal.sentence)
        }
    }

    // MARK: Parts

    private static func refusalIfOff(_ visit: ConsoleVisit) throws -> Response? {
        if visit.services.hasMailedCodes { return nil }
        return try visit.refused(
            "Codes by e-mail are off. Sign in with a passkey or a one-time link.", status: 403)
    }

    private static func cookieName(_ visit: ConsoleVisit) -> String {
        ConsoleVisit.cookieName(visit.services.site) + "-code"
    }

    /// The token of the code that this browser asked for; nil if it asked for none lately.
    private static func token(_ visit: ConsoleVisit) -> ConsoleToken? {
        Cookies(visit.request.headers).value(cookieName(visit)).flatMap { ConsoleToken($0) }
    }

    /// Returns the header that sets the cookie of the code, or removes it.
    private static func cookie(_ token: ConsoleToken?, _ visit: ConsoleVisit) -> String {
        "\(cookieName(visit))=\(token?.text ?? ""); Path=/; HttpOnly; SameSite=Strict"
            + (visit.services.site.isSecure ? "; Secure" : "")
            + "; Max-Age=\(token == nil ? 0 : seconds)"
    }

    /// The sentence about a refused code.
    private static func sentence(_ refusal: Refusal) -> String {
        switch refusal.code {
        case .codeMalformed: "A code has six digits."
        case .codeWrong: "This code is not right."
        case .tooManyAttempts: "Too many codes were asked for or tried. Try again later."
        default:
            "This code was used or has expired, or too many wrong ones were entered. Ask for "
                + "another one."
        }
    }
}
