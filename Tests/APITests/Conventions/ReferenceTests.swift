import Foundation
import TestSupport
import Testing
import UseCases

@testable import API

@Suite("Generated documents")
struct ReferenceTests {
    /// scripts/update-docs sets this variable.
    private static let isUpdating =
        ProcessInfo.processInfo.environment["HEARTH_TEST_UPDATE_DOCS"] != nil

    private static let clientSentences =
        "Sources/Client/HearthClient/Errors/ErrorSentences+English.swift"

    @Test(
        "generated documents are up to date; if not, run scripts/update-docs",
        arguments: [
            "clients/typescript/src/api.ts", "docs/errors.md", "docs/openapi.json",
            "docs/permissions.md", clientSentences,
        ])
    func upToDate(path: String) throws {
        let made = [
            "clients/typescript/src/api.ts": Reference.typeScriptDeclarations,
            "docs/openapi.json": Reference.openAPI, "docs/errors.md": Reference.errors,
            "docs/permissions.md": Reference.permissions,
            Self.clientSentences: Reference.clientSentences,
        ]
        let text = try #require(made[path])
        let file = SourceTree.root.appendingPathComponent(path)
        if Self.isUpdating {
            try Data(text.utf8).write(to: file, options: .atomic)
        }
        let kept = try? String(contentsOf: file, encoding: .utf8)
        #expect(kept == text, "\(path) is stale: run scripts/update-docs")
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
