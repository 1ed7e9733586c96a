import Domain
import Basics

/// Views of `/account` for erasing the account.
struct ErasureViews: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts
    /// Whether children without another guardian are to be erased as well.
    let erasesChildren: Bool

    init(_ visit: PageVisit, erasesChildren: Bool = false) {
        self.visit = visit
        self.erasesChildren = erasesChildren
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    private func reply(
        _ title: AccountDataText, _ problem: Problem? = nil, status: Int = 200, _ content: HTML
    ) throws -> Reply {
        let error = problem.map { visit.explanation($0) }
        let page = PageLayout(
            title: text(title),
            content: """
                \(parts.heading(text(.yourAccount), text(title), error: error))
                \(content)
                """)
        var reply = try visit.reply(page, status: status, problem: problem)
        reply.headers += problem?.headers ?? []
        return reply
    }

    /// Returns the page for a form whose confirmation box was not ticked.
    func notSure() throws -> Reply {
        try reply(
            .eraseAccount, nil, status: 400,
            """
            <p class="lead">\(text(.tickFirst))</p>
            <p class="note"><a href="account#erase">\(text(.back))</a></p>
            """)
    }

    /// Returns the page on which the person enters the mailed code that confirms the erasure.
    func code(_ problem: Problem? = nil) throws -> Reply {
        let code = PageParts.Field(
            name: "code", label: text(.codeLabel), autocomplete: "one-time-code",
            isWrong: problem?.isAboutMailedCode ?? false,
            more: " inputmode=\"numeric\" maxlength=\"12\" autofocus")
        let hidden: [(name: String, value: String?)] = [
            ("sure", "yes"), ("children", erasesChildren ? "yes" : nil),
        ]
        let form = try parts.form(
            to: "account", action: "erase", hidden: hidden,
            "\(parts.field(code))\(parts.button(text(.eraseForGood), style: "danger"))")
        let again = try parts.form(
            to: "account", action: "erase",
            hidden: hidden + [(name: "again", value: Optional("yes"))],
            parts.button(text(.resendCode), style: "plain"))
        return try reply(
            .eraseAccount, problem,
            """
            <p class="lead">\(text(.erasureCodeSent))</p>
            \(form)\(again)
            <p class="note"><a href="account">\(text(.back))</a></p>
            """)
    }

    func done() throws -> Reply {
        try reply(
            .erased, nil,
            """
            <p class="lead">\(text(.erasedAdvice))</p>
            <p class="note"><a href="sign-in">\(text(PageText.signIn))</a></p>
            """)
    }
}
