import API
import Foundation
import TestSupport
import Testing

@Suite("Documents that are made from declarations")
struct ReferenceTests {
    /// scripts/update-docs sets it.
    private static let isUpdating =
        ProcessInfo.processInfo.environment["HEARTH_TEST_UPDATE_DOCS"] != nil

    @Test(
        "they are as the declarations say; if not, run scripts/update-docs",
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
}
