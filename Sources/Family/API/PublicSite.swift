import Crypto
package import Domain
import HTTPServer

/// The public address of the deployment: the prefix of its links, and the origins that may call it.
package struct PublicSite: Sendable {
    /// URL such as `https://family.example.org`, with or without a path; it has no trailing slash.
    package let baseURL: String
    /// Origins of web apps that browsers may allow (the CORS protocol of the Fetch standard).
    package let corsOrigins: Set<String>
    /// Ids, as `TEAMID.bundle.id`, of the iOS apps that open links to `/join`.
    package let appleAppIDs: [String]
    /// The Android apps that open links to `/join`.
    package let androidApps: [AndroidApp]
    /// The app as pages present it.
    package let app: AppListing
    /// The languages in which Hearth can write to people.
    package let languages: SupportedLanguages
    /// The sign-in links of a demonstration; nil if there are none.
    package let demo: DemoLinks?

    package init(
        baseURL: String, corsOrigins: Set<String> = [], appleAppIDs: [String] = [],
        androidApps: [AndroidApp] = [], app: AppListing = AppListing(),
        languages: SupportedLanguages = SupportedLanguages(), demo: DemoLinks? = nil
    ) {
        self.baseURL = baseURL
        self.corsOrigins = corsOrigins
        self.appleAppIDs = appleAppIDs
        self.androidApps = androidApps
        self.app = app
        self.languages = languages
        self.demo = demo
    }

    /// Returns the language that a request asks for; nil if it names none that is supported.
    func language(of request: Request) -> LanguageTag? {
        languages.wanted(by: request.headers["Accept-Language"])
    }

    /// Returns the link for an invited person.
    package func joinLink(_ token: InvitationToken) -> String {
        "\(baseURL)/join?token=\(token.text)"
    }

    /// Returns the link in a family's QR code.
    package func joinLink(_ code: FamilyCode) -> String { "\(baseURL)/join?code=\(code.text)" }

    /// Returns the address at which an app's page ticket is used.
    func pageLink(ticket: String) -> String { "\(baseURL)/continue?ticket=\(ticket)" }

    /// The path prefix of links: empty, or for example `/family`.
    var basePath: String {
        let rest = baseURL.split(separator: "://", maxSplits: 1).last ?? ""
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
    }
}

extension PublicSite {
    /// Maximum length of a text that is searched for a link; Hearth's own links are far shorter.
    private static let longestLink = 2_048

    /// Returns the text to parse as a family's code: the code of a pasted link to this site's join
    /// page, otherwise the text itself.
    ///
    /// An app's scanner passes the link of a family's QR code where people would type the code,
    /// some in upper case. The comparison therefore ignores letter case.
    func typedCode(_ text: String) -> String {
        // Every link to a page contains a slash, and no code does.
        guard text.utf8.count <= Self.longestLink, text.utf8.contains(UInt8(ascii: "/")),
            let query = joinQuery(of: text.trimmed.lowercased())
        else { return text }
        let codes = Set(query.values("code"))
        return codes.count == 1 ? codes.first ?? text : text
    }

    /// Returns the query of a link to this site's join page; nil for any other text.
    private func joinQuery(of link: String) -> Query? {
        guard var rest = Self.withoutScheme(link)[...].dropping(prefix: ownHost) else { return nil }
        for port in [":443", ":80"] { rest = rest.dropping(prefix: port) ?? rest }
        guard let target = rest.dropping(prefix: basePath.lowercased() + "/join") else {
            return nil
        }
        guard let query = (target.dropping(prefix: "/") ?? target).dropping(prefix: "?") else {
            return nil
        }
        return Query(parsing: query.prefix { $0 != "#" })
    }

    /// Host of the site, including the port if links have one.
    private var ownHost: String {
        String(Self.withoutScheme(baseURL.lowercased()).prefix { $0 != "/" })
    }

    private static func withoutScheme(_ link: String) -> String {
        for scheme in ["https://", "http://"] {
            if let rest = link[...].dropping(prefix: scheme) { return String(rest) }
        }
        return link
    }
}

extension Substring {
    /// Returns the text after a prefix; nil if it does not begin with the prefix.
    fileprivate func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
