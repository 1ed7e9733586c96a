/// Difference between two texts, line by line, in the format of `diff -u`.
package struct LineDiff: Sendable, Equatable {
    /// One line of a difference.
    package enum Line: Sendable, Equatable {
        case same(String)
        case removed(String)
        case added(String)
    }

    /// All lines of both texts, in order.
    package let lines: [Line]

    /// Compares two lists of lines.
    ///
    /// The result is the shortest diff (Myers 1986) up to `maximumEdits` changed lines. Texts with
    /// more differences are shown as one replaced by the other, which bounds the cost.
    package init(from old: [String], to new: [String], maximumEdits: Int = 1_000) {
        var head = 0
        while head < min(old.count, new.count), old[head] == new[head] { head += 1 }
        var tail = 0
        while tail < min(old.count, new.count) - head,
            old[old.count - 1 - tail] == new[new.count - 1 - tail]
        {
            tail += 1
        }
        let middleOld = Array(old[head..<(old.count - tail)])
        let middleNew = Array(new[head..<(new.count - tail)])
        let middle =
            ShortestEdit(from: middleOld, to: middleNew).lines(maximumEdits: maximumEdits)
            ?? middleOld.map { .removed($0) } + middleNew.map { .added($0) }
        lines =
            old.prefix(head).map { .same($0) } + middle + old.suffix(tail).map { .same($0) }
    }

    /// Compares two texts.
    package init(from old: SourceText, to new: SourceText) {
        self.init(from: old.lines.map(String.init), to: new.lines.map(String.init))
    }

    /// Returns the changed lines with `context` unchanged ones around them, in the format of
    /// `diff -u`, with the two names at the top; empty if nothing differs.
    package func unified(oldName: String, newName: String, context: Int = 3) -> [String] {
        let changed = lines.indices.filter { if case .same = lines[$0] { false } else { true } }
        guard !changed.isEmpty else { return [] }
        var hunks: [Range<Int>] = []
        for index in changed {
            let around = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = hunks.last, around.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
            } else {
                hunks.append(around)
            }
        }
        return ["--- \(oldName)", "+++ \(newName)"] + hunks.flatMap(lines(ofHunk:))
    }

    private func lines(ofHunk range: Range<Int>) -> [String] {
        let before = lines[..<range.lowerBound]
        let hunk = lines[range]
        let old = (before.count { $0.isInOld }, hunk.count { $0.isInOld })
        let new = (before.count { $0.isInNew }, hunk.count { $0.isInNew })
        let header = "@@ -\(formatted(old)) +\(formatted(new)) @@"
        return [header] + hunk.map(\.marked)
    }

    /// Returns a range as `diff -u` writes it: its first line and the number of lines. An empty
    /// range has the number of the line before it.
    private func formatted(_ range: (linesBefore: Int, count: Int)) -> String {
        let first = range.count == 0 ? range.linesBefore : range.linesBefore + 1
        return range.count == 1 ? "\(first)" : "\(first),\(range.count)"
    }
}

extension LineDiff.Line {
    var isInOld: Bool { if case .added = self { false } else { true } }
    var isInNew: Bool { if case .removed = self { false } else { true } }

    var marked: String {
        switch self {
        case .same(let text): " " + text
        case .removed(let text): "-" + text
        case .added(let text): "+" + text
        }
    }
}

/// Search for the fewest removed and added lines that turn one list into another: E. Myers, "An
/// O(ND) Difference Algorithm and Its Variations", 1986.
private struct ShortestEdit {
    let old: [String]
    let new: [String]

    init(from old: [String], to new: [String]) {
        self.old = old
        self.new = new
    }

    /// Returns the lines of both in order; nil if more than `maximumEdits` would have to change.
    func lines(maximumEdits: Int) -> [LineDiff.Line]? {
        let bound = min(maximumEdits, old.count + new.count)
        // furthest[k + bound + 1] is the furthest position in `old` reached on diagonal k = x - y.
        var furthest = [Int](repeating: 0, count: 2 * bound + 3)
        var trace: [[Int]] = []
        for edits in 0...bound {
            trace.append(furthest)
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let at = diagonal + bound + 1
                let goesDown =
                    diagonal == -edits
                    || (diagonal != edits && furthest[at - 1] < furthest[at + 1])
                var x = goesDown ? furthest[at + 1] : furthest[at - 1] + 1
                while x < old.count, x - diagonal < new.count, old[x] == new[x - diagonal] {
                    x += 1
                }
                furthest[at] = x
                if x >= old.count && x - diagonal >= new.count {
                    return walkBack(trace, bound: bound)
                }
            }
        }
        return nil
    }

    private func walkBack(_ trace: [[Int]], bound: Int) -> [LineDiff.Line] {
        var reversed: [LineDiff.Line] = []
        var x = old.count
        var y = new.count
        for (edits, furthest) in trace.enumerated().reversed() {
            let diagonal = x - y
            let at = diagonal + bound + 1
            let cameDown =
                diagonal == -edits
                || (diagonal != edits && furthest[at - 1] < furthest[at + 1])
            let previousDiagonal = cameDown ? diagonal + 1 : diagonal - 1
            let previousX = edits == 0 ? 0 : furthest[previousDiagonal + bound + 1]
            let previousY = edits == 0 ? 0 : previousX - previousDiagonal
            while x > previousX && y > previousY {
                reversed.append(.same(old[x - 1]))
                x -= 1
                y -= 1
            }
            if edits > 0 {
                reversed.append(cameDown ? .added(new[y - 1]) : .removed(old[x - 1]))
            }
            x = previousX
            y = previousY
        }
        return reversed.reversed()
    }
}
