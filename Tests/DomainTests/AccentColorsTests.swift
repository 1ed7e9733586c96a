import Domain
import Testing

@Suite("Accent colours")
struct AccentColorsTests {
    @Test("a single colour is lightened for dark pages until it can be read")
    func one() throws {
        let colors = try AccentColors("#1D5F8A")
        #expect(colors.light.hex == "#1d5f8a" && colors.dark.hex != "#1d5f8a")
        #expect(AccentColors.problems("#1d5f8a,\(colors.dark.hex)") == [])
        // Hearth's own colours.
        let own = try AccentColors("#b3471d, #f08a4b")
        #expect(own.light.hex == "#b3471d" && own.dark.hex == "#f08a4b")
        #expect(AccentColors.problems("#000000,#ffffff") == [])
    }

    @Test("a contrast below 4.5 is refused, and the nearest sufficient colour is named")
    func contrast() throws {
        let problems = AccentColors.problems("#f0a030,#303030")
        #expect(problems.count == 2)
        #expect(problems.first?.hasPrefix("#f0a030 has a contrast of 2.1 on light pages") == true)
        #expect(problems.last?.contains("on dark pages, expected at least 4.5") == true)
        for problem in problems {
            let better = try #require(problem.firstMatch(of: /(#[0-9a-f]{6}) would do$/)?.1)
            let isLight = problem.contains("light pages")
            let text = isLight ? "\(better)" : "#000000,\(better)"
            #expect(AccentColors.problems(text) == [], "\(problem)")
        }
        #expect(AccentColors.problems("#777777") != [], "4.48 on white")
    }

    @Test(
        "a text that is not a colour is refused",
        arguments: ["", "red", "#fff", "#12345g", "#1d5f8a,#1d5f8a,#1d5f8a", "#+12345", "1d5f8a0"])
    func malformed(_ text: String) {
        #expect(AccentColors.problems(text) == ["expected a colour such as #1d5f8a, or two"])
    }
}
