/// Number at the beginning of a migration's file name. It decides the order, and identifies the
/// migration in the ledger.
package struct MigrationVersion: Sendable, Hashable, Comparable {
    /// The number, which is not negative. `0007` and `7` are the same version.
    package let number: Int64

    /// Creates a version with this number, which must not be negative.
    package init(_ number: Int64) {
        self.number = number
    }

    /// Whether the left version comes before the right one.
    package static func < (left: MigrationVersion, right: MigrationVersion) -> Bool {
        left.number < right.number
    }

    /// The lowest version that counts as a date. Gaps between dates are not reported.
    private static let firstDate: Int64 = 10_000_000

    /// Whether the version looks like a date (`20300131`, `20300131235959`) rather than a count.
    var isDate: Bool { number >= MigrationVersion.firstDate }
}

extension MigrationVersion: CustomStringConvertible {
    /// The number with at least four digits, as in file names.
    package var description: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Parsed file name of a migration, such as `0007_add_codes.sql`.
package struct MigrationFileName: Sendable, Equatable {
    /// The version: the digits before the underscore.
    package let version: MigrationVersion
    /// The name: the part between the first underscore and `.sql`.
    package let name: String

    /// Parses a file's name; nil unless it consists of digits, an underscore, a name of letters,
    /// digits, `_`, `-` and `.`, and `.sql`.
    package init?(_ fileName: String) {
        guard fileName.hasSuffix(".sql") else { return nil }
        let stem = fileName.dropLast(".sql".count)
        let parts = stem.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.last, !name.isEmpty,
            parts[0].utf8.allSatisfy(\.isDigit), let number = Int64(parts[0]),
            name.utf8.allSatisfy(MigrationFileName.isNameByte)
        else { return nil }
        self.version = MigrationVersion(number)
        self.name = String(name)
    }

    /// Whether the file would be a migration if its number were not larger than the largest
    /// version.
    static func hasTooLargeNumber(_ fileName: String) -> Bool {
        let digits = fileName.prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && Int64(digits) == nil
            && MigrationFileName("0" + fileName.dropFirst(digits.count)) != nil
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isDigit || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
