/// Text laid out for a terminal of a given width.
struct HelpText {
    /// A heading with rows of terms and their meanings.
    struct Section {
        let title: String
        let rows: [(term: String, meaning: String)]
    }

    /// Maximum width of a line, unless a single word is longer.
    let width: Int
    /// Column at which meanings begin; longer terms get a line of their own.
    let longestTerm = 26

    /// Returns the lines of a section, with the meanings in one column.
    func lines(of section: Section) -> [String] {
        guard !section.rows.isEmpty else { return [] }
        let fitting = section.rows.map(\.term.count).filter { $0 <= longestTerm }
        let column = (fitting.max() ?? longestTerm) + 4
        var lines = ["", "\(section.title):"]
        for row in section.rows {
            let meaning = wrap(row.meaning, indent: column)
            if row.term.count + 4 > column || meaning.isEmpty {
                lines.append("  " + row.term)
                lines += meaning
            } else {
                let gap = String(repeating: " ", count: column - row.term.count - 2)
                lines.append("  " + row.term + gap + meaning[0].dropFirst(column))
                lines += meaning.dropFirst()
            }
        }
        return lines
    }

    /// Wraps words into lines that all begin with `indent` spaces.
    func wrap(_ text: String, indent: Int) -> [String] {
        fill(text.split(separator: " ").map(String.init), indent: indent, hanging: indent)
    }

    /// Returns the usage line. Parts are never broken, and further lines are indented below the
    /// command's name.
    func usage(_ command: String, parts: [String]) -> [String] {
        let hanging = min(2 + command.count + 1, 24)
        return fill([command] + parts, indent: 2, hanging: hanging)
    }

    private func fill(_ words: [String], indent: Int, hanging: Int) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isFresh = true
        for word in words {
            if !isFresh && line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isFresh = true
            }
            line += isFresh ? word : " " + word
            isFresh = false
        }
        return isFresh ? lines : lines + [line]
    }
}
