import HTTPServer

/// The operations of signing in with a provider on pages.
enum ProviderRoutes {
    static let start = operation(
        "startProviderSignIn", "Leads to a provider's page to sign in there."
    ) { try ProviderSignIn.start($0) }

    static let receive = operation(
        "finishProviderSignIn", "Finishes a sign-in with a provider, whose page leads here."
    ) { try ProviderSignIn.receive($0) }

    /// The only operation that accepts a form from another site. It changes nothing in the
    /// database: it stores the response in the browser's cookie, if this browser has begun the
    /// sign-in.
    static let receiveForm: Operation = {
        var receiving = operation(
            "receiveProviderForm", "Takes the form that a provider's page sends."
        ) { try ProviderSignIn.receiveForm($0) }
        receiving.takesForm = true
        return receiving
    }()

    private static func operation(
        _ name: String, _ summary: String,
        _ run: @escaping @Sendable (PageVisit) throws -> Reply
    ) -> Operation {
        .open(
            name, summary, responses: [.media("text/html", "A page.")],
            failurePage: { services, request, problem in
                do {
                    return try failure(PageVisit(services, request), problem)
                } catch {
                    services.log.error("could not render an error page", [.error(error)])
                    return Reply(status: 500, mediaType: "text/plain", body: [])
                }
            }
        ) { services, call in try run(PageVisit(services, call.request)) }
    }

    private static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        if ProblemPage.isSignedOut(problem), visit.session != nil || visit.parameter("add") != nil {
            return visit.redirectToSignIn(.account)
        }
        return try ProblemPage.reply(visit, problem)
    }
}
