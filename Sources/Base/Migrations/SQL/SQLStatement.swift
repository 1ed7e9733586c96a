/// One statement of a migration file.
package struct SQLStatement: Sendable, Equatable {
    /// Extent from the first token to the last, without surrounding comments and white space and
    /// without the semicolon.
    package let range: Range<Int>
    /// The line of the statement's first token, from 1.
    package let line: Int
    /// The leading words and symbols, up to `maximumTerms`: enough to identify the statement.
    package let terms: [Term]
    let source: SourceText
    private let tokens: [Token]

    /// Maximum number of tokens in `terms`, so that a file of a million rows stays cheap.
    static let maximumTerms = 2_000

    /// A token used to tell statements apart: `CREATE`, `"quoted"`, `(`.
    package struct Term: Sendable, Equatable {
        /// The text as written, with unquoted words in upper case.
        package let text: String
        /// The kind of token.
        package let kind: Token.Kind
        /// The token's bytes in the file.
        package let range: Range<Int>

        /// Whether the term is this keyword, unquoted. Quoting would make it a name.
        package func isKeyword(_ word: String) -> Bool { kind == .word && text == word }

        /// The identifier, folded as PostgreSQL does; nil if the term is not an identifier.
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

    /// The canonical form: see `CanonicalForm`.
    package var canonical: [UInt8] { CanonicalForm.bytes(of: tokens, in: source) }

    /// Whether the statement begins with these keywords.
    package func begins(with keywords: String...) -> Bool {
        terms.count >= keywords.count && zip(terms, keywords).allSatisfy { $0.isKeyword($1) }
    }

    /// Whether the keyword is among the terms, outside quotes.
    package func mentions(_ keyword: String) -> Bool {
        terms.contains { $0.isKeyword(keyword) }
    }
}

extension SQLStatement {
    /// Creates a statement from tokens; nil if all of them are comments.
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
    /// The string with ASCII letters in lower case, as PostgreSQL folds names. Other characters are
    /// unchanged.
    var foldedToLowerCase: String {
        String(decoding: utf8.map(\.folded), as: UTF8.self)
    }

    /// The string with ASCII letters in upper case. Other characters are unchanged.
    var foldedToUpperCase: String {
        let bytes = utf8.map { (0x61...0x7A).contains($0) ? $0 & ~0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text between double quotes, with doubled quotes made single.
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
