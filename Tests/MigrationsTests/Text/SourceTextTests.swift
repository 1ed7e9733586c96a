import Testing

@testable import Migrations

struct SourceTextTests {
    @Test("a text with CRLF line ends equals the same text with LF")
    func lineEnds() throws {
        #expect(try SourceText("a\r\nb\r\n") == SourceText("a\nb\n"))
    }

    @Test("a byte order mark is stripped at the start and kept elsewhere")
    func byteOrderMark() throws {
        #expect(try SourceText(raw: [0xEF, 0xBB, 0xBF, 0x41]).bytes == [0x41])
        #expect(try SourceText("a\u{FEFF}").bytes.count == 4)
    }

    @Test("a carriage return that ends no line is kept")
    func loneCarriageReturn() throws {
        #expect(try SourceText("a\rb\r").bytes == Array("a\rb\r".utf8))
    }

    @Test("NUL is refused with its line")
    func nulByte() {
        #expect(throws: TextProblem(kind: .nulByte, line: 2)) {
            try SourceText(raw: Array("a\nb".utf8) + [0])
        }
    }

    @Test(
        "bytes that aren't UTF-8 are refused with the line of the first one",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
    func notUTF8(_ wrong: [UInt8]) {
        #expect(throws: TextProblem(kind: .notUTF8, line: 3)) {
            try SourceText(raw: Array("é\n\n".utf8) + wrong + Array("\n".utf8))
        }
    }

    @Test(
        "text in UTF-16 is reported as such, with and without a byte order mark",
        arguments: [
            [0xFF, 0xFE, 0x41, 0], [0xFE, 0xFF, 0, 0x41], [0x41, 0, 0x0A, 0, 0x42, 0],
            [0, 0x41, 0, 0x42],
        ])
    func utf16(_ bytes: [UInt8]) {
        #expect(throws: TextProblem(kind: .utf16, line: 1)) { try SourceText(raw: bytes) }
    }

    @Test("lines are counted from 1, and characters as PostgreSQL counts them")
    func places() throws {
        let text = try SourceText("é\nab")
        #expect(text.line(at: 0) == 1)
        #expect(text.line(at: 3) == 2)
        #expect(text.byteOffset(ofCharacter: 2) == 2)
        #expect(text.byteOffset(ofCharacter: 4) == 4)
        #expect(text.byteOffset(ofCharacter: 99) == 5)
    }
}
