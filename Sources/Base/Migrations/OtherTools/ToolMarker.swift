/// What a line comment says to another migration tool.
///
/// Markers of goose and dbmate are understood as those tools understand them. A line that looks
/// like a marker and is none that can be kept to is refused, so that nobody's way back is ever
/// taken for a part of the way forward.
enum ToolMarker: Equatable {
    /// A tool whose files run here.
    enum Tool: String {
        case goose
        case dbmate
    }

    /// Here begins what runs.
    case up(Tool, isTransactional: Bool)
    /// Here it ends: what follows takes it back.
    case down(Tool)
    /// The file runs without a transaction.
    case withoutTransaction
    /// One statement begins, whatever semicolons are in it.
    case blockBegin
    /// That statement ends.
    case blockEnd
    /// Something that changes nothing here.
    case noEffect(Tool)
    /// It can't be kept to; the text says why, and what to do.
    case refused(String)

    /// The tool whose marker it is; nil where it is refused.
    var tool: Tool? {
        switch self {
        case .up(let tool, _), .down(let tool), .noEffect(let tool): tool
        case .withoutTransaction, .blockBegin, .blockEnd: .goose
        case .refused: nil
        }
    }

    /// Reads a comment; nil where it speaks to nobody.
    ///
    /// - Parameters:
    ///   - comment: The line from its dashes to its end.
    ///   - startsLine: Whether nothing stands before it, not even a blank.
    ///   - isFirst: Whether it is the first thing in the file.
    static func parse(_ comment: String, startsLine: Bool, isFirst: Bool) -> ToolMarker? {
        let line = CommentLine(comment, isProper: startsLine)
        guard let first = line.words.first else { return nil }
        if first.hasPrefix("+goose") { return goose(line) }
        if first.hasPrefix("migrate:") { return dbmate(line) }
        return OtherToolRefusals.remedy(for: line, isFirst: isFirst).map { .refused($0) }
    }

    private static func goose(_ line: CommentLine) -> ToolMarker {
        guard line.isProper, line.words.first == "+goose" else {
            return .refused(
                "goose takes its annotations only where they begin a line, as `-- +goose Down`")
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
                "variables of the environment are not put in here; write the values themselves")
        default: return .refused("no annotation of goose that is known here; leave it out")
        }
    }

    private static func dbmate(_ line: CommentLine) -> ToolMarker? {
        let words = line.words
        let glued = words[0].dropFirst("migrate:".count)
        let direction = glued.isEmpty ? words.dropFirst().first ?? "" : String(glued)
        guard direction == "up" || direction == "down" else { return nil }
        guard line.isProper, line.text.hasPrefix("migrate:\(direction)") else {
            return .refused(
                "dbmate takes it only where it begins a line, as `-- migrate:\(direction)`")
        }
        if direction == "down" { return .down(.dbmate) }
        var isTransactional = true
        for option in words.dropFirst() {
            guard option == "transaction:true" || option == "transaction:false" else {
                return .refused("of dbmate's options only `transaction:false` is known here")
            }
            isTransactional = option == "transaction:true"
        }
        return .up(.dbmate, isTransactional: isTransactional)
    }
}

/// A line comment, taken apart.
struct CommentLine {
    /// What follows the dashes and blanks, blanks at its end left out.
    let text: String
    /// The words of it, in lower case.
    let words: [String]
    /// Whether it begins its line, with two dashes and no more.
    let isProper: Bool

    init(_ comment: String, isProper: Bool) {
        let dashes = comment.prefix { $0 == "-" }
        text = String(comment[dashes.endIndex...].drop { $0 == "-" }.trimmed)
        words = text.foldedToLowerCase.split(whereSeparator: \.isWhitespace).map(String.init)
        self.isProper = isProper && dashes.count == 2
    }
}
