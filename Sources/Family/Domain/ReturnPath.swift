/// The page of Hearth to return to after signing in.
package struct ReturnPath: Hashable, Sendable {
    /// The path with its query, such as `/join?token=...`.
    package let text: String

    private static let pages = [
        "/join", "/account", "/family", "/family/new", "/family/join", "/family/invite",
        "/family/child", "/family/activity", "/family/settings",
    ]
    private static let longest = 512

    /// The account page, the default after signing in.
    package static let account = ReturnPath(page: "account")

    /// The page of the families.
    package static let family = ReturnPath(page: "family")

    /// Returns nil unless the text is the path of one of Hearth's pages. Refuses other sites, other
    /// paths, and text that a browser might interpret as either.
    package init?(_ text: String?) {
        guard let text, text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let page = parts.first, Self.pages.contains(String(page)) else { return nil }
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy(Self.isHarmless) else { return nil }
        }
        self.text = text
    }

    private init(page: String) { text = "/" + page }

    /// The path relative to a page of Hearth, so that no request header can change where it leads.
    package var relative: String { String(text.dropFirst()) }

    /// The path, percent-encoded as the value of a query parameter.
    package var asParameter: String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "?"): "%3F"
            case UInt8(ascii: "="): "%3D"
            case UInt8(ascii: "&"): "%26"
            case UInt8(ascii: "%"): "%25"
            default: String(UnicodeScalar(byte))
            }
        }.joined()
    }

    /// Whether a byte is a letter, a digit, or a separator of parameters.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~=&%".utf8.contains(byte)
        }
    }
}
