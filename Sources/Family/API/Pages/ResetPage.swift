import Domain
import HTTPServer
import Basics
import UseCases

/// The page `/reset-password`: requests a mailed link, and sets a new password with it.
enum ResetPage: Page {
    static let summary =
        "Mails a link to set a new password, and sets the password. Opening it changes nothing."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("token", .invitationToken, "The token from a mailed link.")
    ]
    static let refusals: [RefusalCode] = [.codeExpired]

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup(by: .password)
        if let token = visit.parameter("token") { return try opened(visit, token) }
        if visit.parameter("sent") != nil, let mail = PendingMail(visit), mail.purpose == .reset {
            return try told(visit, .linkSent, .linkSentTo(mail.email))
        }
        if visit.parameter("done") != nil {
            return try told(
                visit, .passwordChanged, .passwordChangedAdvice, link: signInAddress(visit))
        }
        return try asking(visit, email: "")
    }

    /// Returns the page of a mailed link; for a link that no longer works, the page that sends a
    /// new one.
    private static func opened(_ visit: PageVisit, _ token: String) throws -> Reply {
        do {
            try visit.services.signIn(by: .password).requireResetLink(token)
        } catch let refusal as Refusal where refusal.code == .codeExpired {
            return try asking(visit, email: "", Problem(refusal))
        }
        return try setting(visit, token)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let signIn = try visit.services.signIn(by: .password)
        guard let token = form.value("token") else {
            let email = try form.email()
            try signIn.sendResetLink(to: email, from: visit.client, visit.emailTokenOrigin(form))
            return visit.redirect(
                to: visit.path("reset-password", "sent", visit.returnPath(form)),
                cookie: PendingMail(.reset, email: email.text)
                    .header(isSecure: visit.site.isSecure))
        }
        try signIn.resetPassword(linkToken: token, password: form.value("password") ?? "")
        visit.services.recordPasswordReset(linkToken: token, visit.request)
        // Every session of the account has ended, including this browser's if it had one.
        return visit.redirect(
            to: visit.path("reset-password", "done", visit.returnPath(form)),
            cookie: visit.session == nil ? nil : visit.farewell)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        guard let form = try visit.form(), problem.code != .fault(.notFound) else {
            return try ProblemPage.reply(visit, problem)
        }
        guard let token = form.value("token"), problem.code != .refusal(.codeExpired) else {
            return try asking(visit, email: form.value("email") ?? "", problem)
        }
        return try setting(visit, token, problem)
    }

    /// Returns the hidden field that passes the return path from page to page.
    private static func returnField(_ visit: PageVisit) throws -> (name: String, value: String?) {
        ("return", try visit.returnPath(visit.form())?.text)
    }

    private static func signInAddress(_ visit: PageVisit) throws -> String {
        let path = try visit.returnPath(visit.form())
        return "sign-in" + (path.map { "?return=" + $0.asParameter } ?? "")
    }

    private static func asking(
        _ visit: PageVisit, email: String, _ problem: Problem? = nil
    ) throws -> Reply {
        let parts = PageParts(visit: visit)
        let isWrong = problem?.code == .refusal(.invalidField)
        let form = try parts.form(
            to: "reset-password", hidden: [try returnField(visit)],
            "\(parts.email(email, isWrong: isWrong))\(parts.button(parts.text(.mailMeALink)))")
        return try reply(
            visit, .forgotPassword, problem,
            """
            <p>\(parts.text(.forgotAdvice))</p>
            \(form)
            <ul class="links"><li>\
            <a href="\(try signInAddress(visit))">\(parts.text(.signIn))</a></li></ul>
            """)
    }

    private static func setting(
        _ visit: PageVisit, _ token: String, _ problem: Problem? = nil
    ) throws -> Reply {
        let parts = PageParts(visit: visit)
        let form = try parts.form(
            to: "reset-password", hidden: [try returnField(visit), ("token", token)],
            """
            \(parts.newPassword(isWrong: problem?.code == .refusal(.passwordTooWeak)))\
            \(parts.button(parts.text(.setPassword)))
            """)
        return try reply(
            visit, .setPassword, problem,
            "<p>\(parts.text(.resetAdvice))</p>\n\(form)")
    }

    private static func reply(
        _ visit: PageVisit, _ title: SignInText, _ problem: Problem?,
        _ content: HTML
    ) throws -> Reply {
        let parts = PageParts(visit: visit)
        let error: HTML? = problem.map {
            $0.code == .refusal(.codeExpired) ? parts.text(.resetLinkDead) : visit.explanation($0)
        }
        let page = PageLayout(
            title: parts.text(title),
            content: """
                \(parts.heading("\(visit.site.app.name)", parts.text(title), error: error))
                \(content)
                """)
        var reply = try visit.reply(page, problem: problem)
        reply.headers += problem?.headers ?? []
        return reply
    }

    /// Returns a page that confirms what was done.
    private static func told(
        _ visit: PageVisit, _ title: SignInText, _ advice: SignInText, link: String? = nil
    ) throws -> Reply {
        let parts = PageParts(visit: visit)
        let button: HTML =
            link.map { "<p><a class=\"button\" href=\"\($0)\">\(parts.text(.signIn))</a></p>" }
            ?? ""
        return try reply(
            visit, title, nil, "<p class=\"lead\">\(parts.text(advice))</p>\n\(button)")
    }
}
