/// An address as mail headers and SMTP write it, with an optional name.
package struct Mailbox: Sendable, Hashable {
    /// Name; empty if there is none.
    package let name: String
    /// The part before the last at sign, without quoting.
    let localPart: String
    /// The part after the last at sign; may contain letters beyond ASCII.
    package let domain: String

    /// Parses `person@example.org` or `Name <person@example.org>`; nil for anything else.
    ///
    /// Controls, blanks and angle brackets are refused, so that an address can never end a line or
    /// an argument.
    package init?(_ text: String) {
        var address = Substring(text)
        var name = Substring()
        if text.hasSuffix(">"), let start = text.lastIndex(of: "<") {
            name = text[..<start]
            address = text[text.index(after: start)...].dropLast()
        }
        guard let at = address.lastIndex(of: "@") else { return nil }
        let localPart = address[..<at]
        let domain = address[address.index(after: at)...]
        guard !localPart.isEmpty, localPart.utf8.count <= 64, !domain.isEmpty,
            domain.utf8.count <= 253, localPart.unicodeScalars.allSatisfy(Self.isPlain),
            domain.unicodeScalars.allSatisfy(Self.isOfDomain)
        else { return nil }
        var label = name.trimmed
        if label.count > 1, label.hasPrefix("\""), label.hasSuffix("\"") {
            label = label.dropFirst().dropLast()
        }
        self.name = HeaderText.singleLine(label)
        self.localPart = String(localPart)
        self.domain = String(domain)
    }

    init(name: String, localPart: String, domain: String) {
        self.name = name
        self.localPart = localPart
        self.domain = domain
    }

    /// The address for SMTP and headers, quoted if necessary (RFC 5321, 4.1.2).
    package var address: String {
        let isDotAtom =
            localPart.unicodeScalars.allSatisfy(Self.isAtom)
            && !localPart.split(separator: ".", omittingEmptySubsequences: false)
                .contains(where: \.isEmpty)
        if isDotAtom { return localPart + "@" + domain }
        var quoted = ""
        for character in localPart {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return "\"" + quoted + "\"@" + domain
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar != "<" && scalar != ">" && scalar.value != 0x7F
            && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
    }

    /// Whether a domain may contain the character: letters of any script, digits, hyphens, dots and
    /// the characters of address literals.
    private static func isOfDomain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-.[]:".unicodeScalars.contains(scalar)
        }
        return isPlain(scalar)
    }

    /// Whether the character may be in an atom (RFC 5322, 3.2.3; RFC 6532 adds those beyond ASCII).
    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        if !scalar.isASCII { return true }
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace ?? false { rest.removeLast() }
        return rest
    }
}
