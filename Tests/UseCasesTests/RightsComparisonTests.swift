import Testing
import UseCases

@Suite("Comparing roles and rights")
struct RightsComparisonTests {
    private let expected = """
        # A comment.
        server 15
        definition policy p on t using a check b
        grant SELECT on t to r
        role r login inherit
        """

    @Test("equal lists, in any order, do not differ")
    func equal() {
        let found = [
            "role r login inherit", "server 15", "grant SELECT on t to r",
            "definition policy p on t using a check b",
        ]
        let comparison = RightsComparison(expected: expected, found: found)
        #expect(comparison.missing.isEmpty && comparison.surplus.isEmpty)
    }

    @Test("what is missing and what is surplus are told apart")
    func different() {
        let found = [
            "server 15", "definition policy p on t using true check b", "role r login inherit",
            "grant INSERT on t to r",
        ]
        let comparison = RightsComparison(expected: expected, found: found)
        #expect(
            comparison.missing == [
                "definition policy p on t using a check b", "grant SELECT on t to r",
            ])
        #expect(
            comparison.surplus == [
                "definition policy p on t using true check b", "grant INSERT on t to r",
            ])
    }

    @Test("definitions are compared within one major version only")
    func versions() {
        let found = [
            "server 16", "definition policy p on t using other check b", "role r login inherit",
        ]
        let comparison = RightsComparison(expected: expected, found: found)
        #expect(comparison.missing == ["grant SELECT on t to r"])
        #expect(comparison.surplus.isEmpty)
    }
}
