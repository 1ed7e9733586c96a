import HTTPServer

/// The routes of pages for people.
enum PageRoutes {
    /// The pages that apps and e-mails link to. They are in the API's description, but not in
    /// generated clients.
    static let openings: [Endpoint] = [
        opening("/sign-in", SignInPage.self), opening("/join", JoinPage.self),
        opening("/reset-password", ResetPage.self), opening("/account", AccountPage.self),
    ]

    /// All routes of pages, including those that only the pages themselves request.
    static let table: [Endpoint] =
        openings + [
            forms("/sign-in", SignInPage.self), forms("/join", JoinPage.self),
            forms("/reset-password", ResetPage.self), forms("/account", AccountPage.self),
            Endpoint(.get, "/pages.css", style),
            Endpoint(.get, "/favicon.ico", icon),
        ]

    private static func opening(_ path: StaticString, _ page: any Page.Type) -> Endpoint {
        Endpoint(.get, path, .opening(page))
    }

    private static func forms(_ path: StaticString, _ page: any Page.Type) -> Endpoint {
        Endpoint(.post, path, .forms(of: page))
    }

    private static let style = Operation.open(
        "readPageStyle", "The style of all pages.", responses: [.media("text/css", "CSS.")]
    ) { _, call in try styleSheet.reply(to: call.request) }

    private static let icon = Operation.open(
        "readPageIcon", "The icon of all pages.", responses: [.media("image/x-icon", "A picture.")]
    ) { _, call in try picture.reply(to: call.request) }

    private static let picture = PreparedDocument(
        mediaType: "image/x-icon", bytes: PageIcon.bytes,
        headers: [("Cache-Control", "public, max-age=86400")])

    private static let styleSheet = PreparedDocument(
        mediaType: "text/css; charset=utf-8", bytes: Array(PageStyle.css.utf8))
}
