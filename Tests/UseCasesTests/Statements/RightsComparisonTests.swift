import Testing
import UseCases

@Suite("Comparing roles and rights")
struct RightsComparisonTests {
    private let expected = """
        # A comment.
        schema s owner o
        grant SELECT on t to r
        role r login inherit
        """

    @Test("equal lists in any order have no differences")
    func equal() {
        let found = [
            "role r login inherit", "grant SELECT on t to r", "schema s owner o",
        ]
        let comparison = RightsComparison(expected: expected, found: found)
        #expect(comparison.missing.isEmpty && comparison.surplus.isEmpty)
    }

    @Test("missing and surplus lines are reported separately")
    func different() {
        let found = [
            "role r login inherit", "grant INSERT on t to r", "member a of b",
        ]
        let comparison = RightsComparison(expected: expected, found: found)
        #expect(
            comparison.missing == ["grant SELECT on t to r", "schema s owner o"])
        #expect(
            comparison.surplus == ["grant INSERT on t to r", "member a of b"])
    }

    @Test("a difference in column grants reports only the columns that differ")
    func columns() {
        let comparison = RightsComparison(
            expected: """
                grant SELECT (a, b, c) on t to r
                grant UPDATE (a) on t to r
                """,
            found: ["grant SELECT (b, c, d, e) on t to r"])
        #expect(
            comparison.missing == ["grant SELECT (a) on t to r", "grant UPDATE (a) on t to r"])
        #expect(comparison.surplus == ["grant SELECT (d, e) on t to r"])
    }

    @Test("revoking a grant on the whole table reports the column grants lost with it")
    func wholeTable() {
        let comparison = RightsComparison(
            expected: "grant SELECT (a, b) on t to r",
            found: ["grant SELECT (a, b) on t to r", "grant SELECT on t to r"])
        #expect(comparison.missing.isEmpty)
        #expect(comparison.surplus == ["grant SELECT on t to r"])
        let lost = comparison.columnGrantLost(byRevoking: "grant SELECT on t to r")
        #expect(lost == "grant SELECT (a, b) on t to r")
        #expect(comparison.columnGrantLost(byRevoking: "grant SELECT on u to r") == nil)
    }

    @Test("a table that differs is one finding, and missing row-level security comes first")
    func tables() {
        let comparison = RightsComparison(
            expected: """
                table a owner o secured forced
                table b owner o secured forced
                table c owner o secured
                """,
            found: ["table a owner p secured forced", "table b owner o forced"])
        #expect(
            comparison.changes.map(\.found)
                == ["table b owner o forced", "table a owner p secured forced"])
        #expect(comparison.changes.map(\.expected).first == "table b owner o secured forced")
        #expect(comparison.missing == ["table c owner o secured"])
        #expect(comparison.surplus.isEmpty)
    }

    @Test("another owner or other attributes of a role are one finding")
    func owners() {
        let comparison = RightsComparison(
            expected: expected, found: ["schema s owner p", "role r superuser login inherit"])
        #expect(
            comparison.changes.map(\.found) == [
                "role r superuser login inherit", "schema s owner p",
            ])
        #expect(comparison.missing == ["grant SELECT on t to r"])
        #expect(comparison.surplus.isEmpty)
    }
}
