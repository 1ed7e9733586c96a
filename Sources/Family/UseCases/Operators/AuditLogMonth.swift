/// A month of the audit log, in UTC.
package struct AuditLogMonth: Sendable, CustomStringConvertible {
    /// Year and month, such as `2026-03`.
    package let description: String

    /// Parses a year and a month, such as `2026-03`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (48...57).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), year >= 1970,
            (1...12).contains(month)
        else { return nil }
        description = text
    }

    /// First day of the month, as a parameter of statements.
    var firstDay: String { "\(description)-01" }
}
