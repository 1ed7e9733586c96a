import Domain
import Testing

@Suite("Languages")
struct LanguageTests {
    @Test(
        "the available language that the browser prefers is selected",
        arguments: [
            ("es", Language.spanish), ("ES-mx", .spanish), ("en-GB, es;q=0.9", .english),
            ("es;q=0.9, en;q=0.95", .english), ("de, es;q=0.1", .spanish), ("de", .english),
            ("", .english), ("*", .english), ("de, *;q=0.5, es;q=0.7", .spanish),
            ("es;q=0", .english), ("es;q=0.000, de", .english), ("es ; q=1.000", .spanish),
            ("es;q=nan", .english), ("es;q=2", .english), ("es;q=0.1234", .english),
            ("est, eslang", .english), ("es;level=1;q=0.5", .english), (",,, es ,", .spanish),
        ])
    func accepted(header: String, expected: Language) {
        #expect(Language(accepted: header) == expected)
    }

    @Test("English is the default without a header, and a very long header is not read to its end")
    func bounds() {
        #expect(Language(accepted: nil) == .english)
        let long = String(repeating: "de,", count: 5_000) + "es"
        #expect(Language(accepted: long) == .english)
    }
}
