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
