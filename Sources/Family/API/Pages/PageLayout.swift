import Basics

/// A page: its content, and the settings of the document around it.
struct PageLayout: Sendable {
    /// Title without markup, for the window and for previews of links.
    let title: HTML
    /// Summary without markup, for previews of links; nil for pages that are never shared.
    var summary: HTML?
    let content: HTML
    /// If true, the page has forms, so the browser needs the cookie of the pages.
    var hasForms = true
    /// Address to which browsers are redirected immediately, without a script; nil for no redirect.
    var successor: String?
    /// Digest of the page's content (``FamilyOverview/version``), if the page's script renews its
    /// parts after changes.
    var version: String?
    /// Address from which the page's script renews it, relative to the root of the pages; nil for
    /// the address at which the page was opened. A refused form has another address.
    var address: String?

    /// The whole document.
    func document(for visit: PageVisit) throws -> HTML {
        """
        <!DOCTYPE html>
        <html lang="\(visit.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(title) &middot; \(visit.site.app.name)</title>
        \(preview(for: visit))\(refresh)<link rel="icon" href="\(icon(for: visit))">
        <link rel="stylesheet" href="\(visit.root)pages.css">
        <script src="\(visit.root)pages.js" defer></script>
        </head>
        <body>
        <main\(live(for: visit))>
        \(emblem(for: visit))
        \(content)
        \(back(for: visit))\(footer(for: visit))</main>
        </body>
        </html>

        """
    }

    /// Returns the tags for previews of links in messengers (ogp.me).
    private func preview(for visit: PageVisit) -> HTML {
        guard let summary else { return "" }
        return """
            <meta name="description" content="\(summary)">
            <meta property="og:type" content="website">
            <meta property="og:site_name" content="\(visit.site.app.name)">
            <meta property="og:title" content="\(title)">
            <meta property="og:description" content="\(summary)">
            <meta property="og:locale" content="\(visit.language.rawValue)">

            """
    }

    private var refresh: HTML {
        successor.map { "<meta http-equiv=\"refresh\" content=\"0; url=\($0)\">\n" } ?? ""
    }

    private func live(for visit: PageVisit) -> HTML {
        guard let version else { return "" }
        let page: HTML = address.map { " data-page=\"\(visit.root + $0)\"" } ?? ""
        return " data-live=\"\(version)\"\(page)"
    }

    /// Returns the link back to the app that has opened the browser's session. After a change this
    /// link is the page's main button.
    private func back(for visit: PageVisit) -> HTML {
        guard let back = visit.back else { return "" }
        let style = visit.parameter("done") == nil ? "button plain" : "button"
        let (address, label) =
            switch back {
            case .page(let path): (visit.root + path.relative, visit.text(.back))
            case .app(let address): (address, visit.text(.backToApp(visit.site.app.name)))
            }
        return """
            <p class="leads-back"><a class="\(style)" href="\(address)">\(label)</a></p>

            """
    }

    private func footer(for visit: PageVisit) -> HTML {
        let app = visit.site.app
        let support: HTML =
            app.supportEmail.map { email in
                """
                <p>\(visit.text(.questions)) <a href="mailto:\(email)">\(email)</a></p>
                """
            } ?? ""
        let items = app.look.links.reduce(into: HTML("")) { html, link in
            html = "\(html)<li><a href=\"\(link.address)\">\(link.name)</a></li>"
        }
        let links: HTML = items.text.isEmpty ? "" : "<ul>\(items)</ul>"
        if support.text.isEmpty, links.text.isEmpty { return "" }
        return "<footer>\(support)\(links)</footer>\n"
    }

    private func icon(for visit: PageVisit) -> String {
        visit.root + (visit.site.app.look.logo == nil ? "favicon.ico" : "logo")
    }

    private func emblem(for visit: PageVisit) -> HTML {
        if visit.site.app.look.logo == nil { return Self.emblem }
        return "<img class=\"emblem logo\" src=\"\(visit.root)logo\" alt=\"\">"
    }

    /// A house with a fire in it.
    private static let emblem: HTML = """
        <svg class="emblem" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
        <path class="house" d="M24 5 4 22h5v20h30V22h5z"/>
        <path class="fire" \
        d="M24 18c1 5 7 7 7 13a7 7 0 0 1-14 0c0-4 2-5 3-8 2 1 2 2 3 4 1-3 2-5 1-9z"/>
        </svg>
        """
}

extension PageHeaders {
    /// The headers of a page. They allow the page to load, run and send data only from and to its
    /// own site.
    static let ofPages: [(name: String, value: String)] =
        [
            (
                "Content-Security-Policy",
                "default-src 'none'; img-src 'self'; connect-src 'self'; script-src 'self'; "
                    + "style-src 'self'; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            )
        ] + all.filter { $0.name != "Content-Security-Policy" }
}
