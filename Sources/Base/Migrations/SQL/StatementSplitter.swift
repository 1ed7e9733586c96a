/// Finds the ends of statements without a grammar: at semicolons outside quotes, comments,
/// parentheses, and bodies of SQL functions (`BEGIN ATOMIC ... END`).
enum StatementSplitter {
    /// Returns the tokens of each statement without semicolons. Comments between statements are
    /// kept with the statement that follows them.
    static func split(_ tokens: [Token], in text: SourceText) -> [ArraySlice<Token>] {
        var statements: [ArraySlice<Token>] = []
        var start = 0
        var nesting = Nesting()
        for (index, token) in tokens.enumerated() {
            let isEnd = nesting.isOutermost && text.is(token, ";")
            if isEnd {
                statements.append(tokens[start..<index])
                start = index + 1
                nesting = Nesting()
            } else {
                nesting.take(token, of: text)
            }
        }
        statements.append(tokens[start...])
        return statements
    }

    /// Returns the tokens in each of the ranges that a parser found.
    static func split(_ tokens: [Token], by ranges: [Range<Int>]) -> [ArraySlice<Token>] {
        var next = 0
        return ranges.map { range in
            while next < tokens.count, tokens[next].range.lowerBound < range.lowerBound {
                next += 1
            }
            let start = next
            while next < tokens.count, tokens[next].range.upperBound <= range.upperBound {
                next += 1
            }
            return tokens[start..<next]
        }
    }
}

/// Current depth in parentheses and bodies of SQL functions.
private struct Nesting {
    private var parentheses = 0
    private var blocks = 0
    private var isCreate = false
    private var tokensTaken = 0
    private var followsBegin = false

    var isOutermost: Bool { parentheses == 0 && blocks == 0 }

    mutating func take(_ token: Token, of text: SourceText) {
        switch token.kind {
        case .symbol:
            if text.is(token, "(") { parentheses += 1 }
            if text.is(token, ")") { parentheses = max(0, parentheses - 1) }
            followsBegin = false
        case .word:
            takeWord(token, of: text)
        case .lineComment, .blockComment:
            return
        default:
            followsBegin = false
        }
        tokensTaken += 1
    }

    /// Updates the depth. Only a CREATE has a body; in it, END also ends CASE.
    private mutating func takeWord(_ token: Token, of text: SourceText) {
        if tokensTaken == 0 { isCreate = text.is(token, "create") }
        guard isCreate, parentheses == 0 else { return }
        if blocks > 0 {
            if text.is(token, "case") { blocks += 1 }
            if text.is(token, "end") { blocks -= 1 }
        } else if followsBegin, text.is(token, "atomic") {
            blocks = 1
        }
        followsBegin = text.is(token, "begin")
    }
}

extension SourceText {
    /// Whether the token is the expected word, given in lower case.
    func `is`(_ token: Token, _ expected: StaticString) -> Bool {
        guard token.range.count == expected.utf8CodeUnitCount else { return false }
        return expected.withUTF8Buffer { buffer in
            zip(token.range, buffer).allSatisfy { bytes[$0].folded == $1 }
        }
    }
}
