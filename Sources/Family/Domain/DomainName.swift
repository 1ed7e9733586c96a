private import CIdn2

/// Domain names in the form in which DNS and mail servers compare them.
package enum DomainName {
    /// Maximum length of a name in text, in octets (RFC 1035, section 2.3.4).
    package static let maximumBytes = 253

    /// Returns a domain with its A-labels, in lower case: IDNA 2008, non-transitional, after the
    /// mapping of Unicode Technical Standard #46. An ASCII domain is only put into lower case.
    ///
    /// Nil if the domain is not ASCII and can't be registered, because it has characters that IDNA
    /// doesn't allow or a label of more than 63 octets, for example.
    package static func aLabels(of domain: String) -> String? {
        if domain.utf8.allSatisfy({ $0 < 0x80 }) {
            return String(decoding: domain.utf8.map(lowerCased), as: UTF8.self)
        }
        let flags =
            IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue
            | IDN2_USE_STD3_ASCII_RULES.rawValue
        var found: UnsafeMutablePointer<CChar>?
        guard !domain.utf8.contains(0), idn2_to_ascii_8z(domain, &found, CInt(flags)) == 0,
            let found
        else { return nil }
        defer { idn2_free(found) }
        let labels = String(cString: found)
        return labels.utf8.count <= maximumBytes && hasLabelsOnly(labels) ? labels : nil
    }

    private static func lowerCased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    /// Whether a name has at least two labels, each of 1 to 63 lower-case letters, digits and
    /// hyphens, without a hyphen at either end.
    private static func hasLabelsOnly(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count > 1
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-") && label.allSatisfy(isLetterDigitOrHyphen)
            }
    }

    private static func isLetterDigitOrHyphen(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
