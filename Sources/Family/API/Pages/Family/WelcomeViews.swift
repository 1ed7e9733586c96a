import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Views for people without a family: visitors, and accounts that belong to no family.
struct WelcomeViews: LocalizedView {
    private let visit: PageVisit
    private let family: FamilyParts

    init(_ visit: PageVisit) {
        self.visit = visit
        family = FamilyParts(visit)
    }

    var language: Language { visit.language }

    /// Returns the page `/` for somebody who is not signed in.
    func visitor() throws -> Reply {
        let offersPassword = visit.services.signIn?.offers(.password) ?? false
        let create: HTML =
            offersPassword
            ? """
            <a class="button plain" href="sign-in?new&amp;return=/family">\
            \(text(PageText.createAccount))</a>

            """ : ""
        return try family.reply(
            "\(visit.site.app.name)", say(.welcome),
            """
            <p class="lead">\(say(.welcomeAdvice))</p>
            <div class="answer start">
            <a class="button" href="sign-in?return=/family">\(text(PageText.signIn))</a>
            \(create)</div>
            \(family.section("join", say(.haveCode), JoinByCode(family).form()))
            """)
    }

    /// Returns the page `/family` of a site without sign-in, which leads to the app.
    func familyInApp() throws -> Reply {
        try family.reply(
            "\(visit.site.app.name)", say(.yourFamily),
            """
            <p class="lead">\(say(.familyInApp(visit.site.app.name)))</p>
            \(family.parts.openApp())\(family.parts.stores())
            """)
    }

    /// Returns the page `/family` of somebody who belongs to no family. Whoever is invited, or
    /// waits for a family's answer, finds that first, and only links to create or join another one.
    ///
    /// - Parameter done: The action that the notice confirms: leaving the last family.
    func noFamily(
        _ profile: ProfileService.Profile, _ invitations: [ReceivedInvitation],
        version: String, done: String?, _ problem: Problem?
    ) throws -> Reply {
        let requests = profile.joinRequests
        let invited: HTML =
            invitations.isEmpty
            ? ""
            : family.section(
                "invitations", text(AccountText.yourInvitations),
                family.list(try invitations.map { try family.parts.received($0) }))
        let waiting: HTML =
            requests.isEmpty
            ? ""
            : family.section(
                "waiting", say(.forYou),
                family.list(try requests.map { try family.parts.request($0) }))
        let left: HTML? =
            done == FamilyNotice.leave.rawValue ? say(FamilyText.done(.leave)) : nil
        let isPlayer = profile.own?.role == .player && profile.own?.isRoleDefault == false
        // A person who was removed, or has left, meets no alarm, and no advice for newcomers.
        let isGone = problem?.code == .refusal(.familyNotFound)
        // The family may be one whose answer the person waits for.
        let advice: FamilyFormText =
            if isGone, requests.isEmpty {
                .notInFamilyAdvice
            } else if !invitations.isEmpty {
                .invitedAdvice
            } else if !requests.isEmpty {
                .waitingAdvice
            } else {
                isPlayer ? .noFamilyAsPlayer : .noFamilyAdvice
            }
        let isOpen = !isGone && invitations.isEmpty && requests.isEmpty
        return try family.reply(
            "\(visit.site.app.name)", say(isGone ? .notInFamily : .noFamily), problem: problem,
            showsProblem: !isGone, version: version,
            """
            \(family.done(left))<p class="lead" data-part="advice">\(say(advice))</p>
            \(invited)\(waiting)\(isOpen ? try forms(profile) : "")\(links(toForms: !isOpen))
            """)
    }

    /// Returns the forms that create a family, or lead to one by its code.
    private func forms(_ profile: ProfileService.Profile) throws -> HTML {
        """
        \(try NewFamilyViews(family, profile).section(problem: nil))
        \(family.section("join", say(.haveCode), JoinByCode(family).form()))
        """
    }

    /// Returns the page's links.
    ///
    /// - Parameter toForms: Whether to link the pages that create or join a family, too.
    private func links(toForms: Bool) -> HTML {
        let account = family.link(text(PageText.yourAccount), to: "account", style: "")
        let ways =
            toForms
            ? [
                family.link(say(.newFamily), to: "family/new", style: ""),
                family.link(text(JoinText.joinAFamily), to: "family/join", style: ""),
            ] : []
        return """
            <nav data-part="links" aria-label="\(say(FamilyText.more))">
            \(family.list(ways + [account], style: "links"))</nav>

            """
    }
}

/// The form for a family's code. It leads to `/family/join`, which shows the family first.
struct JoinByCode: LocalizedView {
    private let family: FamilyParts

    init(_ family: FamilyParts) { self.family = family }

    var language: Language { family.language }

    /// - Parameters:
    ///   - typed: The text that was typed before.
    ///   - problem: The problem with this text.
    func form(_ typed: String = "", _ problem: Problem? = nil) -> HTML {
        let codes = family.visit.services.formOfCodes
        let field = PageParts.Field(
            name: "code", label: text(JoinText.familyCode), value: typed,
            hint: say(.codeHint(codes)), isWrong: problem != nil,
            more: """
                 placeholder="\(codes)" autocapitalize="characters" spellcheck="false" \
                maxlength="200" class="typed-code" pattern=".*([A-Za-z0-9][^A-Za-z0-9]*){6}.*" \
                title="\(say(.codeHint(codes)))"
                """)
        let error = family.parts.alert(
            problem.map { problem in
                problem.code == .refusal(.codeMalformed)
                    ? say(.noFamilyCode(codes)) : family.visit.sentence(for: problem)
            })
        return """
            <form method="get" action="\(family.address("family/join"))">
            \(error)\(family.parts.field(field))\(family.parts.button(text(PageText.goOn)))</form>

            """
    }
}

/// The page `/`: the start page in browsers, and 404 for other clients.
enum HomePage: Page {
    static let summary = "Leads people to their family, or to the sign-in page."
    static let links: [any DeclaredInput] = []
    static let refusals: [RefusalCode] = []

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        var reply =
            visit.session != nil
            ? visit.redirect(to: ReturnPath.family.relative) : try WelcomeViews(visit).visitor()
        reply.headers.removeAll { $0.name == "Vary" }
        reply.headers.append(("Vary", "Accept, Accept-Language, Cookie"))
        return reply
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        try RefusedForm.reply(visit)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try ProblemPage.reply(visit, problem)
    }

    /// Whether a request asks for a page for people. Browsers name `text/html` in `Accept`; other
    /// clients get 404.
    static func isWanted(by request: Request) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return request.headers.values("Accept").flatMap { $0.split(separator: ",") }
            .contains { range in
                let parts = range.split(separator: ";").map {
                    $0.lowercased().filter { !$0.isWhitespace }
                }
                return parts.first == "text/html" && !parts.dropFirst().contains { isZero($0) }
            }
    }

    /// Whether a parameter of a media range excludes it.
    private static func isZero(_ parameter: String) -> Bool {
        parameter.hasPrefix("q=0") && !parameter.dropFirst(3).contains { ("1"..."9").contains($0) }
    }
}

/// The page `/family/join`: asks for a family's code, and leads to the page `/join`.
enum JoinFamilyPage: Page {
    static let summary = "Asks for a family's code, and leads to the page that shows the family."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("code", .familyCode, "The code, as typed.")
    ]
    static let refusals: [RefusalCode] = [.codeMalformed]

    static func show(_ visit: PageVisit) throws -> Reply {
        guard let typed = visit.parameter("code") else { return try page(visit) }
        guard let code = FamilyCode(visit.site.typedCode(typed)) else {
            throw Refusal(.codeMalformed)
        }
        return visit.redirect(to: FamilyAddress.path("join", [("code", code.text)]))
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        try RefusedForm.reply(visit)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        if problem.status >= 500 { return try ProblemPage.reply(visit, problem) }
        return try page(visit, visit.parameter("code") ?? "", problem)
    }

    /// Whether a problem is about the code as typed, so that the field for it shows the problem.
    static func isAboutCode(_ problem: Problem) -> Bool {
        let codes: [ProblemCode] = [
            .refusal(.codeMalformed), .refusal(.codeUnknown), .refusal(.codeExpired),
        ]
        return codes.contains(problem.code)
    }

    /// - Parameter typed: The text that was typed before.
    static func page(
        _ visit: PageVisit, _ typed: String = "", _ problem: Problem? = nil
    ) throws -> Reply {
        let family = FamilyParts(visit)
        return try family.reply(
            "\(visit.site.app.name)", family.text(JoinText.joinAFamily), problem: problem,
            showsProblem: false,
            """
            <p class="lead">\(family.say(.joinAdvice))</p>
            \(JoinByCode(family).form(typed, problem))\
            \(family.back(to: nil, family.say(.yourFamily)))
            """)
    }
}
