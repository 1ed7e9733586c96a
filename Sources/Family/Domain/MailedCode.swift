import DomainCore

/// A code of six digits from an e-mail, parsed as people type and paste it.
package struct MailedCode: Hashable, Sendable {
    /// Six ASCII digits.
    package let digits: String

    /// Parses digits of any script, with blanks, dashes, line ends or zero-width characters
    /// anywhere. Returns nil for anything but six digits.
    package init?(_ typed: String) {
        var digits: [UInt8] = []
        for scalar in typed.unicodeScalars where !scalar.isBlankOrDash {
            guard let digit = scalar.decimalDigit, digits.count < 6 else { return nil }
            digits.append(UInt8(ascii: "0") + digit)
        }
        guard digits.count == 6 else { return nil }
        self.digits = String(decoding: digits, as: UTF8.self)
    }
}

/// The token of a link in an e-mail, as people paste it.
package enum PastedToken {
    /// Returns the token without blanks, line ends and zero-width characters, which no token
    /// contains.
    package static func text(of pasted: String) -> String {
        if pasted.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return pasted }
        let characters = pasted.unicodeScalars.filter {
            !$0.properties.isWhitespace && $0.properties.generalCategory != .format
        }
        return String(String.UnicodeScalarView(characters))
    }
}
