extension Expectation where Value == String {
    /// A connection to PostgreSQL: a `postgresql://` URL, or libpq's `host=a,b dbname=c` words.
    ///
    /// Only the outer form is checked here; libpq checks the rest.
    package static let databaseURL = Expectation(
        "postgresql://HOST/DATABASE?user=ROLE or host=HOST dbname=DATABASE user=ROLE"
    ) { word in
        let isURL = word.hasPrefix("postgresql://") || word.hasPrefix("postgres://")
        let isWords = !word.contains("://") && word.contains("=")
        return isURL || isWords ? word : nil
    }

    /// The base of links: `http` or `https`, a host, and an optional path, without a trailing
    /// slash.
    package static let baseURL = Expectation(
        "an address such as https://family.example.org, without '?' or '#'"
    ) { word in
        guard word.hasPrefix("https://") || word.hasPrefix("http://") else { return nil }
        let isPlain = word.utf8.allSatisfy { byte in
            // Printable ASCII, except characters that would end the path or break out of an
            // attribute.
            (0x21...0x7E).contains(byte) && !#"?#"'<>\^`{|}"#.utf8.contains(byte)
        }
        let rest = word.drop { $0 != ":" }.dropFirst(3)
        let host = rest.prefix { $0 != "/" }
        guard isPlain, !host.isEmpty, !host.contains("@") else { return nil }
        var base = word
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }
}

extension Expectation where Value == [String] {
    /// Addresses and address blocks, separated by commas or blanks; the user of the setting parses
    /// them.
    package static let addresses = Expectation(
        "addresses or blocks of them, such as 192.0.2.7, 10.0.0.0/8, 2001:db8::/32"
    ) { word in
        let words = word.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
        let isPlain = words.allSatisfy { text in
            text.utf8.allSatisfy {
                ":./".utf8.contains($0) || Character(UnicodeScalar($0)).isHexDigit
            }
        }
        return words.isEmpty || !isPlain ? nil : words
    }
}
