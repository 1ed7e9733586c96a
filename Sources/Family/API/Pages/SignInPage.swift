import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The page `/sign-in`: sign-in by a mailed code or its link, a password or a passkey, and sign-up.
enum SignInPage: Page {
    static let summary =
        "Offers the site's methods to sign in and to sign up. Opening it changes nothing."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("token", .invitationToken, "The token from a mailed link."),
        Input<String?>.query("email", .anyText, "The address to fill in."),
        Input<String?>.returnPath,
    ]
    static let refusals: [RefusalCode] = [.codeExpired]

    static func show(_ visit: PageVisit) throws -> Reply {
        let signIn = try visit.services.signInSetup()
        let forms = SignInForms(visit, visit.returnPath())
        if let token = visit.parameter("token") { return try link(visit, token) }
        if visit.session != nil {
            return visit.redirect(to: (visit.returnPath() ?? .account).relative)
        }
        let mail = PendingMail(visit)
        let known = visit.parameter("again") == nil ? nil : mail?.email
        if visit.parameter("new") != nil, signIn.offers(.password) {
            return try forms.account(.init(email: known ?? ""))
        }
        if visit.parameter("code") != nil, let mail, !mail.emailToken.isEmpty {
            return try forms.code(mail, isRepeated: visit.parameter("resent") != nil)
        }
        return try forms.choice(email: known ?? visit.parameter("email") ?? "")
    }

    /// Returns the page that names the account of a mailed link, with a warning if the browser is
    /// signed in to another one.
    private static func link(_ visit: PageVisit, _ token: String) throws -> Reply {
        let account: LinkedAccount
        do {
            account = try visit.services.signInByMail().account(ofLink: token)
        } catch let refusal as Refusal {
            let problem = Problem(refusal)
            return try SignInForms(visit, visit.returnPath(), problem).choice(email: "")
        }
        let forms = SignInForms(visit, visit.returnPath())
        guard let current = try visit.profileOfSession() else {
            return try forms.link(token, to: account.email, inPlaceOf: nil)
        }
        if current.id == account.user { return try forms.signedInAlready(account.email) }
        return try forms.link(
            token, to: account.email, inPlaceOf: current.fullName ?? current.email ?? "")
    }

    /// Actions of the page's buttons.
    private enum Action: String {
        case code, resend, password, verify, link, passkey
        case signUp = "sign-up"
        case signOut = "sign-out"
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        switch form.value("action").flatMap({ Action(rawValue: $0) }) {
        case .code: try sendCode(visit, form)
        case .resend: try sendCode(visit, form, isRepeated: true)
        case .password: try enterByPassword(visit, form)
        case .verify: try verify(visit, form)
        case .link: try useLink(visit, form)
        case .passkey: try enterByPasskey(visit, form)
        case .signUp: try signUp(visit, form)
        case .signOut: try signOut(visit, form)
        case nil: try RefusedForm.reply(visit)
        }
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        guard let form = try visit.form(), problem.code != .fault(.notFound) else {
            return try ProblemPage.reply(visit, problem)
        }
        let forms = SignInForms(visit, visit.returnPath(form), problem)
        let email = form.value("email") ?? ""
        switch form.value("action").flatMap({ Action(rawValue: $0) }) {
        case .verify where problem.code != .refusal(.codeExpired) && problem.attemptsLeft != 0:
            return try forms.code(pendingMail(visit, form))
        case .resend where problem.leavesMailedCode:
            return try forms.code(pendingMail(visit, form))
        case .signUp:
            return try forms.account(
                .init(
                    email: email, name: form.value("name") ?? "",
                    role: MemberRole(rawValue: form.value("role") ?? "")))
        default: return try forms.choice(email: email)
        }
    }

    /// Returns the e-mail whose code the form has.
    private static func pendingMail(_ visit: PageVisit, _ form: FormBody) -> PendingMail {
        PendingMail(
            PendingMail(visit)?.purpose ?? .signIn, emailToken: form.value("ticket") ?? "",
            email: form.value("email") ?? "")
    }

    // MARK: Actions

    private static func sendCode(
        _ visit: PageVisit, _ form: FormBody, isRepeated: Bool = false
    ) throws -> Reply {
        let signIn = try visit.services.signIn(by: .email)
        let email = try form.email()
        let token = try signIn.sendCode(
            email, from: visit.client, visit.emailTokenOrigin(form))
        return askForCode(
            visit, form, .init(.signIn, emailToken: token.token, email: email.text),
            isRepeated: isRepeated)
    }

    /// Redirects to the page on which the person enters the mailed code.
    private static func askForCode(
        _ visit: PageVisit, _ form: FormBody, _ mail: PendingMail, isRepeated: Bool = false
    ) -> Reply {
        visit.redirect(
            to: visit.path(
                "sign-in", isRepeated ? "code&resent" : "code", visit.returnPath(form)),
            cookie: mail.header(isSecure: visit.site.isSecure))
    }

    private static func signUp(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let signIn = try visit.services.signIn(by: .password)
        let email = try form.email()
        guard let role = try form.role() else { throw Problem.missingRole }
        let token = try signIn.signUp(
            email, password: form.value("password") ?? "", fullName: form.personName(),
            role: role, from: visit.client, visit.emailTokenOrigin(form))
        return askForCode(
            visit, form, .init(.signUp, emailToken: token.token, email: email.text))
    }

    private static func enterByPassword(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let signIn = try visit.services.signIn(by: .password)
        let email = try form.email()
        let signedIn = try visit.services.recordingSignIn(
            by: .password, of: .address(email), visit.request
        ) {
            try signIn.signIn(
                email, password: form.value("password") ?? "", device: visit.device,
                from: visit.client, language: visit.wantedLanguage)
        }
        return try visit.enter(signedIn, visit.returnPath(form))
    }

    private static func enterByPasskey(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let services = visit.services
        let passkeys = try services.passkeys()
        let credential = try form.credential()
        let signedIn = try services.recordingSignIn(
            by: .passkey, of: .passkey(credential), visit.request
        ) {
            try passkeys.signIn(
                credential, device: visit.device, from: visit.client,
                now: Int64(services.clock.now() / 1_000), language: visit.wantedLanguage)
        }
        return try visit.enter(signedIn, visit.returnPath(form))
    }

    /// Verifies the mailed code of a sign-in or a sign-up.
    private static func verify(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let signIn = try visit.services.signInByMail()
        let token = form.value("ticket") ?? ""
        let signedIn = try visit.services.recordingSignIn(
            by: .email, of: .emailToken(of: token), visit.request
        ) {
            try signIn.signIn(
                emailToken: token, code: form.value("code") ?? "", device: visit.device,
                language: visit.wantedLanguage)
        }
        return try visit.enter(signedIn, visit.returnPath(form))
    }

    private static func useLink(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let signIn = try visit.services.signInByMail()
        let signedIn = try visit.services.recordingSignIn(by: .email, of: nil, visit.request) {
            try signIn.signIn(
                linkToken: form.value("token") ?? "", device: visit.device,
                language: visit.wantedLanguage)
        }
        return try visit.enter(signedIn, visit.returnPath(form))
    }

    private static func signOut(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        if let context = visit.context, let session = visit.session {
            do {
                try visit.services.sessions.end(session.id, by: context)
                visit.services.readCache?.drop(.session(session.id))
                visit.services.recordSignOut(by: context, visit.request)
            } catch let refusal as Refusal
                where [.sessionEnded, .sessionNotFound].contains(refusal.code)
            {
                // The session has already ended.
            }
        }
        let path = visit.returnPath(form)
        // The page of an invitation or a code has the forms to sign in, and names who is invited.
        if form.value("stay") == "yes", let path, JoinPage.isOpenToVisitors(path) {
            return visit.redirect(to: path.relative, cookie: visit.farewell)
        }
        return visit.redirectToSignIn(path)
    }
}

extension FormBody {
    /// - Throws: ``Problem`` for a malformed address.
    func email() throws(Problem) -> EmailAddress {
        guard let email = value("email").flatMap({ EmailAddress($0) }) else {
            throw .invalidField("email", "an e-mail address")
        }
        return email
    }

    /// Returns the credential that the browser has created, as JSON.
    ///
    /// - Throws: ``Refusal``: `passkeyInvalid`.
    func credential() throws(Refusal) -> JSONField {
        guard let json = try? JSONValue(parsing: Array((value("credential") ?? "").utf8)) else {
            throw Refusal(.passkeyInvalid)
        }
        return JSONField(json, path: "credential")
    }

    /// Returns the role; nil if it is left out.
    ///
    /// - Throws: ``Problem`` for an unknown role.
    func role() throws(Problem) -> MemberRole? {
        guard let text = value("role") else { return nil }
        guard let role = MemberRole(rawValue: text) else { throw .missingRole }
        return role
    }

    /// Returns the name; nil if it is left out.
    ///
    /// - Throws: ``Problem`` for an invalid name.
    func personName() throws(Problem) -> PersonName? {
        guard let text = value("name"), !text.trimmed.isEmpty else { return nil }
        guard let name = PersonName(text) else {
            throw .invalidField("name", "a name of at most 80 characters")
        }
        return name
    }
}

extension Problem {
    /// Problem for a form without the person's role.
    static var missingRole: Problem { .invalidField("role", "`player` or `parent`") }
}
