import JSON
import Testing

@Suite("Locating parts of a document")
struct JSONPlacesTests {
    private func elements(_ document: String) -> [String] {
        let bytes = Array(document.utf8)
        return JSONLocator.elements(of: "list", in: bytes).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    private func value(_ document: String) -> String? {
        let bytes = Array(document.utf8)
        return JSONLocator.value(of: "body", in: bytes).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test("elements are returned as written, ignoring brackets and quotes in strings")
    func elements() {
        #expect(
            elements(#"{"list": [1.50 , "a]\"," ,{"b": [[]]},null ] }"#)
                == ["1.50", #""a]\",""#, #"{"b": [[]]}"#, "null"])
        #expect(elements(#"{"a": {"list": [1]}, "list": [2]}"#) == ["2"])
        #expect(elements(#"{"list": []}"#) == [])
        #expect(elements(#"{"list": {"a": 1}}"#) == [])
        #expect(elements(#"[1]"#) == [])
        #expect(elements("") == [])
    }

    @Test("a value is found by its name, however the name is escaped")
    func values() {
        #expect(value(#"{"body": {"n": 1E5}, "x": 1}"#) == #"{"n": 1E5}"#)
        #expect(value(#" { "x\\" : "body" , "bo\u0064y" :"é" } "#) == #""é""#)
        #expect(value(#"{"x": {"body": 1}}"#) == nil)
        #expect(value(#"{"Body": 1}"#) == nil)
    }

    @Test(
        "malformed JSON makes the scan neither hang nor trap",
        arguments: [
            #"{"body""#, #"{"body": "#, #"{"body": "x"#, #"{"body": "x\"#, #"{"body": [[["#,
            #"{"body": ]}"#, #"{"body" 1}"#, #"{body: 1}"#, #"{"list": [1 2]}"#, #"{"list": [,]}"#,
            "{",
        ])
    func broken(_ document: String) {
        _ = elements(document)
        _ = value(document)
    }

    @Test("deep nesting uses no stack")
    func deep() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(elements(#"{"list": [1, \#(deep)]}"#) == [])
        let closed = deep + String(repeating: "]", count: 100_000)
        #expect(elements(#"{"list": [1, \#(closed), 2]}"#).count == 3)
    }

    @Test("omitted parts are replaced by null")
    func frame() {
        let bytes = Array(#"{"a": [1, 2], "b": 3}"#.utf8)
        let ranges = JSONLocator.elements(of: "a", in: bytes)
        #expect(
            String(decoding: JSONLocator.document(bytes, withNullAt: ranges), as: UTF8.self)
                == #"{"a": [null, null], "b": 3}"#)
        #expect(JSONLocator.document(bytes, withNullAt: []) == bytes)
    }
}
