/// The address of a person's picture: an https URL, or empty.
package struct AvatarURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL; empty if the person has no picture.
    package let text: String

    /// Maximum length of a URL in bytes.
    package static let maximumBytes = 2_048

    /// Trims white space. Returns nil unless the rest is empty or an absolute https URL without
    /// blanks and control characters. Only the scheme is checked; clients resolve the rest.
    package init?(_ given: String) {
        let trimmed = given.trimmed
        if trimmed.isEmpty {
            text = ""
            return
        }
        guard trimmed.utf8.count <= Self.maximumBytes, trimmed.hasPrefix("https://"),
            trimmed.utf8.count > "https://".utf8.count,
            trimmed.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        text = trimmed
    }

    package var description: String { text }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
    }
}
