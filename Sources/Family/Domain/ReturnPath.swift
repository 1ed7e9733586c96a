/// Where somebody goes after signing in: one of Hearth's own pages.
package struct ReturnPath: Hashable, Sendable {
    /// `/join?token=...`
    package let text: String

    private static let pages = ["/join", "/account"]
    private static let longest = 512

    /// The account's page, where a sign-in leads that names no other.
    package static let account = ReturnPath(page: "account")

    /// Nil for anything but a page of one's own: another site, another path, or what a browser
    /// might read as one.
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

    /// Relative to a page of Hearth's, so that no header of a request can say where it leads.
    package var relative: String { String(text.dropFirst()) }

    /// As the value of a parameter.
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

    /// Letters, digits and what stands between parameters.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~=&%".utf8.contains(byte)
        }
    }
}
