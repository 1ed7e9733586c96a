/// The meaning of a text for PostgreSQL's lexer: its tokens without comments and layout.
///
/// PostgreSQL sees no difference between two texts with the same canonical form. The converse is
/// not guaranteed: `'a'` and `E'a'` differ, and so do two function bodies that differ in a comment,
/// because the body is stored as written.
package enum CanonicalForm {
    /// The canonical form of a list of tokens, none of them comments.
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

    /// Bytes that no text holds outside quotes keep `a` `'b'` apart from `a'b'`, and a continued
    /// string apart from two strings side by side.
    private static func separator(before kind: Token.Kind) -> UInt8 {
        kind == .continuedString ? 0x02 : 0x01
    }
}
