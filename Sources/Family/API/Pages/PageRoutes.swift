import HTTPServer

/// The routes of pages for people. They are no part of the API, and its description leaves them
/// out.
enum PageRoutes {
    static let table: [Endpoint] =
        page("/sign-in", SignInPage.self) + page("/join", JoinPage.self)
        + page("/reset-password", ResetPage.self) + page("/account", AccountPage.self)
        + [
            Endpoint(method: .get, pattern: "/pages.css", operation: style),
            Endpoint(method: .get, pattern: "/favicon.ico", operation: icon),
        ]

    private static func page(_ path: StaticString, _ page: any Page.Type) -> [Endpoint] {
        [
            Endpoint(method: .get, pattern: path, operation: .opening(page)),
            Endpoint(method: .post, pattern: path, operation: .forms(of: page)),
        ]
    }

    private static let style = Operation.open(
        "readPageStyle", "The style of all pages.", answers: [.media("text/css", "CSS.")]
    ) { _, call in try styleSheet.reply(to: call.request) }

    private static let icon = Operation.open(
        "readPageIcon", "The icon of all pages.", answers: [.media("image/x-icon", "A picture.")]
    ) { _, call in try picture.reply(to: call.request) }

    private static let picture = PreparedDocument(
        mediaType: "image/x-icon", bytes: PageIcon.bytes,
        headers: [("Cache-Control", "public, max-age=86400")])

    private static let styleSheet = PreparedDocument(
        mediaType: "text/css; charset=utf-8", bytes: Array(PageStyle.css.utf8))
}
