import CPgQuery
import JSON

/// PostgreSQL's own grammar from libpg_query, which splits a text into statements and returns their
/// parse trees.
///
/// While it parses, libpg_query points descriptor 2 (standard error) to a pipe of its own. It must
/// therefore be called by one thread only, before anything else writes there: the runner parses
/// every file before it starts to work.
package enum PgQuery {
    /// The PostgreSQL version of the grammar.
    package static let majorVersion = Int(PG_VERSION_NUM) / 10_000

    /// A syntax problem: an error, or syntax newer than the parser.
    package struct SyntaxProblem: Error, Sendable, Equatable {
        /// PostgreSQL's message.
        package let message: String
        /// The position in bytes from 0.
        package let offset: Int
    }

    /// A statement's extent, without its semicolon, and its tree in libpg_query's JSON form.
    struct Parsed {
        let range: Range<Int>
        let tree: JSONValue
    }

    /// Returns the extent of every statement, including white space and comments before it, without
    /// the semicolon after it.
    static func ranges(in text: SourceText) throws(SyntaxProblem) -> [Range<Int>] {
        let result = withCString(of: text) { pg_query_split_with_parser($0) }
        defer { pg_query_free_split_result(result) }
        if let error = result.error { throw problem(error.pointee, in: text) }
        return (0..<Int(result.n_stmts)).compactMap { index in
            guard let statement = result.stmts[index]?.pointee else { return nil }
            return range(
                location: Int(statement.stmt_location), length: Int(statement.stmt_len), in: text)
        }
    }

    /// Returns every statement with its tree. Trees nested deeper than `maxDepth` count as
    /// unparsable.
    static func trees(
        in text: SourceText, maxDepth: Int = 1_000
    ) throws(SyntaxProblem) -> [Parsed] {
        let result = withCString(of: text) { pg_query_parse($0) }
        defer { pg_query_free_parse_result(result) }
        if let error = result.error { throw problem(error.pointee, in: text) }
        guard let start = result.parse_tree else { return [] }
        do {
            let document = try JSONValue(
                parsing: Array(String(cString: start).utf8), maxDepth: maxDepth)
            return try JSONField(document)["stmts"].elements().map { (field) throws(JSONError) in
                let location = try field["stmt_location"].ifPresent?.integer() ?? 0
                let length = try field["stmt_len"].ifPresent?.integer() ?? 0
                return Parsed(
                    range: range(location: Int(location), length: Int(length), in: text),
                    tree: try field["stmt"].value ?? .null)
            }
        } catch {
            throw SyntaxProblem(message: "parse tree not readable: \(error)", offset: 0)
        }
    }

    /// Converts a range. Length 0 means up to the end of the text.
    private static func range(location: Int, length: Int, in text: SourceText) -> Range<Int> {
        let start = min(location, text.bytes.count)
        let end = length == 0 ? text.bytes.count : min(start + length, text.bytes.count)
        return start..<end
    }

    private static func withCString<Result>(
        of text: SourceText, _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        text.string.withCString(body)
    }

    /// Converts an error. libpg_query counts characters from 1.
    private static func problem(_ error: PgQueryError, in text: SourceText) -> SyntaxProblem {
        let message = error.message.map { String(cString: $0) } ?? "unknown syntax error"
        return SyntaxProblem(
            message: message, offset: text.byteOffset(ofCharacter: Int(error.cursorpos)))
    }
}
