import Domain
import HTTPServer
import Markup
import Telemetry

/// One of Hearth's pages for people: made by the server, and complete without a script.
protocol Page: SendableMetatype {
    /// What it is for, in the API's description.
    static var summary: String { get }
    /// What links to it may carry, in the API's description. A page reads only what it can use, and
    /// so refuses none of them.
    static var links: [any DeclaredInput] { get }
    /// What may be wrong with such a link, which its page then says.
    static var refusals: [RefusalCode] { get }
    /// The page as it is opened. Changes nothing, because links are opened by mail scanners, too.
    static func show(_ visit: PageVisit) throws -> Reply
    /// Does what one of the page's own forms asks for, and shows what became of it.
    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply
    /// Shows what stood in the way of either.
    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply
}

extension Operation {
    /// Opens a page.
    static func opening(_ page: any Page.Type) -> Operation {
        var operation = operation(page, "show") { visit in try page.show(visit) }
        operation.inputs = page.links
        operation.refusals = page.refusals
        return operation
    }

    /// Takes a form of a page.
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
            "\(verb)\(page)", page.summary, answers: [.media("text/html", "A page.")],
            failurePage: { services, request, problem in
                do {
                    return try page.failure(PageVisit(services, request), problem)
                } catch {
                    services.log.error("a page for a failure could not be made", [.error(error)])
                    return Reply(status: 500, mediaType: "text/plain", body: [])
                }
            }
        ) { services, call in try run(PageVisit(services, call.request)) }
    }
}

extension Input<String?> {
    /// Where a page leads on once somebody has signed in.
    static let returnPath = query(
        "return", .anyText, "The path on this site to go on to after signing in.")
}

/// What is shown for a form that none of Hearth's pages has made for this browser.
enum RefusedForm {
    static func reply(_ visit: PageVisit) throws -> Reply {
        let parts = PageParts(visit: visit)
        let content: HTML = """
            \(parts.heading(parts.text(.signIn), parts.text(.formRefused)))
            <p class="lead">\(parts.text(.formRefusedAdvice))</p>
            """
        return try visit.reply(
            PageLayout(title: parts.text(.formRefused), content: content), status: 403)
    }
}
