import Domain
import HTTPServer

extension PublicSite {
    /// The characters that a link is searched for a code in: far more than ours have.
    private static let longestLink = 2_048

    /// What to read as a family's code: the code of a pasted link to this site's join page,
    /// otherwise the text itself.
    ///
    /// An app's scanner gives the link of a family's QR code where people would type the code,
    /// some in upper case. No letter case is therefore told apart.
    func typedCode(_ text: String) -> String {
        guard text.utf8.count <= Self.longestLink,
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
