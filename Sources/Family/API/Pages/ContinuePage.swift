import Basics
import Domain
import HTTPServer
import UseCases

/// The page `/continue`: opens another page as the person who is signed in to an app, with a ticket
/// that the app has requested.
///
/// If the page signed people in immediately, an attacker could sign somebody in to the attacker's
/// account by sending an address. So opening the page changes nothing, and its button names the
/// account.
enum ContinuePage: Page {
    static let summary =
        "Signs a browser in as the person who is signed in to an app, with the app's ticket. "
        + "Opening it changes nothing."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("ticket", .invitationToken, "The ticket of the app.")
    ]
    static let refusals: [RefusalCode] = [.codeExpired]

    static func show(_ visit: PageVisit) throws -> Reply {
        let tickets = try visit.services.pageTickets()
        let views = ContinueViews(visit)
        guard let ticket = visit.parameter("ticket"),
            let account = try tickets.account(of: ticket)
        else { return try views.over() }
        let current = try visit.profileOfSession()
        let isOther = current.map { $0.id != account.user } ?? false
        return try views.question(
            account.name, inPlaceOf: isOther ? current?.fullName ?? current?.email ?? "" : nil,
            hidden: ("ticket", ticket), text(of: visit))
    }

    /// Explains where the address comes from.
    private static func text(of visit: PageVisit) -> HTML {
        visit.text(ContinueText.fromApp(visit.site.app.name))
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        guard form.value("action") == ContinueViews.action else {
            return try RefusedForm.reply(visit)
        }
        let used = try visit.services.pageTickets().use(
            form.value("ticket") ?? "", device: visit.device, replacing: visit.session?.id,
            scheme: visit.site.app.scheme)
        guard let (signedIn, target) = used else { return try ContinueViews(visit).over() }
        return try visit.enter(signedIn, target.path, back: target.back)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try ProblemPage.reply(visit, problem)
    }
}

/// Views that ask before a browser is signed in to an account.
struct ContinueViews: LocalizedView {
    /// The only action of the form.
    static let action = "continue"

    private let visit: PageVisit
    private let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Asks whether to continue as a person.
    ///
    /// - Parameters:
    ///   - other: The person who is signed in with this browser, if it is another person.
    ///   - hidden: The field of the form that signs in.
    ///   - advice: Explanation of where the address comes from.
    func question(
        _ name: String, inPlaceOf other: String?, hidden: (name: String, value: String),
        to page: String = "continue", _ advice: HTML
    ) throws -> Reply {
        let form = try parts.form(
            to: page, action: Self.action, hidden: [(hidden.name, hidden.value)],
            parts.button(text(ContinueText.continueAs(name))))
        let current: HTML = other.map { "<p>\(text(.signedInAs($0)))</p>\n" } ?? ""
        let stay: HTML =
            other.map {
                """
                <ul class="links"><li><a href="\(visit.root)account">\
                <span>\(text(.stayAs($0)))</span></a></li></ul>

                """
            } ?? ""
        return try visit.reply(
            PageLayout(
                title: text(ContinueText.titlePlainly(name)),
                content: """
                    \(parts.heading(
                        "\(visit.site.app.name)", text(ContinueText.title(name))))
                    \(current)<p class="lead">\(advice)</p>
                    \(form)\(stay)
                    """))
    }

    /// Returns the page for a ticket that can't be used any more.
    func over() throws -> Reply {
        try visit.reply(
            PageLayout(
                title: text(ContinueText.over),
                content: """
                    \(parts.heading("\(visit.site.app.name)", text(ContinueText.over)))
                    <p class="lead">\(text(ContinueText.overAdvice(visit.site.app.name)))</p>
                    \(parts.openApp())
                    """, hasForms: false),
            problem: Problem(Refusal(.codeExpired)))
    }
}
