import Testing

@testable import Migrations

struct ScannerTests {
    /// Returns the tokens as written, without comments.
    private func words(_ sql: String) -> [String] {
        let bytes = Array(sql.utf8)
        return Scanner.scan(bytes).tokens.filter { !$0.isComment }
            .map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    private func kinds(_ sql: String) -> [Token.Kind] {
        Scanner.scan(Array(sql.utf8)).tokens.map(\.kind)
    }

    @Test(
        "a semicolon in quotes of any kind does not end a statement",
        arguments: [
            "';'", "'it''s;'", "E'\\';'", "e'\\\\'", "B'0;'", "x'f;'", "N';'", "U&'\\0441;'",
            "\"a;\"\"b\"", "U&\"d;\"", "$$;$$", "$t$;$$;$t$", "$é$;$é$", "'multi\nline;'",
        ])
    func quotes(_ literal: String) {
        #expect(words("a \(literal) b") == ["a", literal, "b"])
    }

    @Test("backslashes are literal in a plain string and escape in an E string")
    func backslashes() {
        #expect(words("'\\' x") == ["'\\'", "x"])
        #expect(words("E'\\'' x") == ["E'\\''", "x"])
        #expect(words("U&'\\' x") == ["U&'\\'", "x"])
    }

    @Test("a string continues on the next line, with the same escapes")
    func continued() {
        #expect(kinds("'a'\n  'b'") == [.string, .continuedString])
        #expect(kinds("'a' -- note\n 'b'") == [.string, .continuedString])
        #expect(kinds("E'a'\n'\\'' x") == [.string, .continuedString, .word])
        #expect(kinds("'a' 'b'") == [.string, .string])
        #expect(kinds("'a'\n/* c */ 'b'") == [.string, .blockComment, .string])
    }

    @Test("a quote always ends a bit string, even if another follows")
    func bits() {
        #expect(words("x'ff''f'") == ["x'ff'", "'f'"])
        #expect(kinds("B'0'\n'1'") == [.string, .continuedString])
    }

    @Test("comments can be nested, and their content is not scanned")
    func comments() {
        #expect(words("a /* x /* ; */ ' */ b -- ; '\nc") == ["a", "b", "c"])
        #expect(words("a--b\rc") == ["a", "c"])
    }

    @Test("a dollar is part of a name, opens a quote or is a parameter, depending on its position")
    func dollars() {
        #expect(words("a$b$c") == ["a$b$c"])
        #expect(words("$1+$2") == ["$1", "+", "$2"])
        #expect(words("select$$x$$") == ["select$$x$$"])
        #expect(words("1 $a$x$b$ $a$") == ["1", "$a$x$b$ $a$"])
    }

    @Test(
        "an operator ends before a comment, and before a sign if all its characters are arithmetic")
    func operators() {
        #expect(words("1+-1") == ["1", "+", "-", "1"])
        #expect(words("a @- b") == ["a", "@-", "b"])
        #expect(words("a<=b<>c") == ["a", "<=", "b", "<>", "c"])
        #expect(words("a*--x\n1") == ["a", "*", "1"])
        #expect(words("a*/**/1") == ["a", "*", "1"])
        #expect(words("a::int := 1..2") == ["a", "::", "int", ":=", "1", "..", "2"])
    }

    @Test("numbers of every form are one token")
    func numbers() {
        for number in ["1", "1.5", ".5", "1e10", "1e-5", "1_000", "0x1F", "0b1", "0o7", "5."] {
            #expect(words(number) == [number])
        }
        #expect(words("0x1E-1") == ["0x1E", "-", "1"])
        #expect(words("1.5.5") == ["1.5", ".5"])
    }

    @Test(
        "an unclosed quote or comment is reported with its start",
        arguments: [
            ("a 'b", ScanProblem.Kind.string), ("a E'b\\'", .string), ("a \"b", .quotedIdentifier),
            ("a $x$b", .dollarQuoted), ("a /* /* */", .blockComment), ("a U&'x", .string),
        ])
    func unclosed(_ sql: String, _ kind: ScanProblem.Kind) {
        #expect(Scanner.scan(Array(sql.utf8)).problem == ScanProblem(kind: kind, offset: 2))
    }

    @Test("any bytes are split into tokens that don't overlap", arguments: 0..<300)
    func anyBytes(seed: UInt64) {
        let alphabet = Array("'\"$Ee\\-/*;()aU&1.\n :=é<".utf8) + [0xFF]
        var random = SplitMix(seed)
        let bytes = (0..<60).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
        var end = 0
        for token in Scanner.scan(bytes).tokens {
            #expect(token.range.lowerBound >= end && !token.range.isEmpty)
            end = token.range.upperBound
        }
        #expect(end <= bytes.count)
    }
}
