import Testing

@testable import Configuration

@Suite("Suggestions for misspelt words")
struct SuggestionTests {
    @Test(
        "the edit distance counts insertions, deletions, replacements and swaps",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("abc", "ab", 1),
            ("ab", "abc", 1), ("kitten", "sitting", 3), ("", "abc", 3),
        ])
    func distance(a: String, b: String, expected: Int) {
        #expect(editDistance(Array(a), Array(b)) == expected)
    }

    @Test("an abbreviation that fits several words suggests none of them")
    func ambiguous() {
        #expect(nearest(to: "re", among: ["remove", "rename"]) == nil)
        #expect(nearest(to: "rem", among: ["remove", "rename"]) == "remove")
    }
}
