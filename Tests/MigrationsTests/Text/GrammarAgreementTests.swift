import CPgQuery
import Foundation
import TestSupport
import Testing

@testable import Migrations

/// Agreement of the scanner with PostgreSQL's own lexer from libpg_query.
@Suite(.serialized)
struct GrammarAgreementTests {
    /// Returns the tokens of libpg_query: fields 1 and 2 of each message in field 2 of the result.
    private func lexerTokens(_ sql: String) -> [Range<Int>]? {
        let result = sql.withCString { pg_query_scan($0) }
        defer { pg_query_free_scan_result(result) }
        guard result.error == nil, let start = result.pbuf.data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: result.pbuf.len)
        var reader = ProtobufReader(bytes: ArraySlice(bytes.map { $0 }))
        var tokens: [Range<Int>] = []
        while let field = reader.next() {
            guard field.number == 2, let message = field.bytes else { continue }
            var inner = ProtobufReader(bytes: message)
            var bounds = (0, 0)
            while let part = inner.next() {
                if part.number == 1 { bounds.0 = part.value }
                if part.number == 2 { bounds.1 = part.value }
            }
            tokens.append(bounds.0..<bounds.1)
        }
        return tokens
    }

    /// Returns the scanner's tokens, with continuations as parts of their string.
    private func scannerTokens(_ sql: String) -> [Range<Int>]? {
        let (tokens, problem) = Scanner.scan(Array(sql.utf8))
        guard problem == nil else { return nil }
        var ranges: [Range<Int>] = []
        for token in tokens {
            if token.kind == .continuedString, let last = ranges.popLast() {
                ranges.append(last.lowerBound..<token.range.upperBound)
            } else {
                ranges.append(token.range)
            }
        }
        return ranges
    }

    // Left out are U& and N'', for which libpg_query reports other positions than it reads, and
    // comments between a string and its continuation, which it treats as the string's end.
    private static let pieces = [
        "'a'", "'it''s'", "E'\\''", "E'\\n'", "B'01'", "x'ff'", "\"q\"\"q\"",
        "$$b$$", "$t$ $$ $t$", "$1", "a", "_b$1", "é", "SELECT", "begin", "1", "1.5",
        ".5", "1e-5", "+", "-", "*", "/", "<=", "<>", "@-", "||", "->>", "::", ":=", "..", "(",
        ")", "[", "]", ",", ";", "%", "^", "=>", "!~", "; -- c\n", "/* x /* y */ */", " ", "\n",
        "\t", " \n ",
    ]

    @Test("the scanner finds the tokens of libpg_query in any mixture of SQL", arguments: 0..<400)
    func mixtures(seed: UInt64) {
        var random = SplitMix(seed)
        let sql = (0..<Int(random.next() % 25)).map { _ in
            Self.pieces[Int(random.next() % UInt64(Self.pieces.count))]
                + (random.next() % 3 == 0 ? "" : " ")
        }.joined()
        // If the lexer refuses a text, there is nothing to compare.
        guard let expected = lexerTokens(sql) else { return }
        let bytes = Array(sql.utf8)
        func words(_ ranges: [Range<Int>]?) -> [String]? {
            ranges?.map { String(decoding: bytes[$0.clamped(to: bytes.indices)], as: UTF8.self) }
        }
        #expect(words(scannerTokens(sql)) == words(expected), "\(sql)")
    }

    @Test("the scanner and libpg_query split the project's own migrations at the same positions")
    func ownMigrations() throws {
        let folder = try MigrationFolder(path: SourceTree.root.path + "/sql/migrations")
        #expect(!folder.files.isEmpty)
        for file in folder.files {
            let tokens = Scanner.scan(file.text.bytes).tokens
            let byScanner = StatementSplitter.split(tokens, in: file.text)
                .compactMap { SQLStatement(of: $0, in: file.text, line: 0)?.range }
            let byGrammar = try file.script().statements.map(\.range)
            #expect(byScanner == byGrammar, "\(file.fileName)")
        }
    }
}

/// Reads as much of the Protocol Buffers format as a scan result needs.
private struct ProtobufReader {
    var bytes: ArraySlice<UInt8>

    mutating func next() -> (number: Int, value: Int, bytes: ArraySlice<UInt8>?)? {
        guard let key = varint() else { return nil }
        guard key & 7 == 2 else { return varint().map { (key >> 3, $0, nil) } }
        guard let length = varint() else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return (key >> 3, 0, bytes.prefix(length))
    }

    private mutating func varint() -> Int? {
        var value = 0
        var shift = 0
        while let byte = bytes.popFirst() {
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
