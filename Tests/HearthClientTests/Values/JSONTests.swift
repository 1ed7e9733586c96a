import Foundation
import Testing

@testable import HearthClient

@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Data(text.utf8))
    }

    private static let readable: [(String, JSONValue)] = [
        ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-12", -12),
        ("1.5", 1.5), ("2e3", 2000.0), ("12345678901234567890", 1.2345678901234567e19),
        (#""""#, ""), (#""a\n\"\\\/\u00e9\ud83c\udfe1""#, "a\n\"\\/é🏡"),
        (#""\ud83c x""#, "\u{FFFD} x"), ("[]", []), ("{}", [:]),
        (#"[1, [2], {"a": null}]"#, [1, [2], ["a": nil]]), (#"{"a": 1, "a": 2}"#, ["a": 2]),
    ]

    @Test("each kind of value can be parsed", arguments: readable)
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "malformed JSON is refused",
        arguments: [
            "", " ", "nul", "tru", "+1", "01", "-", "1.", ".5", "1e", "--1", "\"a", "\"\u{1}\"",
            #""\x""#, #""\u12""#, "[1", "[1,]", "[1 2]", "{", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#,
            #"{"a":1,}"#, "1 2", "1e999", String(repeating: "[", count: 100),
        ])
    func faults(_ text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test("written JSON parses to the same value, even with Foundation's parser")
    func roundTrip() throws {
        let value: JSONValue = [
            "text": "é \u{1} \"quoted\" \\ 🏡 \u{7F}", "list": [1, 2.5, true, nil, [], [:]],
            "nested": ["a": ["b": -3]],
        ]
        #expect(try JSONValue(parsing: value.data) == value)
        let foreign = try JSONSerialization.jsonObject(with: value.data)
        let again = try JSONSerialization.data(withJSONObject: foreign)
        #expect(try JSONValue(parsing: again) == value)
    }

    @Test("the parser agrees with Foundation on randomly changed texts")
    func agreement() throws {
        var random = SystemRandomNumberGenerator()
        let seed = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,null,{"b":[]}],"c":"d"}"#.utf8)
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = Array(#"{}[],:"\ue01-. tnx"#.utf8).randomElement() ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let ours = try? parse(text)
            let theirs = try? JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            if ours == nil, theirs != nil {
                // Foundation accepts a comma after the last member of an object, which RFC 8259
                // does not allow. Any other difference is an error.
                #expect(throws: Never.self, "\(text)") { try parse(withoutTrailingCommas(text)) }
            } else {
                #expect((ours == nil) == (theirs == nil), "\(text)")
            }
        }
    }

    private func withoutTrailingCommas(_ text: String) -> String {
        text.replacingOccurrences(of: #",\s*\}"#, with: "}", options: .regularExpression)
    }
}
