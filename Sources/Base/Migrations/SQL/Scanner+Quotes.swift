/// Syntax of a string literal.
enum StringForm {
    /// Two quotes stand for one.
    case plain
    /// Two quotes, or a backslash and a quote, stand for one: `E'text'`.
    case escaped
    /// A quote always ends the string: `B'01'`, `X'ff'`.
    case bits
}

extension Scanner {
    /// Scans a string whose quote is at `quoteAt`, after an optional prefix, and its continuations
    /// on later lines.
    mutating func scanString(quoteAt: Int, _ form: StringForm) throws(ScanProblem) {
        var kind = Token.Kind.string
        var quote = quoteAt
        while true {
            let end = try endOfQuotes(from: quote, form, .string)
            add(kind, upTo: end)
            guard let next = continuation(after: end) else { return }
            skip(to: next)
            quote = next
            kind = .continuedString
        }
    }

    mutating func scanQuotedIdentifier(quoteAt: Int) throws(ScanProblem) {
        let end = try endOfQuotes(from: quoteAt, .plain, .quotedIdentifier)
        add(.quotedIdentifier, upTo: end)
    }

    /// Returns the position after the quote that closes the one at `start`.
    private func endOfQuotes(
        from start: Int, _ form: StringForm, _ kind: ScanProblem.Kind
    ) throws(ScanProblem) -> Int {
        let quote = bytes[start]
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == quote {
                let isDoubled = index + 1 < bytes.count && bytes[index + 1] == quote
                guard isDoubled, form != .bits else { return index + 1 }
                index += 2
            } else if form == .escaped, bytes[index] == UInt8(ascii: "\\") {
                index += 2
            } else {
                index += 1
            }
        }
        throw ScanProblem(kind: kind, offset: position)
    }

    /// Returns the position at which a string that ends at `end` continues: after white space and
    /// comments that contain a line end. Block comments end the string (`whitespace_with_newline`
    /// in scan.l).
    private func continuation(after end: Int) -> Int? {
        var index = end
        var sawLineEnd = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte.isSQLSpace {
                sawLineEnd = sawLineEnd || byte.isLineEnd
                index += 1
            } else if byte == UInt8(ascii: "-"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "-")
            {
                index = endOfLine(from: index)
            } else {
                return byte == UInt8(ascii: "'") && sawLineEnd ? index : nil
            }
        }
        return nil
    }

    /// Scans a dollar quote, a parameter, or a single dollar sign.
    mutating func scanDollar() throws(ScanProblem) {
        if let next = peek(1), next.isDigit {
            var end = position + 1
            while end < bytes.count, bytes[end].isDigit || bytes[end].startsIdentifier { end += 1 }
            return add(.parameter, upTo: end)
        }
        var index = position + 1
        if index < bytes.count, bytes[index].startsDollarTag {
            while index < bytes.count, bytes[index].continuesDollarTag { index += 1 }
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "$") else {
            return add(.symbol, upTo: position + 1)
        }
        let delimiter = bytes[position...index]
        index += 1
        while index + delimiter.count <= bytes.count {
            if bytes[index] == UInt8(ascii: "$"),
                bytes[index..<(index + delimiter.count)].elementsEqual(delimiter)
            {
                return add(.dollarQuoted, upTo: index + delimiter.count)
            }
            index += 1
        }
        throw ScanProblem(kind: .dollarQuoted, offset: position)
    }
}
