import Basics
import Domain
import Repositories
import UseCases

/// Views of `/account` that ask for confirmation before something is removed.
struct AccountQuestions: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Asks for confirmation before a sign-in method is removed; warns if the password is removed
    /// with the address.
    func removal(of way: ListedIdentity, among ways: [ListedIdentity]) throws -> Reply {
        let endsPassword =
            way.kind == .email && ways.contains { $0.kind == .password }
            && !ways.contains { $0.kind == .email && $0.id != way.id }
        let name: HTML = way.shownName.map { " <bdi>\($0)</bdi>" } ?? ""
        let password: HTML = endsPassword ? "<p>\(text(.passwordGoesToo))</p>\n" : ""
        let form = try parts.form(
            to: "account", action: "remove-way",
            hidden: [("identity", way.id.description), ("sure", "yes")],
            parts.button(text(.remove), style: "danger"))
        return try reply(
            text(.removeWay),
            """
            <p class="lead"><strong>\(text(.way(way.kind)))</strong>\(name)</p>
            <p>\(text(.removeAdvice))</p>
            \(password)\(form)
            <p class="note"><a href="account#ways">\(text(.keepWay))</a></p>
            """)
    }

    /// Asks for confirmation before the person leaves a family.
    ///
    /// - Parameter problem: The reason why the family can't be left now.
    func leaving(_ overview: FamilyOverview, _ problem: Problem?) throws -> Reply {
        let family = overview.family
        let stay: HTML = """
            <p class="note"><a href="account#families">\(text(.stayIn))</a></p>
            """
        if problem == nil, let obstacle = overview.obstacleToLeaving {
            let reason = visit.language.familyTexts.sentence(for: obstacle)
            return try reply(
                text(.leaveQuestion(family.name)), title: text(.leaveOf(family.name)),
                """
                <p class="lead">\(reason)</p>
                \(stay)
                """)
        }
        let button = parts.button(text(.leave), style: "danger", name: text(.leaveOf(family.name)))
        let form = try parts.form(
            to: "account", action: "leave", hidden: [("family", family.id.description)],
            "\(FamilyParts(visit).heirs(of: overview.me, in: overview))\(button)")
        let advice = text(family.memberCount == 1 ? .leaveEnds : .leaveAdvice)
        let error: HTML? = problem.map {
            $0.code == .refusal(.guardianHasManagedMembers)
                ? text(.onlyGuardian) : visit.explanation($0)
        }
        return try reply(
            text(.leaveQuestion(family.name)), title: text(.leaveOf(family.name)), error: error,
            problem: problem,
            """
            <p class="lead">\(advice)</p>
            \(form)
            \(stay)
            """)
    }

    /// - Parameter title: Title without markup; needed if the heading contains markup.
    private func reply(
        _ heading: HTML, title: HTML? = nil, error: HTML? = nil, problem: Problem? = nil,
        _ content: HTML
    ) throws -> Reply {
        var reply = try visit.reply(
            PageLayout(
                title: title ?? heading,
                content: """
                    \(parts.heading(text(.yourAccount), heading, error: error))
                    \(content)
                    """),
            problem: problem)
        reply.headers += problem?.headers ?? []
        return reply
    }
}

extension ListedIdentity {
    /// Name to display: the provider's for an issuer, otherwise the address or the passkey's name.
    var shownName: String? {
        kind == .issuer ? name.map { ProviderName.of(issuer: $0) } : name
    }
}
