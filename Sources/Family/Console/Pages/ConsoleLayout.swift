import Basics
import Domain

/// The document of a page: the rail with the sections, the search, and the content.
struct ConsoleLayout: Sendable {
    /// A section of the console, in the order of the rail.
    enum Section: String, CaseIterable, Sendable {
        case overview = "Overview"
        case families = "Families"
        case people = "People"
        case jobs = "Jobs"
        case mail = "Mail"
        case webhooks = "Webhooks"
        case audit = "Audit log"
        case doctor = "Doctor"
        case system = "System"

        var path: String {
            switch self {
            case .overview: "/"
            case .families: "/families"
            case .people: "/people"
            case .jobs: "/jobs"
            case .mail: "/mail"
            case .webhooks: "/webhooks"
            case .audit: "/audit"
            case .doctor: "/doctor"
            case .system: "/system"
            }
        }
    }

    let title: String
    /// The section to which the page belongs.
    let section: Section?
    let content: HTML
    /// The part of the console whose changes renew the page.
    let part: ConsoleBoard.Part?
    /// Whether browsers without a script load the page again in some seconds.
    let isUnderWay: Bool

    func document(for visit: ConsoleVisit) -> HTML {
        let refresh: HTML =
            isUnderWay
            ? "<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>\(title) &middot; Hearth console</title>
            <link rel="icon" href="/favicon.ico" type="image/svg+xml">
            <link rel="stylesheet" href="/console.css">
            <script src="/console.js" defer></script>
            \(refresh)</head>
            <body>
            \(frame(for: visit))
            </body>
            </html>

            """
    }

    private func frame(for visit: ConsoleVisit) -> HTML {
        guard let current = visit.operator else {
            return """
                <main id="main" class="alone">
                \(Self.emblem)
                \(content)
                </main>
                """
        }
        let items = Section.allCases.reduce(into: HTML("")) { html, one in
            let mark: HTML = one == section ? " aria-current=\"page\"" : ""
            html = "\(html)<li><a href=\"\(one.path)\"\(mark)>\(one.rawValue)</a></li>\n"
        }
        let parts = ConsoleParts(visit)
        let signOut = parts.form(
            to: "/sign-out", "<button type=\"submit\" class=\"link\">Sign out</button>")
        let search = parts.form(to: "/search", searchField(visit), style: "search")
        let follows: HTML = part.map { " data-live=\"\($0.rawValue)\"" } ?? ""
        let toggle: HTML =
            part == nil
            ? ""
            : """
            <p class="renewal"><span id="renewal-state" role="status"></span> \
            <button id="renewal" type="button" class="link" hidden>\
            Stop automatic refresh</button></p>

            """
        return """
            <a class="skip" href="#main">Skip to the content</a>
            <header class="rail">
            <p class="brand">\(Self.emblem)<span>Hearth</span></p>
            <nav aria-label="Sections"><ul>
            \(items)</ul></nav>
            <div class="whoami">
            <p><span class="name">\(current.email ?? current.name)</span>
            <span class="badge">\(current.role.rawValue)</span></p>
            <p><a href="/passkeys">Passkeys</a></p>
            \(signOut)
            </div>
            </header>
            <div class="work">
            <search role="search">\(search)</search>
            \(toggle)<main id="main" tabindex="-1"\(follows)>
            \(content)
            </main>
            </div>
            """
    }

    private func searchField(_ visit: ConsoleVisit) -> HTML {
        """
        <label for="q" class="hidden">Search</label>
        <input id="q" name="q" type="search" autocomplete="off" spellcheck="false" required \
        maxlength="200" value="\(visit.searchText ?? "")" \
        placeholder="Code, id, address, name, job or request" aria-keyshortcuts="/">
        <button type="submit" class="plain">Search</button>
        """
    }

    /// A house with a fire in it.
    static let emblem: HTML = """
        <svg class="emblem" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" \
        aria-hidden="true" focusable="false">
        <path class="house" fill="#b3471d" d="M24 5 4 22h5v20h30V22h5z"/>
        <path class="fire" fill="#f7b24f" \
        d="M24 18c1 5 7 7 7 13a7 7 0 0 1-14 0c0-4 2-5 3-8 2 1 2 2 3 4 1-3 2-5 1-9z"/>
        </svg>
        """
}
