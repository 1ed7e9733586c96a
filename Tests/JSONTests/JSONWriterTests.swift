import JSON
import Testing

private func text(_ writer: borrowing JSONWriter) -> String { writer.text }

@Suite("Writing JSON") struct JSONWriterTests {
    @Test("objects and arrays nest, with commas between their parts")
    func nesting() {
        var json = JSONWriter()
        json.object {
            $0.member("success", true)
            $0.member("count", 2)
            $0.member("share", 0.5)
            $0.member("note", String?.none)
            $0.member("stored", raw: Array("[1]".utf8))
            $0.array("members") {
                $0.element("a")
                $0.object { _ in }
            }
            $0.object("home") { $0.member("value", ["x": [nil]]) }
        }
        #expect(
            text(json) == #"{"success":true,"count":2,"share":0.5,"note":null,"stored":[1],"#
                + #""members":["a",{}],"home":{"value":{"x":[null]}}}"#)
    }

    @Test("the pretty layout has one member per line")
    func pretty() {
        let value: JSONValue = ["a": 1, "b": [], "c": [1, ["d": nil]], "e": [:]]
        #expect(
            value.text(.pretty) == """
                {
                  "a": 1,
                  "b": [],
                  "c": [
                    1,
                    {
                      "d": null
                    }
                  ],
                  "e": {}
                }
                """)
    }

    @Test("strings are escaped only where JSON requires it")
    func escapes() {
        let value: JSONValue = .string("\"\\/\u{0}\u{1F}\n\r\t\u{8}\u{7F}é😀\u{2028}")
        #expect(
            value.text() == #""\"\\/\u0000\u001f\n\r\t\u0008"# + "\u{7F}é😀\u{2028}\"")
        #expect(JSONValue.object(["a\"b": 1]).text() == #"{"a\"b":1}"#)
    }

    @Test(
        "whole numbers are written exactly",
        arguments: [
            (0, "0"), (-1, "-1"), (10, "10"), (Int64.max, "9223372036854775807"),
            (Int64.min, "-9223372036854775808"),
        ])
    func integers(value: Int64, expected: String) {
        #expect(JSONValue.integer(value).text() == expected)
    }

    @Test("non-finite numbers are written as null", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(value: Double) {
        #expect(JSONValue.number(value).text() == "null")
    }

    @Test(
        "a written document parses to an equal document",
        arguments: [
            JSONValue.number(0.1), .number(1e300), .number(.leastNonzeroMagnitude), .number(-0.0),
            .number(1e16),
            .number(123_456_789.125), .string("\u{0}\u{1F}\"\\é😀"),
            ["a": [1, 2.5, nil, ["b": true]]],
        ])
    func roundTrip(value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(value.text().utf8)) == value)
        #expect(try JSONValue(parsing: Array(value.text(.pretty).utf8)) == value)
    }

    @Test("characters that need escaping are escaped at every position, and no others")
    func escapedBytes() {
        func written(_ byte: UInt8) -> String {
            switch byte {
            case UInt8(ascii: "\""): "\\\""
            case UInt8(ascii: "\\"): "\\\\"
            case UInt8(ascii: "\n"): "\\n"
            case UInt8(ascii: "\r"): "\\r"
            case UInt8(ascii: "\t"): "\\t"
            case 0..<0x10: "\\u000" + String(byte, radix: 16)
            case 0..<0x20: "\\u00" + String(byte, radix: 16)
            default: String(UnicodeScalar(byte))
            }
        }
        for length in 1...20 {
            for position in 0..<length {
                for byte in 0..<UInt8(0x80) {
                    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    bytes[position] = byte
                    let text = String(decoding: bytes, as: UTF8.self)
                    let x = String(repeating: "x", count: length)
                    let expected =
                        "\"" + x.prefix(position) + written(byte) + x.dropFirst(position + 1) + "\""
                    if JSONValue.string(text).text() != expected {
                        Issue.record("byte \(byte) at \(position) of \(length)")
                    }
                }
            }
        }
        #expect(JSONValue.string("\u{7F}é😀").text() == "\"\u{7F}é😀\"")
    }

    @Test("a document does not depend on the writer's initial capacity")
    func documents() {
        let first = JSONWriter.Name("first")
        let second = JSONWriter.Name(String(repeating: "name", count: 20))
        func document(_ capacity: Int) -> String {
            let bytes = JSONWriter.document(capacity: capacity) { json in
                json.object {
                    $0.member(first, "a\nb")
                    $0.member(second, atMost: 3) { position in
                        position.update(repeating: UInt8(ascii: "z"))
                        return 2
                    }
                    $0.member(first, nil as Bool?)
                    $0.member(second, String(repeating: "long", count: 30))
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let name = String(repeating: "name", count: 20)
        let expected =
            #"{"first":"a\nb","\#(name)":"zz","first":null,"\#(name)":""#
            + String(repeating: "long", count: 30) + #""}"#
        for capacity in [17, 18, 40, 100, 300, 301, 350, 4_000] {
            #expect(document(capacity) == expected, "\(capacity) bytes")
        }
    }

    @Test("an error thrown inside an object reaches the caller")
    func errorsPass() {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            var json = JSONWriter()
            try json.object { _ in throw Stop() }
        }
    }
}
