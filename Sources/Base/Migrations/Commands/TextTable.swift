/// Rows of text in aligned columns.
package struct TextTable: Sendable {
    /// The table, line by line.
    package let lines: [String]

    /// Aligns rows under their headings, with two spaces between columns and none at the ends.
    package init(_ headings: [String], _ rows: [[String]]) {
        let all = [headings] + rows
        let widths = headings.indices.map { column in
            all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        lines = all.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return String(cells.joined(separator: "  ").trimmedEnd)
        }
    }
}

extension String {
    fileprivate var trimmedEnd: Substring {
        guard let last = lastIndex(where: { $0 != " " }) else { return "" }
        return self[...last]
    }
}
