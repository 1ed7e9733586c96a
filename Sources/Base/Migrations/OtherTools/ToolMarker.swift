/// A line comment with a meaning for another migration tool.
///
/// Markers of goose and dbmate have the same meaning as in those tools. A line that looks like a
/// marker but can't be honoured is refused, so that a down part is never run as an up part.
enum ToolMarker: Equatable {
    /// A tool whose files Hearth's runner can run.
    enum Tool: String {
        case goose
        case dbmate
    }

    /// Start of the up part, which runs.
    case up(Tool, isTransactional: Bool)
    /// End of the up part and start of the down part.
    case down(Tool)
    /// The file runs without a transaction.
    case withoutTransaction
    /// Start of a single statement, whatever semicolons it contains.
    case blockBegin
    /// End of that statement.
    case blockEnd
    /// A marker that Hearth's runner ignores.
    case noEffect(Tool)
    /// A marker that can't be honoured; the text gives the reason and advice.
    case refused(String)

    /// The tool of the marker; nil if it is refused.
    var tool: Tool? {
        switch self {
        case .up(let tool, _), .down(let tool), .noEffect(let tool): tool
        case .withoutTransaction, .blockBegin, .blockEnd: .goose
        case .refused: nil
        }
    }

    /// Parses a comment; nil if it has no meaning for a tool.
    ///
    /// - Parameters:
    ///   - comment: The line from its dashes to its end.
    ///   - startsLine: Whether nothing precedes the comment on its line, not even a blank.
    ///   - isFirst: Whether the comment is the first token of the file.
    static func parse(_ comment: String, startsLine: Bool, isFirst: Bool) -> ToolMarker? {
        let line = CommentLine(comment, isProper: startsLine)
        guard let first = line.words.first else { return nil }
        if first.hasPrefix("+goose") { return goose(line) }
        if first.hasPrefix("migrate:"), let marker = dbmate(line) { return marker }
        return OtherToolRefusals.remedy(for: line, isFirst: isFirst).map { .refused($0) }
    }

    private static func goose(_ line: CommentLine) -> ToolMarker {
        guard line.isProper, line.words.first == "+goose" else {
            return .refused(
                "goose accepts its annotations only at the beginning of a line, as `-- +goose "
                    + "Down`")
        }
        switch line.words.dropFirst().joined(separator: " ") {
        case "up": return .up(.goose, isTransactional: true)
        case "down": return .down(.goose)
        case "no transaction": return .withoutTransaction
        case "statementbegin": return .blockBegin
        case "statementend": return .blockEnd
        case "envsub off": return .noEffect(.goose)
        case "envsub on":
            return .refused(
                "environment variables are not substituted; write the values themselves")
        default: return .refused("not a known annotation of goose; delete it")
        }
    }

    private static func dbmate(_ line: CommentLine) -> ToolMarker? {
        let words = line.words
        let suffix = words[0].dropFirst("migrate:".count)
        let direction = suffix.isEmpty ? words.dropFirst().first ?? "" : String(suffix)
        guard direction == "up" || direction == "down" else {
            let start = String(suffix.prefix { $0.isLetter })
            guard start == "up" || OtherToolRefusals.isHeadingOfDownPart(start) else { return nil }
            return .refused(
                "dbmate has only the markers `-- migrate:up` and `-- migrate:down`; write one of "
                    + "them, or delete this line and the statements below it that undo those above")
        }
        guard line.isProper, line.text.hasPrefix("migrate:\(direction)") else {
            return .refused(
                "dbmate accepts it only at the beginning of a line, as `-- migrate:\(direction)`")
        }
        if direction == "down" { return .down(.dbmate) }
        var isTransactional = true
        for option in words.dropFirst() {
            guard option == "transaction:true" || option == "transaction:false" else {
                return .refused("of dbmate's options only `transaction:false` is supported")
            }
            isTransactional = option == "transaction:true"
        }
        return .up(.dbmate, isTransactional: isTransactional)
    }
}

/// A parsed line comment.
struct CommentLine {
    /// The text after the dashes and blanks, without trailing blanks.
    let text: String
    /// The words of the text, in lower case.
    let words: [String]
    /// Whether the comment is at the beginning of its line, with exactly two dashes.
    let isProper: Bool

    init(_ comment: String, isProper: Bool) {
        let dashes = comment.prefix { $0 == "-" }
        text = String(comment[dashes.endIndex...].drop { $0 == "-" }.trimmed)
        words = text.foldedToLowerCase.split(whereSeparator: \.isWhitespace).map(String.init)
        self.isProper = isProper && dashes.count == 2
    }
}
