/// One statement of a migration file.
package struct SQLStatement: Sendable, Equatable {
    /// From the first token to the last, comments and white space around it and the semicolon left
    /// out.
    package let range: Range<Int>
    /// The line of its first token, from 1.
    package let line: Int
    /// Its leading words and signs, up to `maximumTerms`: enough to identify the statement.
    package let terms: [Term]
    let source: SourceText
    private let tokens: [Token]

    /// The most tokens that `terms` holds, so that a file of a million rows stays cheap.
    static let maximumTerms = 2_000

    /// A token for telling statements apart: `CREATE`, `"quoted"`, `(`.
    package struct Term: Sendable, Equatable {
        /// As written, with unquoted words in upper case.
        package let text: String
        /// What it is.
        package let kind: Token.Kind
        /// Which bytes of the file it takes.
        package let range: Range<Int>

        /// Whether it is this keyword, which quoting would make a name.
        package func isKeyword(_ word: String) -> Bool { kind == .word && text == word }

        /// The name, folded like PostgreSQL does; nil if it is not a name.
        var identifier: String? {
            switch kind {
            case .word: text.foldedToLowerCase
            case .quotedIdentifier where text.hasPrefix("\""): text.withoutIdentifierQuotes
            default: nil
            }
        }
    }

    /// The statement as written.
    package var text: String { source.slice(range) }

    /// Its canonical form: see `CanonicalForm`.
    package var canonical: [UInt8] { CanonicalForm.bytes(of: tokens, in: source) }

    /// Whether it begins with these keywords.
    package func begins(with keywords: String...) -> Bool {
        terms.count >= keywords.count && zip(terms, keywords).allSatisfy { $0.isKeyword($1) }
    }

    /// Whether the keyword is among its terms, outside quotes.
    package func mentions(_ keyword: String) -> Bool {
        terms.contains { $0.isKeyword(keyword) }
    }
}

extension SQLStatement {
    /// The statement that these tokens make; nil where they are comments only.
    init?(of tokens: some Sequence<Token>, in source: SourceText, line: Int) {
        let meaningful = tokens.filter { !$0.isComment }
        guard let first = meaningful.first, let last = meaningful.last else { return nil }
        range = first.range.lowerBound..<last.range.upperBound
        self.line = line
        self.source = source
        self.tokens = meaningful
        terms = meaningful.prefix(SQLStatement.maximumTerms).map { token in
            let written = source.slice(token.range)
            return Term(
                text: token.kind == .word ? written.foldedToUpperCase : written,
                kind: token.kind, range: token.range)
        }
    }
}

extension String {
    /// ASCII letters in lower case, all else as it is: how PostgreSQL folds names.
    var foldedToLowerCase: String {
        String(decoding: utf8.map(\.folded), as: UTF8.self)
    }

    /// ASCII letters in upper case, all else as it is.
    var foldedToUpperCase: String {
        let bytes = utf8.map { (0x61...0x7A).contains($0) ? $0 & ~0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text between double quotes, with doubled ones made single.
    fileprivate var withoutIdentifierQuotes: String {
        var result: [UInt8] = []
        var isSecondOfPair = false
        for byte in utf8.dropFirst().dropLast() {
            let isQuote = byte == UInt8(ascii: "\"")
            if !(isQuote && isSecondOfPair) { result.append(byte) }
            isSecondOfPair = isQuote && !isSecondOfPair
        }
        return String(decoding: result, as: UTF8.self)
    }
}
