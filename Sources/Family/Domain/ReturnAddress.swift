/// The address to which a page leads back when the person has finished: a page of Hearth, or the
/// app.
package enum ReturnAddress: Hashable, Sendable {
    case page(ReturnPath)
    /// An address with the app's own scheme, such as `kin://family`.
    case app(String)

    private static let longest = 512

    /// Returns nil unless the text is one of Hearth's pages or an address with the app's scheme.
    /// Refuses web addresses, other apps' addresses, and texts that a browser might read as either.
    ///
    /// - Parameter scheme: The app's scheme in lower case; nil if it has none.
    package init?(_ text: String?, scheme: String?) {
        guard let text else { return nil }
        if let path = ReturnPath(text) {
            self = .page(path)
            return
        }
        guard let scheme, text.utf8.count <= Self.longest, text.hasPrefix(scheme + ":"),
            text.utf8.allSatisfy(Self.isHarmless)
        else { return nil }
        self = .app(text)
    }

    /// The address as it was given.
    package var text: String {
        switch self {
        case .page(let path): path.text
        case .app(let address): address
        }
    }

    /// Whether a byte can be part of an address without quoting (RFC 3986).
    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/?#[]@!$&()*+,;=%".utf8.contains(byte)
        }
    }
}
