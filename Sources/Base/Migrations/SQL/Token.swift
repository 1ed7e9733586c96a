/// A token of PostgreSQL's lexer: its kind and its bytes.
package struct Token: Sendable, Equatable {
    /// What a token is.
    package enum Kind: Sendable, Equatable {
        /// A keyword or an identifier without quotes.
        case word
        /// `"identifier"` or `U&"identifier"`.
        case quotedIdentifier
        /// `'text'`, `E'text'`, `B'0'`, `X'0'`, `N'text'`, `U&'text'`.
        case string
        /// A further piece of the string before it, on a line below: `'a'` newline `'b'` is `'ab'`.
        case continuedString
        /// `$$text$$` or `$tag$text$tag$`.
        case dollarQuoted
        case number
        /// `$1`.
        case parameter
        /// An operator, or one of `( ) [ ] , ; : . ::` and the like.
        case symbol
        /// A backslash outside quotes: PostgreSQL knows none, psql has its commands there.
        case backslash
        /// `-- to the end of the line`, without the line's end.
        case lineComment
        /// `/* nested */`
        case blockComment
    }

    /// What it is.
    package let kind: Kind
    /// Which bytes it takes.
    package let range: Range<Int>

    /// True for what PostgreSQL throws away.
    package var isComment: Bool { kind == .lineComment || kind == .blockComment }
}

/// A place where SQL can't be cut into tokens: something is opened and never closed.
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
    /// Where it is opened, in bytes from 0.
    package let offset: Int
}
