/// A text as PostgreSQL's lexer sees it: its tokens without comments and layout.
///
/// Two texts with the same canonical form are the same to PostgreSQL. The converse is not
/// guaranteed: `'a'` and `E'a'` differ, and so do two function bodies that differ in a comment,
/// because the body is stored as written.
package enum CanonicalForm {
    /// Returns the canonical form of a list of tokens, none of which are comments.
    static func bytes(of tokens: [Token], in text: SourceText) -> [UInt8] {
        var result: [UInt8] = []
        for token in tokens {
            result.append(separator(before: token.kind))
            let written = text.bytes[token.range]
            if token.kind == .word {
                result.append(contentsOf: written.map(\.folded))
            } else {
                result.append(contentsOf: written)
            }
        }
        return result
    }

    /// Returns a separator that no text contains outside quotes. It distinguishes `a` `'b'` from
    /// `a'b'`, and a continued string from two strings side by side.
    private static func separator(before kind: Token.Kind) -> UInt8 {
        kind == .continuedString ? 0x02 : 0x01
    }
}
