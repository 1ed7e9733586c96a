/// Splits SQL into tokens by PostgreSQL's own lexical rules, with `standard_conforming_strings` on.
///
/// It needs no grammar, so it also handles statements that are newer than the parser: quotes, `E''`
/// strings, dollar quotes, nested comments, `U&`, strings continued on the next line. Its only
/// errors are quotes and comments that are never closed, reported with their position.
package struct Scanner {
    let bytes: [UInt8]
    var tokens: [Token] = []
    private(set) var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tokens.reserveCapacity(bytes.count / 6)
    }

    /// Returns all tokens of a text in order, including comments. If a quote or comment is never
    /// closed, returns the tokens before it and the problem.
    package static func scan(_ bytes: [UInt8]) -> (tokens: [Token], problem: ScanProblem?) {
        var scanner = Scanner(bytes)
        do {
            while scanner.position < bytes.count { try scanner.scanOne() }
            return (scanner.tokens, nil)
        } catch {
            return (scanner.tokens, error)
        }
    }

    private mutating func scanOne() throws(ScanProblem) {
        let byte = bytes[position]
        switch byte {
        case _ where byte.isSQLSpace:
            position += 1
        case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
            add(.lineComment, upTo: endOfLine(from: position))
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
            add(.blockComment, upTo: try endOfBlockComment(from: position))
        case UInt8(ascii: "'"):
            try scanString(quoteAt: position, .plain)
        case UInt8(ascii: "\""):
            try scanQuotedIdentifier(quoteAt: position)
        case UInt8(ascii: "$"):
            try scanDollar()
        case UInt8(ascii: "\\"):
            add(.backslash, upTo: position + 1)
        case UInt8(ascii: ".") where peek(1).map(\.isDigit) == true:
            scanNumber()
        case _ where byte.isDigit:
            scanNumber()
        case _ where byte.startsIdentifier:
            try scanWord()
        case _ where byte.isOperatorCharacter:
            scanOperator()
        default:
            let pair = (byte, peek(1))
            let isPair =
                pair == (UInt8(ascii: ":"), UInt8(ascii: ":"))
                || pair == (UInt8(ascii: ":"), UInt8(ascii: "="))
                || pair == (UInt8(ascii: "."), UInt8(ascii: "."))
            add(.symbol, upTo: position + (isPair ? 2 : 1))
        }
    }

    func peek(_ distance: Int) -> UInt8? {
        let index = position + distance
        return index < bytes.count ? bytes[index] : nil
    }

    mutating func add(_ kind: Token.Kind, upTo end: Int) {
        tokens.append(Token(kind: kind, range: position..<end))
        position = end
    }

    /// Skips bytes that are not part of a token.
    mutating func skip(to index: Int) {
        position = index
    }

    // MARK: - Comments

    func endOfLine(from start: Int) -> Int {
        var end = start
        while end < bytes.count, !bytes[end].isLineEnd { end += 1 }
        return end
    }

    private func endOfBlockComment(from start: Int) throws(ScanProblem) -> Int {
        var depth = 0
        var index = start
        while index + 1 < bytes.count {
            switch (bytes[index], bytes[index + 1]) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                index += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                index += 2
                if depth == 0 { return index }
            default: index += 1
            }
        }
        throw ScanProblem(kind: .blockComment, offset: start)
    }

    // MARK: - Words, numbers, operators

    private mutating func scanWord() throws(ScanProblem) {
        let quote = UInt8(ascii: "'")
        switch bytes[position].folded {
        case UInt8(ascii: "e") where peek(1) == quote:
            return try scanString(quoteAt: position + 1, .escaped)
        case UInt8(ascii: "b") where peek(1) == quote, UInt8(ascii: "x") where peek(1) == quote:
            return try scanString(quoteAt: position + 1, .bits)
        case UInt8(ascii: "n") where peek(1) == quote:
            return try scanString(quoteAt: position + 1, .plain)
        case UInt8(ascii: "u") where peek(1) == UInt8(ascii: "&"):
            if peek(2) == quote {
                return try scanString(quoteAt: position + 2, .plain)
            }
            if peek(2) == UInt8(ascii: "\"") {
                return try scanQuotedIdentifier(quoteAt: position + 2)
            }
        default: break
        }
        var end = position + 1
        while end < bytes.count, bytes[end].continuesIdentifier { end += 1 }
        add(.word, upTo: end)
    }

    /// Scans a number of any form, with the letters attached to it, because only its extent matters
    /// here.
    private mutating func scanNumber() {
        let isHexadecimal =
            bytes[position] == UInt8(ascii: "0") && peek(1)?.folded == UInt8(ascii: "x")
        var end = position
        var mayHaveDot = true
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: ".") {
                // Two dots are an operator: `1..2`.
                let isOne = end + 1 == bytes.count || bytes[end + 1] != UInt8(ascii: ".")
                guard mayHaveDot, isOne else { break }
                mayHaveDot = false
            } else if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
                guard !isHexadecimal, end > position, bytes[end - 1].folded == UInt8(ascii: "e")
                else { break }
                mayHaveDot = false
            } else if !(byte.isDigit || byte.startsIdentifier) {
                break
            }
            end += 1
        }
        add(.number, upTo: end)
    }

    /// Scans the longest possible operator. The operator ends before a comment. A trailing + or -
    /// is a separate operator if all characters before it are arithmetic, so `1+-1` and `a=-1`
    /// contain two operators each.
    private mutating func scanOperator() {
        var end = position
        while end < bytes.count, bytes[end].isOperatorCharacter {
            let next = end + 1 < bytes.count ? bytes[end + 1] : 0
            let startsComment =
                (bytes[end] == UInt8(ascii: "-") && next == UInt8(ascii: "-"))
                || (bytes[end] == UInt8(ascii: "/") && next == UInt8(ascii: "*"))
            if startsComment { break }
            end += 1
        }
        func endsInSign(_ end: Int) -> Bool {
            bytes[end - 1] == UInt8(ascii: "+") || bytes[end - 1] == UInt8(ascii: "-")
        }
        if bytes[position..<end].allSatisfy(\.isArithmeticOperatorCharacter) {
            while end - position > 1, endsInSign(end) { end -= 1 }
        }
        add(.symbol, upTo: end)
    }
}
