import Crypto
package import Domain
import HTTPServer

/// Hearth as seen from outside: the beginning of links, and the origins that may call it.
package struct PublicSite: Sendable {
    /// `https://family.example.org`, maybe with a path; without a slash at its end.
    package let baseURL: String
    /// Origins of web apps that browsers may let in (the Fetch standard's CORS protocol).
    package let corsOrigins: Set<String>
    /// `TEAMID.bundle.id` of the apps that open links to `/join`.
    package let appleAppIDs: [String]
    /// The Android apps that open links.
    package let androidApps: [AndroidApp]
    /// The app as people know it.
    package let app: AppListing
    /// The languages that people can be written to in.
    package let languages: SpokenLanguages

    package init(
        baseURL: String, corsOrigins: Set<String> = [], appleAppIDs: [String] = [],
        androidApps: [AndroidApp] = [], app: AppListing = AppListing(),
        languages: SpokenLanguages = SpokenLanguages()
    ) {
        self.baseURL = baseURL
        self.corsOrigins = corsOrigins
        self.appleAppIDs = appleAppIDs
        self.androidApps = androidApps
        self.app = app
        self.languages = languages
    }

    /// The language that a request asks for; nil where it names none that there is.
    func language(of request: Request) -> LanguageTag? {
        languages.wanted(by: request.headers["Accept-Language"])
    }

    /// The link for an invited person.
    package func joinLink(_ token: InvitationToken) -> String {
        "\(baseURL)/join?token=\(token.text)"
    }

    /// The link in a family's QR code.
    package func joinLink(_ code: FamilyCode) -> String { "\(baseURL)/join?code=\(code.text)" }

    /// The part of links behind the host: empty, or as `/family`.
    var basePath: String {
        let rest = baseURL.split(separator: "://", maxSplits: 1).last ?? ""
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
    }
}

extension PublicSite {
    /// The characters that a link is searched for a code in: far more than ours have.
    private static let longestLink = 2_048

    /// What to read as a family's code: the code of a pasted link to this site's join page,
    /// otherwise the text itself.
    ///
    /// An app's scanner gives the link of a family's QR code where people would type the code,
    /// some in upper case. No letter case is therefore told apart.
    func typedCode(_ text: String) -> String {
        // A link to a page has a slash; no code has one.
        guard text.utf8.count <= Self.longestLink, text.utf8.contains(UInt8(ascii: "/")),
            let query = joinQuery(of: text.trimmed.lowercased())
        else { return text }
        let codes = Set(query.values("code"))
        return codes.count == 1 ? codes.first ?? text : text
    }

    /// The query of a link to this site's join page; nil for anything else.
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

    /// With its port, if links name one.
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
    /// What follows a prefix; nil if it begins otherwise.
    fileprivate func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
