import Configuration

/// Rows of text in aligned columns that fit the width of a terminal.
///
/// Empty columns are omitted. If the table is too wide, columns that may be cut are cut; if that is
/// not enough, each row becomes a block with one line per column. Cells can't contain terminal
/// control characters.
package struct TerminalTable: Sendable {
    /// A column: its heading, and whether its cells may be cut to fit.
    package struct Column: Sendable {
        let heading: String
        let isCuttable: Bool
        let isNumber: Bool

        /// Creates a column whose cells are never cut, such as one of ids.
        package static func fixed(_ heading: String) -> Column {
            Column(heading: heading, isCuttable: false, isNumber: false)
        }

        /// Creates a column whose cells may be cut and end in an ellipsis.
        package static func text(_ heading: String) -> Column {
            Column(heading: heading, isCuttable: true, isNumber: false)
        }

        /// Creates a column of numbers: right-aligned, never cut.
        package static func number(_ heading: String) -> Column {
            Column(heading: heading, isCuttable: false, isNumber: true)
        }
    }

    /// Minimum width of a cut column.
    private static let minimumColumns = 8

    private let columns: [Column]
    private let rows: [[String]]

    /// Creates a table of rows with one cell per column.
    package init(_ columns: [Column], _ rows: [[String]]) {
        let clean = rows.map { $0.map(\.printable) }
        let shownColumns = columns.indices.filter { index in
            rows.isEmpty || clean.contains { $0.indices.contains(index) && !$0[index].isEmpty }
        }
        self.columns = shownColumns.map { columns[$0] }
        self.rows = clean.map { row in shownColumns.map { row.indices.contains($0) ? row[$0] : "" }
        }
    }

    /// Returns the lines, none wider than `width` columns unless a word is; nil sets no limit.
    package func lines(width: Int?) -> [String] {
        var widths = columns.indices.map { index in
            ([columns[index].heading] + rows.map { $0[index] }).map(\.terminalColumns).max() ?? 0
        }
        if let width, !fit(&widths, into: width) { return blocks(width) }
        return ([columns.map(\.heading)] + rows).map { row in
            let cells = row.indices.map { index -> String in
                let cell = row[index].cut(toColumns: widths[index])
                let space = String(repeating: " ", count: widths[index] - cell.terminalColumns)
                return columns[index].isNumber ? space + cell : cell + space
            }
            return cells.joined(separator: "  ").withoutTrailingBlanks
        }
    }

    /// Shrinks the widest column that may be cut until all fit; returns false if they can't.
    private func fit(_ widths: inout [Int], into width: Int) -> Bool {
        let gaps = 2 * max(0, columns.count - 1)
        var surplus = widths.reduce(gaps, +) - width
        while surplus > 0 {
            let candidates = columns.indices.filter {
                columns[$0].isCuttable && widths[$0] > Self.minimumColumns
            }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else {
                return false
            }
            widths[widest] -= 1
            surplus -= 1
        }
        return true
    }

    private func blocks(_ width: Int) -> [String] {
        let margin = (columns.map { $0.heading.terminalColumns }.max() ?? 0) + 2
        var lines: [String] = []
        for row in rows {
            if !lines.isEmpty { lines.append("") }
            for (column, cell) in zip(columns, row) where !cell.isEmpty {
                let space = String(
                    repeating: " ", count: margin - column.heading.terminalColumns)
                let room = max(Self.minimumColumns, width - margin)
                lines.append(
                    column.heading + space
                        + (column.isCuttable ? cell.cut(toColumns: room) : cell))
            }
        }
        return lines
    }
}

extension String {
    /// Number of columns that a terminal uses for the text: none for combining marks, two for wide
    /// East Asian characters and for pictures (Unicode Standard Annex #11).
    var terminalColumns: Int {
        reduce(0) { $0 + $1.terminalColumns }
    }

    /// Returns the text cut to at most `limit` columns, with an ellipsis if something is missing.
    func cut(toColumns limit: Int) -> String {
        guard terminalColumns > limit else { return self }
        var result = ""
        var columns = 0
        for character in self {
            columns += character.terminalColumns
            if columns > limit - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    fileprivate var withoutTrailingBlanks: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension Character {
    fileprivate var terminalColumns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isPicture =
            scalar.properties.isEmojiPresentation
            || unicodeScalars.contains { $0.value == 0xFE0F }
        return isPicture || Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks that contain only wide characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
}
