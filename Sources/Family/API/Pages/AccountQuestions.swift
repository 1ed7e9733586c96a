import Basics
import Domain
import Repositories
import UseCases

/// Views of `/account` that ask for confirmation before something is removed.
struct AccountQuestions: LocalizedView {
    fileprivate let visit: PageVisit
    fileprivate let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Asks for confirmation before a sign-in method is removed; warns if the password is removed
    /// with the address. Without a recent sign-in, the page says what to do first instead.
    func removal(of way: ListedIdentity, among ways: [ListedIdentity]) throws -> Reply {
        let endsPassword =
            way.kind == .email && ways.contains { $0.kind == .password }
            && !ways.contains { $0.kind == .email && $0.id != way.id }
        let name: HTML = way.shownName(visit.services).map { " <bdi>\($0)</bdi>" } ?? ""
        let password: HTML = endsPassword ? "<p>\(text(.passwordGoesToo))</p>\n" : ""
        let form: HTML =
            visit.isSignInFresh
            ? try parts.form(
                to: "account", action: "remove-way",
                hidden: [("identity", way.id.description), ("sure", "yes")],
                parts.button(text(.remove), style: "danger"))
            : "<p class=\"hint\">\(text(.signInAgainFirst))</p>\n"
        let title = text(.removeWay)
        return try visit.reply(
            PageLayout(
                title: title,
                content: """
                    \(parts.heading(text(.yourAccount), title))
                    <p class="lead"><strong>\(text(.way(way.kind)))</strong>\(name)</p>
                    <p>\(text(.removeAdvice))</p>
                    \(password)\(form)
                    <p class="note"><a href="account#ways">\(text(.keepWay))</a></p>
                    """))
    }
}

extension AccountQuestions {
    /// Asks for confirmation before a consent of the account is withdrawn.
    func withdrawal(of consent: ListedConsent<OwnConsent>) throws -> Reply {
        let title = say(.withdrawQuestion(consent.title(in: language)))
        let isNeeded = consent.purpose?.isNeeded == true
        let form = try parts.form(
            to: "account", action: AccountPage.Action.withdrawConsent.rawValue,
            hidden: [("purpose", consent.name), ("sure", "yes")],
            parts.button(say(.withdrawConsent), style: "danger"))
        return try visit.reply(
            PageLayout(
                title: title,
                content: """
                    \(parts.heading(text(.yourAccount), title))
                    <p class="lead">\(isNeeded ? text(.consentNeeded) : say(.withdrawAdvice))</p>
                    \(form)
                    <p class="note"><a href="account#consents">\(say(.keepAsIs))</a></p>
                    """))
    }
}

extension ListedIdentity {
    /// Returns the name to display: the provider's for an issuer, as the issuers file has it,
    /// otherwise the address or the passkey's name.
    func shownName(_ services: Services) -> String? {
        guard kind == .issuer else { return name }
        return name.map { services.provider($0)?.name ?? ProviderName.of(issuer: $0) }
    }
}
