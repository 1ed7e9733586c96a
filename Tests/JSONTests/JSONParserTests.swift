import JSON
import Testing

private func parse(_ text: String, maxDepth: Int = 32) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), maxDepth: maxDepth)
}

private func failure(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        _ = try JSONValue(parsing: bytes)
        return nil
    } catch {
        return error
    }
}

private func failure(_ text: String) -> JSONError? { failure(Array(text.utf8)) }

@Suite("Parsing JSON") struct JSONParserTests {
    @Test("the example object of RFC 8259 is parsed")
    func exampleObject() throws {
        let text = """
            { "Image": { "Width": 800, "Title": "View from 15th Floor",
              "Thumbnail": { "Url": "http://www.example.com/image/481989943" },
              "Animated" : false, "IDs": [116, 943, 234, 38793] } }
            """
        let image: JSONValue = [
            "Width": 800, "Title": "View from 15th Floor",
            "Thumbnail": ["Url": "http://www.example.com/image/481989943"],
            "Animated": false, "IDs": [116, 943, 234, 38793],
        ]
        #expect(try parse(text) == ["Image": image])
    }

    @Test(
        "a scalar, an array and an object are valid documents",
        arguments: [
            ("null", JSONValue.null), ("true", true), ("false", false), ("\"\"", ""),
            (" \t\r\n7 ", 7),
            ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[null , [ ]]", [nil, []]),
        ] as [(String, JSONValue)])
    func documents(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test("members keep their order")
    func order() throws {
        guard case .object(let object) = try parse(#"{"b": 1, "a": 2, "c": 3}"#) else {
            Issue.record("not an object")
            return
        }
        #expect(object.members.map(\.name) == ["b", "a", "c"])
        #expect(object["a"] == 2)
        #expect(object["d"] == nil)
    }

    @Test(
        "whole numbers and fractions keep their kind",
        arguments: [
            ("0", JSONValue.integer(0)), ("-1", .integer(-1)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.0", .number(1)), ("1e3", .number(1000)), ("1E+3", .number(1000)),
            ("-1.5e-3", .number(-0.0015)), ("0.1", .number(0.1)), ("0e0", .number(0)),
            ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            ("5e-324", .number(.leastNonzeroMagnitude)), ("1e-400", .number(0)),
        ])
    func numbers(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test("a negative zero keeps its sign")
    func negativeZero() throws {
        guard case .number(let zero) = try parse("-0") else {
            Issue.record("not a number")
            return
        }
        #expect(zero == 0 && zero.sign == .minus)
    }

    @Test(
        "a malformed number is refused",
        arguments: [
            "01", "-01", "+1", ".5", "1.", "1.e3", "1e", "1e+", "-", "0x10", "1_000", "NaN",
            "Infinity",
            "-Infinity", "--1", "1..2", "00",
        ])
    func notNumbers(text: String) {
        #expect(failure(text) != nil)
        #expect(failure("[\(text)]") != nil)
    }

    @Test("a number beyond Double is refused", arguments: ["1e309", "-1e309", "1e99999999999"])
    func hugeNumbers(text: String) {
        #expect(failure(text)?.code == .numberOutOfRange)
    }

    @Test(
        "escapes are decoded",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\uD834\uDD1E""#, "𝄞"), (#""a\u0000b""#, "a\u{0}b"), (#""\uFFFF""#, "\u{FFFF}"),
            (#""😀\n😀""#, "😀\n😀"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        ])
    func escapes(text: String, value: String) throws {
        #expect(try parse(text) == .string(value))
    }

    @Test(
        "half a surrogate pair is refused",
        arguments: [
            #""\uD834""#, #""\uDD1E""#, #""\uD834x""#, #""\uD834\n""#, #""\uD834\u0041""#,
            #""\uD834\uD834""#, #""\uDD1E\uD834""#,
        ])
    func loneSurrogates(text: String) {
        #expect(failure(text)?.code == .loneSurrogate)
        #expect(failure(text)?.offset == 1)
    }

    @Test(
        "a malformed string is refused",
        arguments: [
            "\"", "\"a", #""\"#, #""\x41""#, #""\u12""#, #""\u12G4""#, #""\U0041""#, "\"a\nb\"",
            "\"\u{0}\"", "\"\u{1F}\"", "\"\\n\u{1}\"", "'a'", #""\uD834\"#, #""\uD834\u"#,
        ])
    func malformedStrings(text: String) {
        #expect(failure(text)?.code == .syntax || failure(text)?.code == .loneSurrogate)
    }

    @Test(
        "bytes that are not UTF-8 are refused at their offset",
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let plain = failure([quote, 0x61] + bytes + [quote])
        #expect(plain?.code == .encoding)
        #expect(plain?.offset == 2)
        let escaped = failure([quote, 0x5C, 0x6E] + bytes + [quote])
        #expect(escaped?.code == .encoding)
        #expect(escaped?.offset == 3)
        #expect(failure([quote] + bytes + [0x5C, 0x6E, quote])?.code == .encoding)
    }

    @Test(
        "malformed structure is refused at its offset",
        arguments: [
            ("", 0), ("   ", 3), ("[1,]", 3), ("[1 2]", 3), ("[", 1), ("[1", 2), ("{", 1),
            ("{\"a\"", 4),
            ("{\"a\":", 5), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\" 1}", 5), ("{1:1}", 1),
            ("]", 0),
            ("{\"a\":1]", 6), ("[1}", 2), ("tru", 0), ("truE", 0), ("nul", 0), ("[,1]", 1),
            ("// x\n1", 0), ("\u{FEFF}1", 0), ("\u{A0}1", 0),
        ])
    func malformed(text: String, offset: Int) {
        #expect(failure(text)?.code == .syntax)
        #expect(failure(text)?.offset == offset)
    }

    @Test(
        "bytes after the document are refused",
        arguments: [
            ("1 2", 2), ("{}{}", 2), ("null,", 4), ("truex", 4), ("1\u{0}", 1),
        ])
    func trailing(text: String, offset: Int) {
        #expect(failure(text)?.code == .trailingBytes)
        #expect(failure(text)?.offset == offset)
    }

    @Test("a repeated member is refused, however its name is escaped")
    func duplicates() {
        #expect(failure(#"{"a":1,"a":2}"#)?.code == .duplicateMember)
        #expect(failure(#"{"a":1,"a":2}"#)?.offset == 7)
        #expect(failure(#"{"a":1,"\u0061":2}"#)?.code == .duplicateMember)
        #expect(failure(#"[{"x":{"a":1,"b":{},"a":2}}]"#)?.code == .duplicateMember)
        #expect(failure(#"{"a":{"a":1},"b":{"a":2}}"#) == nil)
    }

    @Test("members with names that only look alike are distinct")
    func lookAlikes() throws {
        let object = try parse("{\"\u{E9}\": 1, \"e\u{301}\": 2}")
        #expect(
            object
                == .object(
                    .init([
                        .init(name: "\u{E9}", value: 1), .init(name: "e\u{301}", value: 2),
                    ])))
    }

    @Test("a repeated member among thousands is refused")
    func duplicatesAmongMany() throws {
        let members = (0..<20_000).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        _ = try parse("{\(members)}")
        #expect(failure("{\(members),\"n19999\":0}")?.code == .duplicateMember)
        #expect(failure("{\(members),\"n0\":0}")?.code == .duplicateMember)
    }

    @Test("nesting is allowed up to the limit and not beyond")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(32))
        #expect(failure(nested(33))?.code == .tooDeep)
        #expect(failure(nested(33))?.offset == 32)
        #expect(failure(String(repeating: "[", count: 1_000_000))?.code == .tooDeep)
        #expect(failure(String(repeating: "{\"a\":", count: 33))?.code == .tooDeep)
        _ = try parse("[[],[],[{}]]", maxDepth: 3)
        #expect(throws: JSONError.self) { try parse("[[[]]]", maxDepth: 2) }
    }

    @Test("an error states position and cause in one sentence")
    func sentences() {
        #expect(
            failure("[1 2]")?.description == "Not valid JSON at byte 3: expected ',' or ']'")
        #expect(
            failure("[1")?.description
                == "Not valid JSON at byte 2: expected ',' or ']', found the end")
    }

    @Test("an error for editors states line and column, counted in characters")
    func locations() {
        func told(_ text: String) -> String? { failure(text)?.description(in: Array(text.utf8)) }
        #expect(told("[1 2]") == "Not valid JSON in line 1, column 4: expected ',' or ']'")
        #expect(
            told("[\n\"é\" 2]") == "Not valid JSON in line 2, column 5: expected ',' or ']'")
        #expect(
            told("[1,\n\n") == "Not valid JSON in line 3, column 1: expected a value, found the end"
        )
    }

    @Test("every truncated document is refused")
    func truncations() {
        let document = Array(#"{"a":[1.5e3,true,null,"\u00e9é\n"],"b":{"c":{}}}"#.utf8)
        for length in 0..<document.count {
            #expect(failure(Array(document[..<length])) != nil)
        }
        #expect(failure(document) == nil)
    }

    @Test("a document with one byte changed is refused, or survives being written and read back")
    func mutations() throws {
        let document = Array(#"{"a":[-1.5e3,true,null,"\u00e9é\n\ud834\udd1e"],"b":{"c":{}}}"#.utf8)
        for position in document.indices {
            for byte in UInt8.min...UInt8.max {
                var mutant = document
                mutant[position] = byte
                guard let value = try? JSONValue(parsing: mutant) else { continue }
                #expect(try JSONValue(parsing: Array(value.text().utf8)) == value)
            }
        }
    }
}
