import Domain
import HTTPServer
import Basics
import Telemetry

/// One of Hearth's pages for people: rendered by the server, and complete without a script.
protocol Page: SendableMetatype {
    /// Purpose of the page, for the API's description.
    static var summary: String { get }
    /// Parameters of links to the page, for the API's description. A page ignores those that it
    /// can't use, so it refuses none of them.
    static var links: [any DeclaredInput] { get }
    /// Refusals of a link, which the page displays.
    static var refusals: [RefusalCode] { get }
    /// Returns the page when it is opened. Changes nothing, because mail scanners open links, too.
    static func show(_ visit: PageVisit) throws -> Reply
    /// Performs the action of one of the page's own forms, and returns the result.
    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply
    /// Returns the page that shows a problem of `show` or `act`.
    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply
}

extension Operation {
    /// Returns the operation that opens a page.
    static func opening(_ page: any Page.Type) -> Operation {
        var operation = operation(page, "show") { visit in try page.show(visit) }
        operation.inputs = page.links
        operation.refusals = page.refusals
        return operation
    }

    /// Returns the operation that accepts a page's forms.
    static func forms(of page: any Page.Type) -> Operation {
        var operation = operation(page, "act") { visit in
            _ = try visit.services.signInSetup()
            guard let form = try visit.form() else { return try RefusedForm.reply(visit) }
            return try page.act(visit, form)
        }
        operation.takesForm = true
        return operation
    }

    private static func operation(
        _ page: any Page.Type, _ verb: String,
        _ run: @escaping @Sendable (PageVisit) throws -> Reply
    ) -> Operation {
        .open(
            "\(verb)\(page)", page.summary, responses: [.media("text/html", "A page.")],
            failurePage: { services, request, problem in
                do {
                    return try page.failure(PageVisit(services, request), problem)
                } catch {
                    services.log.error("could not render an error page", [.error(error)])
                    return Reply(status: 500, mediaType: "text/plain", body: [])
                }
            }
        ) { services, call in try run(PageVisit(services, call.request)) }
    }
}

extension Input<String?> {
    /// The path to continue at after signing in.
    static let returnPath = query(
        "return", .anyText, "The path on this site to open after signing in.")
}

/// The page for a form that none of Hearth's pages created for this browser.
enum RefusedForm {
    static func reply(_ visit: PageVisit) throws -> Reply {
        let parts = PageParts(visit: visit)
        let origin = origin(of: visit)
        // Browsers send no cookie with other sites' forms, so their senders may still be signed in.
        let hasSignedOut =
            origin?.neededSession == true && FormOrigin.isOwn(visit.request, of: visit.site)
        let title = parts.text(hasSignedOut ? .signedOut : .formRefused)
        let signIn: HTML =
            origin.map { origin in
                """
                <p><a class="button" href="\(visit.root)\(ProviderSignIn.signIn(origin.page))">\
                \(parts.text(PageText.signIn))</a></p>
                """
            } ?? ""
        let content: HTML = """
            \(parts.heading(parts.text(.signIn), title))
            <p class="lead">\(parts.text(
                hasSignedOut ? .signedOutAdvice : .formRefusedAdvice))</p>
            \(signIn)
            """
        return try visit.reply(PageLayout(title: title, content: content), status: 403)
    }

    /// The page of a form that somebody who is not signed in has sent.
    private struct Origin {
        /// The page to continue at after signing in; nil for the usual one.
        let page: ReturnPath?
        /// Whether only somebody signed in has such a form.
        var neededSession = true
    }

    /// Returns the page of a form; nil if its sender is signed in, or if its page needs no
    /// sign-in.
    private static func origin(of visit: PageVisit) -> Origin? {
        guard visit.session == nil else { return nil }
        // The fields may be anybody's: they only select one of Hearth's pages, which shows nothing
        // before the person has signed in.
        let sent = visit.isForm ? FormBody(parsing: visit.request.body) : nil
        return switch visit.request.segments.first {
        case "family": Origin(page: visit.pathToReturn(from: sent))
        case "account": Origin(page: .account)
        case "join": Origin(page: sent.flatMap { JoinPage.place(of: $0) })
        case "sign-in":
            Origin(
                page: visit.returnPath(sent), neededSession: sent?.value("action") == "sign-out")
        default: nil
        }
    }
}
