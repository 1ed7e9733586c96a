import Domain
import Testing

@Suite("Language tags")
struct LanguageTagTests {
    @Test(
        "a language tag has one normal form",
        arguments: [
            ("es", "es"), ("ES-mx", "es-MX"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
            ("sl-ROZAJ-biske", "sl-rozaj-biske"), ("de-U-CO-phonebk", "de-u-co-phonebk"),
            ("ast", "ast"),
        ])
    func form(given: String, expected: String) {
        #expect(LanguageTag(given)?.text == expected)
    }

    @Test(
        "a malformed language tag is refused",
        arguments: [
            "", "e", "espa", "es-", "-es", "es--mx", "es_MX", "es-abcdefghi", "e1", "es mx", "*",
            "es\n", "és", "es-\u{661}2", "../es", "es/..",
            String(repeating: "es-", count: 12) + "es",
        ])
    func refused(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test("the lineage of a language tag leads from the variety to the language")
    func lineage() throws {
        let tag = try #require(LanguageTag("zh-Hant-TW"))
        #expect(tag.lineage.map(\.text) == ["zh-Hant-TW", "zh-Hant", "zh"])
        let long = try #require(LanguageTag("de-u-co-phonebk"))
        #expect(long.lineage.map(\.text) == ["de-u-co-phonebk", "de-u-co", "de"])
        #expect(try #require(LanguageTag("es-MX")).ownLanguage == .spanish)
        #expect(long.ownLanguage == nil)
    }

    @Test(
        "the supported language that a request prefers is selected",
        arguments: [
            ("es-mx, en;q=0.5", "es-MX"), ("de, es;q=0.1", "es"), ("ca, es;q=0.9, en;q=0.8", "es"),
            ("pt, pt-BR;q=0.9", "pt-BR"), ("pt-br-x-y, en", "pt-BR-x-y"), ("de", nil), ("*", nil),
            (nil, nil), ("", nil), ("es;q=0, en;q=0", nil), ("en;q=0.2, es;q=0.3", "es"),
        ])
    func wanted(header: String?, expected: String?) throws {
        let languages = SupportedLanguages(further: [try #require(LanguageTag("pt-BR"))])
        #expect(languages.wanted(by: header)?.text == expected)
    }

    @Test("a supported language matches its varieties, and all are listed by their tags")
    func matched() throws {
        let languages = SupportedLanguages(further: [try #require(LanguageTag("pt-BR"))])
        #expect(languages.all.map(\.text) == ["en", "es", "pt-BR"])
        let expected: [(String, String?)] = [
            ("es-MX", "es"), ("pt-BR", "pt-BR"), ("pt", nil), ("de", nil),
        ]
        for (text, match) in expected {
            let tag = try #require(LanguageTag(text))
            #expect(languages.match(tag)?.text == match, "\(text)")
        }
    }
}
