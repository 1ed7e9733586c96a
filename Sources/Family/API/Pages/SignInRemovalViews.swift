import Domain
import Basics
import Repositories
import UseCases

/// Views of `/account` that ask for confirmation before a sign-in method is removed.
struct SignInRemovalViews: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Returns the page that asks; it warns if the password is removed along with the address.
    func question(_ way: ListedIdentity, among ways: [ListedIdentity]) throws -> Reply {
        let endsPassword =
            way.kind == .email && ways.contains { $0.kind == .password }
            && !ways.contains { $0.kind == .email && $0.id != way.id }
        let name: HTML = way.name.map { " <bdi>\($0)</bdi>" } ?? ""
        let password: HTML = endsPassword ? "<p>\(text(.passwordGoesToo))</p>\n" : ""
        let form = try parts.form(
            to: "account", action: "remove-way",
            hidden: [("identity", way.id.description), ("sure", "yes")],
            parts.button(text(.remove), style: "danger"))
        let page = PageLayout(
            title: text(.removeWay),
            content: """
                \(parts.heading(text(.yourAccount), text(.removeWay), error: nil))
                <p class="lead"><strong>\(text(.way(way.kind)))</strong>\(name)</p>
                <p>\(text(.removeAdvice))</p>
                \(password)\(form)
                <p class="note"><a href="account#ways">\(text(.keepWay))</a></p>
                """)
        return try visit.reply(page)
    }
}
