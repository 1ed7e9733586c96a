import Postgres
import TestSupport
import Testing

/// Characters removed from texts by `app.trimmed_text` and `app.normalised_name`.
@Suite("The normal form of short texts")
struct ShortTextTests {
    private let house: House
    private let connection: Connection

    init() throws {
        house = try House()
        connection = try house.superuser()
    }

    @Test("white space is removed at both ends, but not inside")
    func trimmed() throws {
        func trimmed(_ text: String) throws -> String {
            try connection.query("SELECT app.trimmed_text(\(text))").scalar(String.self)
        }
        let inside = "true | a\u{200D}b\u{200C}c d"
        for end in [
            " ", "\t", "\n", "\u{A0}", "\u{2003}", "\u{3000}", "\u{2029}",
        ] {
            let found = try [end + inside, inside + end, end + end + inside + end + end].map {
                try trimmed($0)
            }
            #expect(found == [inside, inside, inside], "\(end.unicodeScalars)")
        }
        // Letters of words that a faulty pattern could mistake for classes.
        for text in ["true", "false", "e]", "[t", "|", "]+$", "^["] {
            #expect(try trimmed(text) == text)
        }
        #expect(try trimmed(" \u{2003} ") == "")
    }

    @Test(
        "control characters in a name become one space, the name is cut, and an empty one is null")
    func name() throws {
        func name(_ text: String, _ limit: Int32 = 80) throws -> String? {
            try connection.query("SELECT app.normalised_name(\(text), \(limit))")
                .scalar(String?.self)
        }
        #expect(try name("Ada\u{1}\u{7F}\u{85}\u{2028}Low") == "Ada Low")
        #expect(try name("\u{9}Ada\u{A}") == "Ada")
        // Layout controls are removed without replacement.
        #expect(try name("A\u{202E}d\u{200B}a") == "Ada")
        #expect(try name("Ada Low", 4) == "Ada")
        #expect(try name("true [false]") == "true [false]")
        #expect(try name(" \u{1} \u{200D}") == nil)
    }
}
