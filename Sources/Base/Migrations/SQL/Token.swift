/// A token of PostgreSQL's lexer: its kind and its bytes.
package struct Token: Sendable, Equatable {
    /// The kinds of tokens.
    package enum Kind: Sendable, Equatable {
        /// A keyword or an identifier without quotes.
        case word
        /// `"identifier"` or `U&"identifier"`.
        case quotedIdentifier
        /// `'text'`, `E'text'`, `B'0'`, `X'0'`, `N'text'`, `U&'text'`.
        case string
        /// The continuation of the preceding string on a later line: `'a'`, a line break and `'b'`
        /// are `'ab'`.
        case continuedString
        /// `$$text$$` or `$tag$text$tag$`.
        case dollarQuoted
        case number
        /// `$1`.
        case parameter
        /// An operator, or one of `( ) [ ] , ; : . ::` and the like.
        case symbol
        /// A backslash outside quotes, which PostgreSQL doesn't know and psql uses for its
        /// commands.
        case backslash
        /// `-- to the end of the line`, without the line's end.
        case lineComment
        /// `/* nested */`
        case blockComment
    }

    /// The kind of token.
    package let kind: Kind
    /// The token's bytes.
    package let range: Range<Int>

    /// Whether the token is a comment, which PostgreSQL ignores.
    package var isComment: Bool { kind == .lineComment || kind == .blockComment }
}

/// A position at which SQL can't be split into tokens, because something is opened and never
/// closed.
package struct ScanProblem: Error, Sendable, Equatable {
    /// The kinds of unclosed text.
    package enum Kind: String, Sendable {
        case string = "a quoted string"
        case quotedIdentifier = "a quoted identifier"
        case dollarQuoted = "a dollar-quoted string"
        case blockComment = "a comment"
    }

    /// The kind of unclosed text.
    package let kind: Kind
    /// Position of the opening quote or comment, in bytes from 0.
    package let offset: Int
}
