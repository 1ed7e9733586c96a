import Basics
import Domain
import Identity
import Repositories

/// Views of signing in with a provider.
struct ProviderViews: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    // MARK: Buttons

    /// Returns a button for each provider; empty if there are none.
    ///
    /// - Parameter isFirst: Whether the page has no other way to sign in above it.
    func buttons(returningTo path: ReturnPath?, isFirst: Bool = false) -> HTML {
        let providers = visit.services.providers
        if providers.isEmpty { return "" }
        let query = path.map { "?return=" + $0.asParameter } ?? ""
        let items = providers.reduce(into: HTML("")) { html, client in
            html = "\(html)<li>\(button(client, query))</li>\n"
        }
        let divider: HTML = isFirst ? "" : "<p class=\"or\"><span>\(visit.text(.or))</span></p>\n"
        return "\(divider)<ul class=\"stores\">\n\(items)</ul>\n"
    }

    /// Returns the link that begins a sign-in, or the reason why there is none now.
    private func button(_ client: ProviderClient, _ query: String) -> HTML {
        guard client.metadata.current != nil else {
            return "<p class=\"note\">\(text(.isAway(client.name)))</p>"
        }
        let target = address(of: client) + query
        let label = text(.continueWith(client.name))
        return "<a class=\"button plain\" href=\"\(target)\">\(label)</a>"
    }

    private func address(of client: ProviderClient) -> String {
        visit.root + "sign-in/with/" + FormEncoding.encoded(client.name)
    }

    /// Returns links for adding sign-ins, one for each provider whose sign-in the account lacks. An
    /// account has at most one sign-in of a primary issuer, whose subject is its id.
    func additions(to ways: [ListedIdentity]) -> HTML {
        let own = ways.filter { $0.kind == .issuer }.compactMap(\.name)
        let primary = visit.services.verifier.issuers.filter(\.isPrimary).map(\.name)
        let hasPrimary = own.contains { primary.contains($0) }
        let missing = visit.services.providers.filter { client in
            !own.contains(client.issuer) && !(hasPrimary && primary.contains(client.issuer))
        }
        if missing.isEmpty { return "" }
        guard visit.isSignInFresh else { return "<p class=\"hint\">\(text(.addLater))</p>\n" }
        let items = missing.reduce(into: HTML("")) { html, client in
            let item: HTML =
                client.metadata.current == nil
                ? "<p class=\"note\">\(text(.isAway(client.name)))</p>"
                : """
                <a class="button plain" href="\(address(of: client))?add">\
                \(text(.add(client.name)))</a>
                """
            html = "\(html)<li>\(item)</li>\n"
        }
        return "<ul class=\"stores\">\n\(items)</ul>\n"
    }

    // MARK: Pages

    /// Returns the page that redirects to the last step of a sign-in.
    func finishing(_ state: String, with client: ProviderClient) throws -> Reply {
        let target =
            visit.root + ProviderSignIn.callback(of: client)
            + "?state=" + FormEncoding.encoded(state)
        return try visit.reply(
            PageLayout(
                title: visit.text(.signIn),
                content: """
                    \(parts.heading("\(visit.site.app.name)", visit.text(.signIn)))
                    <p class="lead">\(text(.finishing))</p>
                    <p><a class="button" href="\(target)">\(visit.text(.goOn))</a></p>
                    """, hasForms: false, successor: target))
    }

    /// Returns the page that asks whether to add a sign-in to the account.
    ///
    /// - Parameters:
    ///   - email: The address of the provider's account.
    ///   - sealed: The sign-in's token, sealed for the session.
    func question(_ client: ProviderClient, _ email: String?, _ sealed: String) throws -> Reply {
        let form = try parts.form(
            to: "account", action: AccountPage.Action.addProvider.rawValue,
            hidden: [("sign_in", sealed)], parts.button(text(.add(client.name))))
        return try visit.reply(
            PageLayout(
                title: text(.add(client.name)),
                content: """
                    \(parts.heading("\(visit.site.app.name)", text(.add(client.name))))
                    <p class="lead">\(text(.addQuestion(client.name, account: email)))</p>
                    <p>\(text(.addAdvice(client.name)))</p>
                    \(form)
                    <ul class="links"><li><a href="\(visit.root)account">\(visit.text(.back))</a>\
                    </li></ul>
                    """))
    }

    /// Returns the page for a failure.
    ///
    /// - Parameters:
    ///   - client: The provider; nil if the sign-in, and so its provider, is unknown.
    ///   - isAdding: Whether the sign-in was to be added to an account.
    func failure(
        _ failure: ProviderFailure, _ client: ProviderClient?, _ path: ReturnPath?, isAdding: Bool
    ) throws -> Reply {
        let title: HTML = isAdding ? visit.text(.yourAccount) : visit.text(.signIn)
        let target =
            visit.root + (isAdding ? ReturnPath.account.relative : ProviderSignIn.signIn(path))
        let sentence = text(.failed(failure, client?.name))
        let page = PageLayout(
            title: title,
            content: """
                \(parts.heading("\(visit.site.app.name)", title, error: sentence))
                <p><a class="button" href="\(target)">\
                \(isAdding ? visit.text(.yourAccount) : text(.waysToSignIn))</a></p>
                """, hasForms: false)
        var reply = try visit.reply(page, status: failure.status)
        if let seconds = failure.retryAfterSeconds {
            reply.headers.append(("Retry-After", String(seconds)))
        }
        return reply
    }
}
