import Domain
import Basics

/// The forms of `/sign-in`, one on each page.
struct SignInForms: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts
    private let returnPath: ReturnPath?
    private let error: HTML?
    private let wrongField: String?

    /// - Parameter problem: The problem of the form that was sent before.
    init(_ visit: PageVisit, _ returnPath: ReturnPath?, _ problem: Problem? = nil) {
        self.visit = visit
        self.returnPath = returnPath
        self.problem = problem
        parts = PageParts(visit: visit)
        error = problem.map { visit.explanation($0) }
        wrongField = problem?.wrongFields.first?.pointer
    }

    private let problem: Problem?

    var language: Language { visit.language }

    private func reply(_ title: HTML, _ content: HTML) throws -> Reply {
        var headers: [(name: String, value: String)] = []
        if let problem { headers = problem.headers }
        let page = PageLayout(
            title: title, summary: text(.signInSummary(app: visit.site.app.name)),
            content: """
                \(parts.heading("\(visit.site.app.name)", title, error: error))
                \(content)
                """)
        var reply = try visit.reply(page, problem: problem)
        reply.headers += headers
        return reply
    }

    private var hidden: [(name: String, value: String?)] { [("return", returnPath?.text)] }

    private func link(to target: String, _ label: HTML) -> HTML {
        var address = target
        if let returnPath {
            address += (target.contains("?") ? "&" : "?") + "return=" + returnPath.asParameter
        }
        return "<a href=\"\(address)\">\(label)</a>"
    }

    /// Returns the page with all sign-in methods.
    func choice(email: String) throws -> Reply {
        let signIn = try visit.services.signInSetup()
        let providers = ProviderViews(visit)
        guard [.email, .password, .passkey].contains(where: signIn.offers) else {
            if !visit.services.providers.isEmpty {
                return try reply(
                    text(.signIn), providers.buttons(returningTo: returnPath, isFirst: true))
            }
            return try reply(
                text(.signIn),
                """
                <p class="lead">\(text(.signInInApp(visit.site.app.name)))</p>
                \(parts.openApp())\(parts.stores())
                """)
        }
        let hasPasswords = signIn.offers(.password)
        let hasCodes = signIn.offers(.email)
        let isEmailWrong = wrongField == "#/email"
        let password = PageParts.Field(
            name: "password", label: text(.passwordLabel), type: "password",
            autocomplete: "current-password",
            isWrong: problem?.code == .refusal(.invalidCredentials))
        let codeButton = parts.button(
            text(.mailMeACode), style: hasPasswords ? "plain" : "", action: "code",
            skipsChecks: hasPasswords)
        let divider: HTML = "<p class=\"or\"><span>\(text(.or))</span></p>\n"
        let forms = try parts.form(
            to: "sign-in", hidden: hidden,
            """
            \(parts.email(email, isWrong: isEmailWrong, offersPasskeys: signIn.offers(.passkey)))
            \(hasPasswords ? parts.field(password) : "")
            \(hasPasswords ? parts.button(text(.signIn), action: "password") : "")
            \(hasPasswords && hasCodes ? divider : "")
            \(hasCodes ? codeButton : "")
            """)
        let passkey: HTML =
            signIn.offers(.passkey)
            ? try parts.passkey(
                to: "sign-in", action: "passkey", hidden: hidden, text(.usePasskey)) : ""
        let ended: HTML =
            visit.request.query.values("ended").isEmpty || problem != nil
            ? "" : "<p class=\"done\" role=\"status\">\(text(.sessionHasEnded))</p>\n"
        let hint: HTML = hasCodes ? "<p class=\"hint\">\(text(.codeHint))</p>" : ""
        let more: HTML =
            hasPasswords
            ? """
            <ul class="links"><li>\(link(to: "sign-in?new", text(.createAccount)))</li>
            <li>\(link(to: "reset-password", text(.forgotPassword)))</li></ul>
            """ : ""
        return try reply(
            text(.signIn),
            """
            \(ended)\(hasPasswords || hasCodes ? forms : "")\(hint)
            \(passkey)\(providers.buttons(returningTo: returnPath))\(more)
            """)
    }

    /// Returns the page on which the person enters the mailed code.
    ///
    /// - Parameter isRepeated: Whether a further code was just sent.
    func code(_ mail: PendingMail, isRepeated: Bool = false) throws -> Reply {
        let code = PageParts.Field(
            name: "code", label: text(.codeLabel), autocomplete: "one-time-code",
            isWrong: problem?.isAboutMailedCode ?? false,
            more: " inputmode=\"numeric\" maxlength=\"12\" autofocus")
        let form = try parts.form(
            to: "sign-in", action: "verify",
            hidden: hidden + [("ticket", mail.emailToken), ("email", mail.email)],
            "\(parts.field(code))\(parts.button(text(.goOn)))")
        let notice: HTML =
            isRepeated ? "<p class=\"done\" role=\"status\">\(text(.codeSentAgain))</p>\n" : ""
        // A new account needs the code together with the password, which this page does not have.
        // It therefore offers no further code.
        let again: HTML =
            mail.purpose == .signIn
            ? try parts.form(
                to: "sign-in", action: "resend",
                hidden: hidden + [("ticket", mail.emailToken), ("email", mail.email)],
                parts.button(text(.resendCode), style: "plain")) : ""
        let start = mail.purpose == .signUp ? "sign-in?new&again" : "sign-in?again"
        return try reply(
            text(.enterCode),
            """
            \(notice)<p class="lead">\(text(.codeSent(to: mail.email)))</p>
            \(form)
            <p class="hint">\(text(.codeMissing))</p>
            \(again)<ul class="links"><li>\(link(to: start, text(.startAgain)))</li></ul>
            """)
    }

    /// Values that somebody has entered for a new account.
    struct Draft {
        var email = ""
        var name = ""
        var role: MemberRole?
    }

    func account(_ draft: Draft) throws -> Reply {
        let form = try parts.form(
            to: "sign-in", action: "sign-up", hidden: hidden,
            """
            \(parts.name(draft.name, isWrong: wrongField == "#/name"))
            \(parts.email(draft.email, isWrong: wrongField == "#/email"))
            \(parts.newPassword(isWrong: problem?.code == .refusal(.passwordTooWeak)))
            \(parts.role(draft.role, isWrong: wrongField == "#/role"))\
            \(parts.button(text(.createAccount)))
            """)
        return try reply(
            text(.createAccount),
            """
            \(form)
            <ul class="links"><li>\(link(to: "sign-in", text(.haveAccount)))</li></ul>
            """)
    }

    /// Returns the page that a mailed link opens: only its button signs in.
    ///
    /// - Parameters:
    /// - email: The address of the account that the link signs in to.
    func link(_ token: String, to email: String, inPlaceOf other: String?) throws -> Reply {
        let button: HTML = other == nil ? text(.signIn) : text(.signInAs(email))
        let form = try parts.form(
            to: "sign-in", action: "link", hidden: hidden + [("token", token)],
            parts.button(button))
        let current: HTML = other.map { "<p>\(text(.signedInAs($0)))</p>" } ?? ""
        let stay: HTML =
            other.map {
                """
                <ul class="links"><li><a href="account"><span>\(text(.stayAs($0)))</span></a></li>\
                </ul>
                """
            } ?? ""
        return try reply(
            text(.signIn),
            """
            \(current)
            <p class="lead">\(text(.linkOpened(app: visit.site.app.name, email: email)))</p>
            \(form)\(stay)
            """)
    }

    /// Returns the page for a mailed link of the account that is already signed in.
    func signedInAlready(_ email: String) throws -> Reply {
        let target = (returnPath ?? .account).relative
        return try reply(
            text(.signIn),
            """
            <p class="lead">\(text(.signedInAs(email)))</p>
            <p><a class="button" href="\(target)">\(text(.goOn))</a></p>
            """)
    }
}
