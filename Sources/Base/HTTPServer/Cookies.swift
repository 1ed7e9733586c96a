/// The cookies of a request (RFC 6265 section 4.2).
package struct Cookies: Sendable {
    private let pairs: [(name: Substring, value: Substring)]

    /// Parses the cookies of all `Cookie` headers.
    package init(_ headers: Headers) {
        pairs = headers.values("Cookie").flatMap { Self.pairs(of: $0) }
    }

    /// Parses `a=1; b=2`; pairs without `=` are ignored.
    package init(parsing text: String) { pairs = Self.pairs(of: text) }

    /// Returns the value of a cookie; nil if it is missing or occurs several times. In the latter
    /// case somebody else has set at least one of them, for this host or a parent domain, and it is
    /// unclear which value is ours.
    package func value(_ name: String) -> String? {
        let values = pairs.filter { $0.name == name }
        return values.count == 1 ? values.first.map { String($0.value) } : nil
    }

    /// Returns the names of the cookies that begin with a prefix; a name may occur several times.
    package func names(startingWith prefix: String) -> [String] {
        pairs.map(\.name).filter { $0.hasPrefix(prefix) }.map(String.init)
    }

    private static func pairs(of text: String) -> [(name: Substring, value: Substring)] {
        text.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = trimmed(pair[..<equals])
            if name.isEmpty { return nil }
            return (name, trimmed(pair[pair.index(after: equals)...]))
        }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return Substring(bytes[first...last])
    }
}
