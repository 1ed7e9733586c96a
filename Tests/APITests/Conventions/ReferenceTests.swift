import API
import Foundation
import TestSupport
import Testing
import UseCases

@Suite("Generated documents")
struct ReferenceTests {
    /// scripts/update-docs sets this variable.
    private static let isUpdating =
        ProcessInfo.processInfo.environment["HEARTH_TEST_UPDATE_DOCS"] != nil

    @Test(
        "generated documents are up to date; if not, run scripts/update-docs",
        arguments: ["openapi.json", "errors.md", "permissions.md"])
    func upToDate(name: String) throws {
        let made = [
            "openapi.json": Reference.openAPI, "errors.md": Reference.errors,
            "permissions.md": Reference.permissions,
        ]
        let text = try #require(made[name])
        let file = SourceTree.root.appendingPathComponent("docs/\(name)")
        if Self.isUpdating {
            try Data(text.utf8).write(to: file, options: .atomic)
        }
        let kept = try? String(contentsOf: file, encoding: .utf8)
        #expect(kept == text, "docs/\(name) is stale: run scripts/update-docs")
    }

    @Test("docs/operations.md lists every value of the `limit` label of rate-limit refusals")
    func limits() throws {
        let text = try String(
            contentsOf: SourceTree.root.appendingPathComponent("docs/operations.md"),
            encoding: .utf8)
        let row = try #require(
            text.split(separator: "\n").first {
                $0.hasPrefix("| `hearth_rate_limit_refusals_total` |")
            })
        let list = try #require(row.split(separator: "by `limit`: ").last)
        let named = list.split(separator: "`").enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }
        #expect(named == AttemptLimit.allCases.map(\.name) + DatabaseRefusals.limitNames)
    }
}
