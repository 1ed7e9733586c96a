/// The part of a goose or dbmate file that runs, and markers that can't be honoured.
struct ToolSections {
    /// A line that is refused, and the reason.
    struct Problem {
        let line: Int
        let message: String
    }

    /// The marker below which nothing runs.
    struct DownMarker {
        /// The marker's offset in bytes, from 0.
        let offset: Int
        /// The marker's line, from 1.
        let line: Int
        /// The marker as written.
        let marker: String
    }

    /// Lines that are refused.
    private(set) var problems: [Problem] = []
    /// Start of the down part; nil if the whole file runs.
    private(set) var down: DownMarker?
    /// False if the markers say that the file runs without a transaction.
    private(set) var isTransactional = true
    /// The blocks that goose runs as one statement each.
    private var blocks: [Range<Int>] = []
    private var markers: [Int] = []
    private let text: SourceText

    /// Reads the markers of a text, with its tokens as far as they could be scanned.
    init(_ text: SourceText, _ tokens: [Token]) {
        self.text = text
        var tool: ToolMarker.Tool?
        var up: Int?
        var openBlock: Int?
        for (index, token) in tokens.enumerated() where token.kind == .lineComment {
            let offset = token.range.lowerBound
            let found = ToolMarker.parse(
                text.slice(token.range), startsLine: text.startsLine(at: offset),
                isFirst: index == 0)
            guard let marker = found else { continue }
            if case .refused(let reason) = marker {
                refuse(offset, reason)
                continue
            }
            markers.append(offset)
            if let tool, tool != marker.tool {
                refuse(offset, "markers of two tools in one file; delete those of one tool")
            }
            tool = tool ?? marker.tool
            switch marker {
            case .up(_, let isTransactional):
                if up != nil {
                    refuse(offset, "a file may have only one up part; split it into two files")
                }
                up = up ?? offset
                if !isTransactional { self.isTransactional = false }
            case .down:
                if openBlock != nil { refuse(offset, "a StatementBegin above has no StatementEnd") }
                down = DownMarker(
                    offset: offset, line: text.line(at: offset),
                    marker: text.slice(token.range))
            case .withoutTransaction: isTransactional = false
            case .blockBegin:
                if openBlock != nil { refuse(offset, "a StatementBegin above has no StatementEnd") }
                openBlock = offset
            case .blockEnd:
                if let begin = openBlock {
                    blocks.append(begin..<offset)
                } else {
                    refuse(offset, "there is no StatementBegin above")
                }
                openBlock = nil
            case .noEffect, .refused: break
            }
            if down != nil { break }
        }
        refuseHeadings(tokens)
        guard let tool else { return }
        if let openBlock, down == nil { refuse(openBlock, "this block has no StatementEnd") }
        checkUp(up, tool, tokens)
        refuseHiddenMarkers(tokens)
    }

    /// Returns conflicts between the markers and the statements of the part that runs.
    func problems(with statements: [SQLStatement]) -> [Problem] {
        var found: [Problem] = []
        for marker in markers {
            guard let containing = statements.first(where: { $0.range.contains(marker) }) else {
                continue
            }
            found.append(
                problem(marker, "it is inside the statement that begins in line \(containing.line)")
            )
        }
        for block in blocks where !isTransactional {
            let inside = statements.count { block.contains($0.range.lowerBound) }
            guard inside > 1 else { continue }
            found.append(
                problem(
                    block.lowerBound,
                    "\(inside) statements in one block, which can't run as one without a "
                        + "transaction; end the block after each"))
        }
        return found
    }

    // MARK: - Checks that the tools themselves make

    private mutating func checkUp(_ up: Int?, _ tool: ToolMarker.Tool, _ tokens: [Token]) {
        let name = tool == .goose ? "-- +goose Up" : "-- migrate:up"
        guard let up else {
            if let first = markers.first {
                refuse(first, "\(tool.rawValue) runs no statement without `\(name)` above it")
            }
            return
        }
        let isAbove = { (token: Token) in !token.isComment && token.range.lowerBound < up }
        if tokens.contains(where: isAbove) {
            refuse(up, "\(tool.rawValue) allows no statement above it")
        }
    }

    /// Refuses block comments that consist only of the heading of a down part.
    private mutating func refuseHeadings(_ tokens: [Token]) {
        for token in tokens where token.kind == .blockComment {
            let offset = token.range.lowerBound
            if isBelow(token.range) { break }
            let remedy = OtherToolRefusals.remedy(forBlock: text.slice(token.range))
            if let remedy { refuse(offset, remedy) }
        }
    }

    /// Refuses lines in quotes and block comments that the tool would treat as its markers.
    private mutating func refuseHiddenMarkers(_ tokens: [Token]) {
        let comments = Set(
            tokens.lazy.filter { $0.kind == .lineComment }.map(\.range.lowerBound))
        for line in text.commentLines where !comments.contains(line.lowerBound) || isBelow(line) {
            let marker = ToolMarker.parse(text.slice(line), startsLine: true, isFirst: false)
            guard let marker, marker.tool != nil else { continue }
            if isBelow(line) {
                if marker == .withoutTransaction { isTransactional = false }
            } else {
                refuse(line.lowerBound, "it is inside quotes or a comment; delete it")
            }
        }
    }

    private func isBelow(_ line: Range<Int>) -> Bool {
        down.map { line.lowerBound > $0.offset } ?? false
    }

    // MARK: - Refusing

    /// Refuses a line, unless another line was already refused for the same reason.
    private mutating func refuse(_ offset: Int, _ reason: String) {
        let problem = problem(offset, reason)
        if !problems.contains(where: { $0.message.hasSuffix(reason) }) { problems.append(problem) }
    }

    private func problem(_ offset: Int, _ reason: String) -> Problem {
        let end = text.bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? text.bytes.count
        let line = text.slice(offset..<end).firstWords(60)
        return Problem(line: text.line(at: offset), message: "`\(line)`: \(reason)")
    }
}

extension SourceText {
    /// Whether this byte is the first of a line.
    func startsLine(at offset: Int) -> Bool {
        offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n")
    }

    /// The lines that begin with two dashes, even inside quotes, without line ends.
    fileprivate var commentLines: [Range<Int>] {
        let dash = UInt8(ascii: "-")
        var found: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if end - start > 1, bytes[start] == dash, bytes[start + 1] == dash {
                found.append(start..<end)
            }
            start = end + 1
        }
        return found
    }
}
