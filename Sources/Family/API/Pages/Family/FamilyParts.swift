import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Building blocks of the pages of a family.
struct FamilyParts: LocalizedView {
    let visit: PageVisit
    let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Returns a page of a family.
    ///
    /// - Parameters:
    ///   - problem: The problem that the page shows; its status becomes the page's.
    ///   - showsProblem: False if the content shows it at a field.
    ///   - version: Version of the page's content, if its parts are renewed when the content
    ///     changes.
    func reply(
        _ eyebrow: HTML, _ title: HTML, problem: Problem? = nil, showsProblem: Bool = true,
        version: String? = nil, _ content: HTML
    ) throws -> Reply {
        let error = showsProblem ? problem.map { visit.sentence(of: $0) } : nil
        // The window's title has no markup. Names in it are escaped, so a removed tag is never part
        // of a name.
        let page = PageLayout(
            title: HTML(markup: title.text.replacing(/<[^>]*>/, with: "")),
            content: """
                <p class="eyebrow">\(eyebrow)</p>
                <h1 data-part="title">\(title)</h1>
                \(parts.alert(error))\(content)
                """,
            version: version,
            address: version == nil || problem == nil ? nil : try visit.addressOfForm())
        var reply = try visit.reply(page, problem: problem)
        reply.headers += problem?.headers.filter { $0.name == "Retry-After" } ?? []
        return reply
    }

    /// Returns a form that changes something in a family.
    func form(
        to page: String, _ action: String?, in family: FamilyID?,
        hidden: [(name: String, value: String?)] = [], style: String = "", _ content: HTML
    ) throws -> HTML {
        try parts.form(
            to: page, action: action,
            hidden: [("family", family?.description)] + hidden,
            style: style, content)
    }

    /// Returns a form with a single button.
    func button(
        to page: String, _ action: String, in family: FamilyID?,
        hidden: [(name: String, value: String?)] = [], style: String = "", _ label: HTML,
        name: HTML? = nil
    ) throws -> HTML {
        try form(
            to: page, action, in: family, hidden: hidden, style: "inline",
            parts.button(label, style: style, name: name))
    }

    /// Returns the address of one of the pages, relative to the one that is shown.
    func address(_ page: String, _ parameters: [(name: String, value: String)] = []) -> String {
        visit.root + FamilyAddress.path(page, parameters)
    }

    /// Returns a link that looks like a button.
    ///
    /// - Parameter part: Id of the part of the page to which the link leads; empty for its top.
    func link(
        _ label: HTML, to page: String, _ parameters: [(name: String, value: String)] = [],
        part: String = "", style: String = "button plain", name: HTML? = nil
    ) -> HTML {
        let target = address(page, parameters) + (part.isEmpty ? "" : "#" + part)
        let spoken: HTML = name.map { " aria-label=\"\($0)\"" } ?? ""
        let question = parameters.first { $0.name == "ask" }?.value
        // The page's script shows questions in a dialog, but not a member's page or the sheet.
        let asks: HTML =
            question == nil || Self.pages.contains { $0.rawValue == question } ? "" : " data-ask"
        return """
            <a class="\(style)" href="\(target)"\(spoken)\(asks)>\(label)</a>

            """
    }

    /// Questions that are shown as separate pages.
    private static let pages: [FamilyMainPage.Question] = [.member, .code]

    /// Returns the link back to a family's page.
    func back(to family: FamilyID?, _ label: HTML? = nil) -> HTML {
        let parameters = family.map { [(name: "id", value: $0.description)] } ?? []
        return """
            <p class="note back"><a href="\(address("family", parameters))">\
            \(label ?? say(.backToFamily))</a></p>

            """
    }

    func section(_ id: String, _ title: HTML, _ content: HTML) -> HTML {
        """
        <section id="\(id)" data-part="\(id)" aria-labelledby="\(id)-title">
        <h2 id="\(id)-title">\(title)</h2>
        \(content)</section>

        """
    }

    func list(_ items: [HTML], style: String = "rows") -> HTML {
        let lines = items.reduce(into: HTML("")) { $0 = "\($0)<li>\($1)</li>\n" }
        return "<ul class=\"\(style)\">\n\(lines)</ul>\n"
    }

    func done(_ notice: HTML?, _ more: HTML = "") -> HTML {
        guard let notice else { return "" }
        return "<div class=\"done\" role=\"status\"><p>\(notice)</p>\(more)</div>\n"
    }

    /// Returns a list from which one entry is chosen.
    ///
    /// - Parameters:
    ///   - none: Label of an empty choice; nil if one must be chosen.
    ///   - isWrong: Whether the page's alert is about the choice.
    ///   - hint: Text below the list.
    func choice(
        _ name: String, _ label: HTML, _ options: [(value: String, label: HTML)],
        none: HTML? = nil, chosen: String? = nil, isWrong: Bool = false, hint: HTML? = nil
    ) -> HTML {
        let described = [hint == nil ? nil : "\(name)-hint", isWrong ? "alert" : nil]
            .compactMap { $0 }.joined(separator: " ")
        let description: HTML = described.isEmpty ? "" : " aria-describedby=\"\(described)\""
        let invalid: HTML = isWrong ? " aria-invalid=\"true\"" : ""
        let advice: HTML =
            hint.map { "\n<p class=\"hint\" id=\"\(name)-hint\">\($0)</p>" } ?? ""
        let empty: HTML = none.map { "<option value=\"\">\($0)</option>" } ?? ""
        let rest = options.reduce(into: HTML("")) { html, option in
            let state: HTML = option.value == chosen ? " selected" : ""
            html = "\(html)<option value=\"\(option.value)\"\(state)>\(option.label)</option>"
        }
        return """
            <div class="field"><label for="\(name)">\(label)</label>
            <select id="\(name)" name="\(name)"\(description)\(invalid)>\(empty)\(rest)\
            </select>\(advice)</div>

            """
    }

    /// Returns the choice of a picture among those that the pages draw. An app's own picture stays
    /// a choice for those who have it.
    ///
    /// - Parameters:
    ///   - stored: Key of the present picture; nil for none.
    ///   - sent: The choice in a refused form.
    func pictures(stored: String?, sent: String?, isWrong: Bool) -> HTML {
        let stored = stored ?? ""
        let current = AvatarDrawing(key: stored)
        // A stored key with capitals stays as it is.
        var pictures = AvatarDrawing.allCases.map { drawing -> (value: String, label: HTML) in
            (drawing == current ? stored : drawing.rawValue, say(.pictureName(drawing)))
        }
        if current == nil, !stored.isEmpty {
            pictures.append((value: stored, label: say(.pictureOfApp)))
        }
        let chosen = sent ?? stored
        let isOffered = chosen.isEmpty || pictures.contains { $0.value == chosen }
        return choice(
            "avatar", say(.picture), pictures, none: say(.noPicture),
            chosen: isOffered ? chosen : stored, isWrong: isWrong)
    }

    /// Returns the field for choosing the new guardian of a guardian's children; empty if none is
    /// needed.
    func heirs(of guardian: FamilyMember, in overview: FamilyOverview) -> HTML {
        guard overview.needsHeir(guardian) else { return "" }
        let heirs = overview.heirs(of: guardian).map {
            (value: $0.id.description, label: HTML("\($0.displayName)"))
        }
        return choice("heir", say(.heir), heirs, none: say(.chooseHeir))
    }

    /// Returns buttons of which one is shown as selected.
    func options(
        _ name: String, _ legend: HTML, _ options: [(value: String, label: HTML)],
        chosen: String? = nil
    ) -> HTML {
        let rows = options.reduce(into: HTML("")) { html, option in
            let state: HTML = option.value == chosen ? " checked" : ""
            html = """
                \(html)<label class="choice"><input type="radio" name="\(name)" \
                value="\(option.value)" required\(state)> \(option.label)</label>

                """
        }
        return "<fieldset><legend>\(legend)</legend>\n\(rows)</fieldset>\n"
    }

    func checkbox(_ name: String, _ label: HTML, isChecked: Bool = false) -> HTML {
        """
        <label class="choice"><input type="checkbox" name="\(name)" value="yes"\
        \(isChecked ? " checked" : "")> \(label)</label>

        """
    }

    /// Returns a page that asks for confirmation of an action that can't be undone.
    ///
    /// - Parameter way: The link that leads back without the action; default: to the family.
    func question(
        _ family: ListedFamily, _ title: HTML, _ advice: HTML, back way: HTML? = nil,
        problem: Problem? = nil, _ form: HTML
    ) throws -> Reply {
        try reply(
            "<bdi>\(family.name)</bdi>", title, problem: problem,
            """
            <p class="lead">\(advice)</p>
            \(form)\(way ?? back(to: family.id, say(.keepAsIs)))
            """)
    }

    /// Returns buttons that the page's script shows: one copies a text, the other one shares a link
    /// with an app of the device.
    ///
    /// - Parameters:
    ///   - title: What is shared, without markup.
    ///   - label: Label of the button that copies.
    func copying(_ text: String, _ label: HTML, sharing link: String, _ title: HTML) -> HTML {
        """
        <button type="button" class="plain" data-copy="\(text)" data-done="\(say(.copied))" hidden>\
        <span>\(label)</span></button>
        <button type="button" class="plain" data-share="\(link)" data-title="\(title)" hidden>\
        <span>\(say(.share))</span></button>
        <span class="hint" role="status"></span>

        """
    }

    /// Returns a link that is shown only once, with buttons that copy and share it.
    func shownLink(_ link: String) -> HTML {
        """
        <p class="code"><code class="shared-link">\(link)</code></p>
        <div class="actions">
        \(copying(link, say(.copyLink), sharing: link, "\(visit.site.app.name)"))</div>
        <p class="hint">\(say(.linkShown))</p>

        """
    }

    // MARK: Members

    /// Returns the hint that nobody can be added to a full family, and what to do first; empty for
    /// any other family.
    func fullHint(_ overview: FamilyOverview) -> HTML {
        guard overview.isFull else { return "" }
        return "<p class=\"hint\">\(say(.full(limit: overview.family.memberLimit)))</p>\n"
    }

    /// Returns a member's picture: the drawing for the avatar's key, otherwise the initials, on a
    /// colour that follows from the key.
    func picture(_ member: MemberWithGuardians) -> HTML {
        let name = member.member.displayName
        let words = name.split(whereSeparator: \.isWhitespace)
        let letters = [words.first, words.count > 1 ? words.last : nil]
            .compactMap { $0?.first.map { String($0) } }.joined().uppercased()
        let key = member.member.avatarKey ?? member.member.user.description
        let hue = key.utf8.reduce(0) { ($0 * 31 + Int($1)) % 6 }
        let content: HTML =
            AvatarDrawing(key: member.member.avatarKey)?.svg ?? "\(letters)"
        return "<span class=\"avatar hue-\(String(hue))\" aria-hidden=\"true\">\(content)</span>"
    }

    func badge(_ label: HTML, style: String = "") -> HTML {
        "<span class=\"badge \(style)\">\(label)</span> "
    }
}

/// The content of a page about one family: its overview, and the parts of the page.
struct ShownFamily {
    let visit: PageVisit
    let overview: FamilyOverview
    let parts: FamilyParts

    init(_ visit: PageVisit, _ overview: FamilyOverview) {
        self.visit = visit
        self.overview = overview
        parts = FamilyParts(visit)
    }
}

/// Views of a page about one family.
protocol FamilyView: LocalizedView {
    var shown: ShownFamily { get }
}

extension FamilyView {
    var visit: PageVisit { shown.visit }
    var overview: FamilyOverview { shown.overview }
    var family: FamilyParts { shown.parts }
    var id: FamilyID { shown.overview.family.id }
    var language: Language { shown.visit.language }
}

/// Addresses of the pages of families.
enum FamilyAddress {
    /// Returns a path relative to the root of the pages. Values are ids and words, which need no
    /// escape.
    static func path(
        _ page: String, _ parameters: [(name: String, value: String)] = []
    ) -> String {
        parameters.isEmpty
            ? page
            : page + "?" + parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}
