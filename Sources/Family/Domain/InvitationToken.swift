/// The token in an invitation's link: 43 characters that encode 32 bytes.
///
/// A secret: whoever has it may see the invitation. It is never logged, so it has no description.
package struct InvitationToken: Hashable, Sendable {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    package let text: String

    /// Reads a token as people paste it. Nil unless the text has the form of a token. Only the
    /// database knows whether it exists.
    package init?(_ pasted: String) {
        let text = PastedToken.text(of: pasted)
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.isTokenCharacter) else { return nil }
        self.text = text
    }

    /// A token that was made, not given.
    package init(unchecked text: String) { self.text = text }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
