import Crypto
import Domain
import HTTPServer
import UseCases

/// The sign-in links of a demonstration, which exist only on the developer's own machine.
///
/// `scripts/run --demo` writes them for each run, and deletes them when the run ends. A link
/// contains a random key; the person's token is only in the file.
package struct DemoLinks: Sendable {
    /// A person of the demonstration.
    struct Entry: Equatable {
        let name: String
        /// A token of a trusted issuer.
        let token: String
    }

    private let read: @Sendable () throws -> String

    /// - Parameter read: Reads the file. Each line describes one person: key, token and name,
    ///   separated by tabs. The file is read for each request, because it is written while the API
    ///   runs.
    package init(read: @escaping @Sendable () throws -> String) { self.read = read }

    /// Returns the reasons why a site can't have demonstration links; empty if it can.
    package static func problems(on site: PublicSite) -> [String] {
        if site.isOnThisMachine { return [] }
        return [
            "sign-in links of a demonstration are only allowed if HEARTH_PUBLIC_URL names this "
                + "machine, such as http://localhost:8080"
        ]
    }

    /// Returns the person of a key; nil if there is none.
    func entry(_ key: String) throws -> Entry? {
        for line in try read().split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].utf8.count >= 22,
                constantTimeEqual(Array(parts[0].utf8), Array(key.utf8))
            else { continue }
            return Entry(name: String(parts[2]), token: String(parts[1]))
        }
        return nil
    }
}

extension Services {
    /// The sign-in links of the demonstration.
    ///
    /// - Throws: 404 if the site has no demonstration, or is not on the developer's own machine.
    func demo() throws(Problem) -> DemoLinks {
        guard let demo = site.demo, site.isOnThisMachine else { throw .routeNotFound }
        return demo
    }
}

/// The page `/demo`: signs a browser in as a person of the demonstration, any number of times.
/// Opening it changes nothing.
enum DemoPage: Page {
    static let summary = "Signs in as a person of the demonstration, on the developer's machine."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("key", .anyText, "The key of the person's link.")
    ]
    static let refusals: [RefusalCode] = []

    static func show(_ visit: PageVisit) throws -> Reply {
        let (key, entry) = try person(visit, visit.parameter("key"))
        let current = try visit.profileOfSession()
        let name = current?.fullName ?? current?.email
        return try ContinueViews(visit).question(
            entry.name, inPlaceOf: name == entry.name ? nil : name, hidden: ("link", key),
            to: "demo", visit.text(ContinueText.fromDemo))
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        guard form.value("action") == ContinueViews.action else {
            return try RefusedForm.reply(visit)
        }
        let (_, entry) = try person(visit, form.value("link"))
        let signIn = try visit.services.signIn(by: .exchange)
        let foreign = try ForeignSignIn(entry.token, nonce: nil, visit.services)
        let signedIn = try visit.services.recordingSignIn(
            by: .exchange, of: nil, visit.request
        ) {
            try signIn.exchange(
                by: foreign.context, device: visit.device, language: visit.wantedLanguage)
        }
        return try visit.enter(signedIn, .family)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try ProblemPage.reply(visit, problem)
    }

    /// - Throws: 404 for an unknown key, such as one of an earlier run.
    private static func person(
        _ visit: PageVisit, _ key: String?
    ) throws -> (key: String, entry: DemoLinks.Entry) {
        guard let key, let entry = try visit.services.demo().entry(key) else {
            throw Problem.routeNotFound
        }
        return (key, entry)
    }
}
