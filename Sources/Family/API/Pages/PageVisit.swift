import Domain
import HTTPServer
import Basics
import Repositories
import UseCases

/// A request for one of Hearth's pages, with the browser's session and language.
struct PageVisit: LocalizedView, Sendable {
    let services: Services
    let request: Request
    let language: Language
    /// The browser's cookie; nil if this deployment offers no sign-in, so no page has forms.
    let cookie: PageCookie?
    /// Idempotency key of the forms of a page that is rendered now.
    let key: String
    /// If true, the response must set the browser's cookie.
    private let isNewcomer: Bool

    var site: PublicSite { services.site }

    /// Prefix of relative links to pages and their files: `../` for each folder of the address. The
    /// whole address of the site, if the request's own can't be read.
    var root: String {
        if request.path.isEmpty { return site.baseURL + "/" }
        let folders = request.path.utf8.count { $0 == UInt8(ascii: "/") } - 1
        return String(repeating: "../", count: max(0, folders))
    }

    var client: ClientAddress { ClientAddress(of: request.client) }

    /// - Throws: `CryptoError` only.
    init(_ services: Services, _ request: Request) throws {
        self.services = services
        self.request = request
        language = Language(accepted: request.headers["Accept-Language"])
        key = try FormOperation.freshKey()
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

    /// The session in the browser's cookie. Only the database knows whether it is still valid.
    var session: Caller.Session? {
        if case .session(let session, _) = cookie?.owner { session } else { nil }
    }

    /// The context of the browser's requests; nil for a visitor who has not signed in.
    var context: RequestContext? {
        guard case .session(let session, let signedInAt) = cookie?.owner,
            let issuer = services.signIn?.tokens.issuer
        else { return nil }
        return RequestContext(Caller(session, issuer: issuer, signedInAt: signedInAt))
    }

    /// Whether the sign-in of the browser's session is at most ten minutes old. The database checks
    /// this at each change; pages only avoid offering changes that the database would refuse.
    var isSignInFresh: Bool {
        guard let signedInAt = context?.caller.tokenIssuedAt else { return false }
        return services.seconds - signedInAt <= 600
    }

    /// The address to which the pages lead back, if an app has opened the browser's session.
    var back: ReturnAddress? { ReturnAddress(cookie?.back, scheme: site.app.scheme) }

    /// Returns the profile of the browser's session; nil if it is not signed in or the session has
    /// ended.
    func profileOfSession() throws -> OwnProfile? {
        guard let context else { return nil }
        do {
            return try services.profiles.profile(by: context).own
        } catch let refusal as Refusal
            where [.sessionEnded, .accountRequired].contains(refusal.code)
        {
            return nil
        }
    }

    /// - Throws: ``Problem`` for a visitor who has not signed in.
    func signedIn() throws(Problem) -> RequestContext {
        guard let context else { throw Authentication.missing }
        return context
    }

    /// Returns a parameter of the address; nil if it is missing or repeated.
    func parameter(_ name: String) -> String? {
        let values = request.query.values(name)
        return values.count == 1 ? values.first : nil
    }

    /// Returns the path to continue at after signing in, from the form or the address.
    func returnPath(_ form: FormBody? = nil) -> ReturnPath? {
        ReturnPath(form?.value("return") ?? parameter("return"))
    }

    /// Returns the origin that a mailed code or link stores: the page's language and return path.
    func emailTokenOrigin(_ form: FormBody) -> EmailTokenOrigin {
        EmailTokenOrigin(language: wantedLanguage, returnPath: returnPath(form))
    }

    /// The language to write in; nil if the browser asks for none that is supported.
    var wantedLanguage: LanguageTag? { site.language(of: request) }

    /// Returns the fields of a form that one of Hearth's own pages created for this browser; nil
    /// for any other request.
    func form() throws -> FormBody? {
        guard let signIn = services.signIn, let cookie, !isNewcomer,
            FormOrigin.isOwn(request, of: site), isForm, let form = FormBody(parsing: request.body),
            let token = form.value(PageParts.tokenField),
            try cookie.sealed(token, signIn.keys)
        else { return nil }
        return form
    }

    /// Whether the body has the media type of browsers' forms.
    var isForm: Bool {
        guard case .once(let type) = request.headers.single("Content-Type") else { return false }
        return type.prefix { $0 != ";" }.lowercased() == "application/x-www-form-urlencoded"
    }

    // MARK: Answers

    /// Returns the response with a page.
    ///
    /// - Parameters:
    ///   - status: Status of a page that shows no problem.
    ///   - problem: The problem that the page shows.
    ///   - vary: The request's headers on which the page depends.
    func reply(
        _ page: PageLayout, status: Int = 200, problem: Problem? = nil,
        vary: String = "Accept-Language, Cookie"
    ) throws -> Reply {
        var headers = PageHeaders.ofPages
        if isNewcomer, page.hasForms, let cookie {
            headers.append(cookie.header(isSecure: site.isSecure, seconds: nil))
        }
        headers.append(("Content-Language", language.rawValue))
        headers.append(("Vary", vary))
        return Reply(
            status: problem?.status ?? status, mediaType: "text/html; charset=utf-8",
            body: Array(try page.document(for: self).text.utf8), headers: headers,
            code: problem?.code)
    }

    /// Redirects the browser to another of Hearth's pages, with GET.
    ///
    /// - Parameter path: Path of the page, relative to the root of the pages.
    func redirect(
        to path: String, cookie: (name: String, value: String)? = nil
    ) -> Reply {
        Reply(
            status: 303, mediaType: "text/plain", body: [],
            headers: [("Location", root + path)] + (cookie.map { [$0] } ?? []))
    }

    /// Replaces the browser's session with a new one, and redirects it.
    ///
    /// - Parameter back: Address to which the pages lead back.
    func enter(
        _ signedIn: SignedIn, _ path: ReturnPath?, back: ReturnAddress? = nil
    ) throws -> Reply {
        let cookie = try PageCookie(signedIn, back: back, services.signInSetup().keys)
            .header(isSecure: site.isSecure, seconds: signedIn.refreshSeconds)
        return redirect(to: (path ?? .account).relative, cookie: cookie)
    }

    /// Returns the response of an opened page. A session that is used is extended, and so is its
    /// cookie.
    func prolonging(_ make: () throws -> Reply) throws -> Reply {
        var reply = try make()
        guard let context, let cookie else { return reply }
        if let seconds = try services.sessions.extend(by: context) {
            reply.headers.append(cookie.header(isSecure: site.isSecure, seconds: seconds))
        }
        return reply
    }

    /// Returns the path of one of Hearth's pages with a parameter and the return path.
    func path(_ page: String, _ parameter: String, _ returnPath: ReturnPath?) -> String {
        "\(page)?\(parameter)" + (returnPath.map { "&return=" + $0.asParameter } ?? "")
    }

    /// The header that removes the browser's session.
    var farewell: (name: String, value: String) { PageCookie.removal(isSecure: site.isSecure) }

    /// Redirects to the page for signing in, and back afterwards.
    ///
    /// - Parameter hasEnded: Whether the browser's session has ended elsewhere, which the page then
    ///   says.
    func redirectToSignIn(_ path: ReturnPath?, hasEnded: Bool = false) -> Reply {
        var address = ProviderSignIn.signIn(path)
        if hasEnded { address += (path == nil ? "?" : "&") + "ended" }
        return redirect(to: address, cookie: farewell)
    }

    /// Name of this browser in the list of sessions.
    var device: Label? { BrowserName(request.headers["User-Agent"] ?? "").label }
}
