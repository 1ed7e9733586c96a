import Domain
import HTTPServer
import Markup
import UseCases

/// Somebody's look at one of Hearth's pages: whose browser it is, and which language it wants.
struct PageVisit: Speaking, Sendable {
    let services: Services
    let request: Request
    let language: Language
    /// Nil where nobody can sign in here, so there are no forms.
    let cookie: PageCookie?
    /// Whether the browser has to be given its cookie still.
    private let isNewcomer: Bool

    var site: PublicSite { services.site }
    var client: ClientAddress { ClientAddress(of: request.client) }

    /// - Throws: `CryptoError` only.
    init(_ services: Services, _ request: Request) throws {
        self.services = services
        self.request = request
        language = Language(accepted: request.headers["Accept-Language"])
        guard let signIn = services.signIn else {
            (cookie, isNewcomer) = (nil, false)
            return
        }
        let name = PageCookie.name(isSecure: services.site.isSecure)
        let sent = try Cookies(request.headers).value(name).flatMap {
            try PageCookie($0, signIn.keys)
        }
        isNewcomer = sent == nil
        cookie = try sent ?? .visitor()
    }

    /// The session that the browser says it has. Whether it goes on, the database knows.
    var session: Caller.Session? {
        if case .session(let session, _) = cookie?.owner { session } else { nil }
    }

    /// The context of the browser's requests; nil for somebody who has not signed in.
    var context: RequestContext? {
        guard case .session(let session, let signedInAt) = cookie?.owner,
            let issuer = services.signIn?.tokens.issuer
        else { return nil }
        return RequestContext(Caller(session, issuer: issuer, signedInAt: signedInAt))
    }

    /// - Throws: ``Problem`` for somebody who has not signed in.
    func signedIn() throws(Problem) -> RequestContext {
        guard let context else { throw Authentication.missing }
        return context
    }

    /// A parameter of the address; nil if it is not there exactly once.
    func parameter(_ name: String) -> String? {
        let values = request.query.values(name)
        return values.count == 1 ? values.first : nil
    }

    /// Where to go after signing in, as address or form say.
    func returnPath(_ form: FormBody? = nil) -> ReturnPath? {
        ReturnPath(form?.value("return") ?? parameter("return"))
    }

    /// What a mailed code or link remembers of the page it was asked for on.
    func ticketOrigin(_ form: FormBody) -> TicketOrigin {
        TicketOrigin(language: wantedLanguage, returnPath: returnPath(form))
    }

    /// The language to write in; nil where the browser asks for none that there is.
    var wantedLanguage: LanguageTag? { site.language(of: request) }

    /// The fields of a form that one of Hearth's own pages made for this browser; nil for all
    /// others.
    func form() throws -> FormBody? {
        guard let signIn = services.signIn, let cookie, !isNewcomer,
            FormOrigin.isOwn(request, of: site), isForm, let form = FormBody(parsing: request.body),
            let token = form.value(PageParts.tokenField),
            try cookie.sealed(token, signIn.keys)
        else { return nil }
        return form
    }

    /// Whether the body is labelled as what browsers send.
    private var isForm: Bool {
        guard case .once(let type) = request.headers.single("Content-Type") else { return false }
        return type.prefix { $0 != ";" }.lowercased() == "application/x-www-form-urlencoded"
    }

    // MARK: Answers

    /// A page.
    ///
    /// - Parameters:
    ///   - status: The status of a page that tells of no problem.
    ///   - problem: The problem that the page tells of.
    func reply(
        _ page: PageLayout, status: Int = 200, problem: Problem? = nil
    ) throws -> Reply {
        var headers = PageHeaders.of(page)
        if isNewcomer, page.hasForms, let cookie {
            headers.append(cookie.header(isSecure: site.isSecure, seconds: nil))
        }
        headers.append(("Content-Language", language.rawValue))
        headers.append(("Vary", "Accept-Language, Cookie"))
        return Reply(
            status: problem?.status ?? status, mediaType: "text/html; charset=utf-8",
            body: Array(try page.document(for: self).text.utf8), headers: headers,
            code: problem?.code)
    }

    /// Leads the browser to another of Hearth's pages, to be read there.
    func redirect(
        to path: String, cookie: (name: String, value: String)? = nil
    ) -> Reply {
        Reply(
            status: 303, mediaType: "text/plain", body: [],
            headers: [("Location", path)] + (cookie.map { [$0] } ?? []))
    }

    /// Gives the browser a new session, in place of what it had, and leads it on.
    func enter(_ signedIn: SignedIn, _ path: ReturnPath?) throws -> Reply {
        let cookie = try PageCookie(signedIn, services.signInSetup().keys)
            .header(isSecure: site.isSecure, seconds: signedIn.refreshSeconds)
        return redirect(to: (path ?? .account).relative, cookie: cookie)
    }

    /// The answer of a page that was opened. A session that is used lasts longer, and with it the
    /// cookie.
    func prolonging(_ make: () throws -> Reply) throws -> Reply {
        var reply = try make()
        guard let context, let cookie else { return reply }
        if let seconds = try services.sessions.prolong(by: context) {
            reply.headers.append(cookie.header(isSecure: site.isSecure, seconds: seconds))
        }
        return reply
    }

    /// The path of one of Hearth's pages with a parameter, and where to go in the end.
    func path(_ page: String, _ parameter: String, _ returnPath: ReturnPath?) -> String {
        "\(page)?\(parameter)" + (returnPath.map { "&return=" + $0.asParameter } ?? "")
    }

    /// Takes the browser's session away.
    var farewell: (name: String, value: String) { PageCookie.removal(isSecure: site.isSecure) }

    /// To the page for signing in, and back afterwards.
    func redirectToSignIn(_ path: ReturnPath?) -> Reply {
        redirect(
            to: "sign-in" + (path.map { "?return=" + $0.asParameter } ?? ""), cookie: farewell)
    }

    /// What a list of sessions calls this browser.
    var device: Label? { BrowserName(request.headers["User-Agent"] ?? "").label }
}
