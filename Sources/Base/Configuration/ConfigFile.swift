/// A file of `NAME=VALUE` lines.
///
/// Empty lines and lines that begin with `#` are skipped. Blanks around name and value are dropped,
/// and so is one pair of quotes around the value. Nothing else is special, so a value means the
/// same as in the environment.
struct ConfigFile {
    /// Lines by the names of their settings.
    private(set) var lines: [String: ConfigLine] = [:]
    /// The problems in the file, each with its line.
    private(set) var problems: [String] = []

    init(text: String) {
        let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, row) in rows.enumerated() {
            read(trim(row), number: index + 1)
        }
    }

    private mutating func read(_ row: Substring, number: Int) {
        guard !row.isEmpty, !row.hasPrefix("#") else { return }
        guard let equals = row.firstIndex(of: "=") else {
            // The line is not repeated: it may be the second line of a secret.
            problems.append("line \(number): expected NAME=VALUE")
            return
        }
        let name = String(trim(row[..<equals]))
        if let earlier = lines[name] {
            problems.append(
                "line \(number): \(quotedName(name)) is also set in line \(earlier.number)")
            return
        }
        let value = unquote(trim(row[row.index(after: equals)...]))
        lines[name] = ConfigLine(number: number, value: String(value))
    }

    private func trim(_ text: Substring) -> Substring {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }

    private func unquote(_ value: Substring) -> Substring {
        guard value.count >= 2, let first = value.first, first == value.last,
            first == "\"" || first == "'"
        else { return value }
        return value.dropFirst().dropLast()
    }
}

/// Returns the name before an equals sign, quoted; or a placeholder if it is not a name, because it
/// may then be part of a secret with several lines, or of an address.
func quotedName(_ name: String) -> String {
    let isName =
        !name.isEmpty && name.utf8.count <= 64 && name.uppercased().hasPrefix("HEARTH_")
        && name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || $0 == UInt8(ascii: "_")
        }
    return isName ? quoted(name) : "the text before '='"
}

/// A line of a configuration file.
struct ConfigLine: Equatable {
    /// Line number, counted from 1.
    let number: Int
    let value: String
}
