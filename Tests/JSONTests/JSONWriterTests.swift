import JSON
import Testing

private func text(_ writer: JSONWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }

@Suite("Writing JSON") struct JSONWriterTests {
    @Test("objects and arrays nest, with commas where they belong")
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

    @Test("the pretty layout has a member a line")
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

    @Test("strings are escaped where JSON demands it and nowhere else")
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

    @Test("numbers that JSON can't say are null", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(value: Double) {
        #expect(JSONValue.number(value).text() == "null")
    }

    @Test(
        "what is written reads back the same",
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

    @Test("an error in the middle of an object reaches the caller")
    func errorsPass() {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            var json = JSONWriter()
            try json.object { _ in throw Stop() }
        }
    }
}
