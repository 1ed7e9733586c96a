import HTTPServer

/// The routes of pages for people.
enum PageRoutes {
    /// The pages that apps and e-mails link to. They are in the API's description, but not in
    /// generated clients.
    static let openings: [Endpoint] = [
        opening("/sign-in", SignInPage.self), opening("/join", JoinPage.self),
        opening("/reset-password", ResetPage.self), opening("/account", AccountPage.self),
        opening("/continue", ContinuePage.self),
        Endpoint(.get, "/", home), opening("/family", FamilyMainPage.self),
        opening("/family/new", NewFamilyPage.self), opening("/family/join", JoinFamilyPage.self),
        opening("/family/invite", InvitePage.self), opening("/family/child", ChildPage.self),
        opening("/family/activity", ActivityPage.self),
        opening("/family/settings", SettingsPage.self),
    ]

    /// All routes of pages, including those that only the pages themselves request.
    static let table: [Endpoint] =
        openings + [
            forms("/sign-in", SignInPage.self), forms("/join", JoinPage.self),
            forms("/reset-password", ResetPage.self), forms("/account", AccountPage.self),
            forms("/continue", ContinuePage.self),
            forms("/family", FamilyMainPage.self), forms("/family/new", NewFamilyPage.self),
            forms("/family/invite", InvitePage.self), forms("/family/child", ChildPage.self),
            forms("/family/settings", SettingsPage.self),
            Endpoint(.get, "/family/live", live),
            Endpoint(.get, "/sign-in/with/:provider", ProviderRoutes.start),
            Endpoint(.get, "/sign-in/callback/:provider", ProviderRoutes.receive),
            Endpoint(.post, "/sign-in/callback/:provider", ProviderRoutes.receiveForm),
            Endpoint(.get, "/demo", .opening(DemoPage.self)), forms("/demo", DemoPage.self),
            Endpoint(.get, "/pages.css", style),
            Endpoint(.get, "/pages.js", script),
            Endpoint(.get, "/favicon.ico", icon), Endpoint(.get, "/logo", logo),
        ]

    /// The root, which is 404 for programs.
    private static let home: Operation = {
        var operation = Operation.opening(HomePage.self)
        operation.faults = [.notFound]
        return operation
    }()

    private static func opening(_ path: StaticString, _ page: any Page.Type) -> Endpoint {
        Endpoint(.get, path, .opening(page))
    }

    private static func forms(_ path: StaticString, _ page: any Page.Type) -> Endpoint {
        Endpoint(.post, path, .forms(of: page))
    }

    /// The stream of an open page. It ends with the session of the browser's cookie.
    private static let live = Operation.openLongPoll(
        "watchFamilyPage",
        "Tells a page at once that something has changed, as server-sent events.",
        responses: [.media("text/event-stream", "A stream of events.")]
    ) { services, call in
        _ = try services.signInSetup()
        // Pages of other sites can't read the stream, and must not displace a stream of Hearth's
        // pages.
        if let sender = call.request.headers["Sec-Fetch-Site"], sender != "same-origin" {
            throw Authentication.missing
        }
        let stream = try LiveStream(
            services, PageVisit(services, call.request).signedIn(), for: .page)
        if call.request.method == .head {
            return .reply(Reply(status: 200, mediaType: "text/event-stream", body: []))
        }
        return try stream.open(after: nil)
    }

    private static let style = Operation.open(
        "readPageStyle", "The style of all pages.", responses: [.media("text/css", "CSS.")]
    ) { services, call in try services.site.app.look.style.reply(to: call.request) }

    private static let logo = Operation.open(
        "readPageLogo", "The logo of all pages.", responses: [.media("image/*", "A picture.")],
        faults: [.notFound]
    ) { services, call in
        guard let logo = services.site.app.look.logo else { throw Problem.routeNotFound }
        return try logo.document.reply(to: call.request)
    }

    private static let script = Operation.open(
        "readPageScript", "The script of all pages.",
        responses: [.media("text/javascript", "JavaScript.")]
    ) { _, call in try scriptFile.reply(to: call.request) }

    private static let icon = Operation.open(
        "readPageIcon", "The icon of all pages.", responses: [.media("image/x-icon", "A picture.")]
    ) { _, call in try picture.reply(to: call.request) }

    private static let picture = PreparedDocument(
        mediaType: "image/x-icon", bytes: PageIcon.bytes, cacheSeconds: 86_400)

    private static let scriptFile = PreparedDocument(
        mediaType: "text/javascript; charset=utf-8", bytes: Array(PageScript.source.utf8))
}
