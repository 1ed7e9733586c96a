import Foundation
import Testing

/// Every statement of the apps' documents that concerns a server, tested on a running backend.
@Suite("Requirements of the apps for a server", .backend)
struct AppRequirementTests {
    static let documents = [
        FamilyManagement.document, SymmetricFamilies.document, ProfileSwitcher.document,
        TribeBoardDesign.document, TribeBoardRequirements.document,
    ]
    static let requirements = documents.flatMap(\.all)
    static let isWriting = ProcessInfo.processInfo.environment["HEARTH_TEST_UPDATE_DOCS"] != nil
    private static let written = Result { try RequirementTable.writtenRows() }

    @Test("every requirement is met, as docs/apps.md says", arguments: requirements)
    func honoured(_ requirement: AppRequirement) async throws {
        if requirement.isAwaited {
            return await withKnownIssue(isIntermittent: true) {
                _ = try await requirement.transcript()
            }
        }
        let lines = try await requirement.transcript()
        #expect(!lines.isEmpty, "no request was made")
        if Self.isWriting { return }
        let row = RequirementTable.row(requirement, lines)
        let written = try Self.written.get()
        let beginning = RequirementTable.beginning(of: requirement)
        // Concurrent requests may be listed in either order.
        #expect(Self.parts(written["\(requirement.app) \(beginning)"]) == Self.parts(row))
    }

    private static func parts(_ row: String?) -> [String] {
        (row ?? "").components(separatedBy: "<br>").flatMap { $0.components(separatedBy: " | ") }
            .sorted()
    }

    @Test("docs/apps.md has one row for each requirement, and no other")
    func table() async throws {
        if Self.isWriting {
            var rows: [String: String] = [:]
            for requirement in Self.requirements {
                let lines = requirement.isAwaited ? [] : try await requirement.transcript()
                rows[requirement.testDescription] = RequirementTable.row(requirement, lines)
            }
            let page = RequirementTable.page(of: Self.documents) {
                rows[$0.testDescription] ?? ""
            }
            try page.write(to: RequirementTable.file, atomically: true, encoding: .utf8)
        }
        let written = try RequirementTable.writtenRows()
        let page = RequirementTable.page(of: Self.documents) {
            written["\($0.app) \(RequirementTable.beginning(of: $0))"] ?? "missing: \($0)"
        }
        #expect(try String(contentsOf: RequirementTable.file, encoding: .utf8) == page)
        #expect(Set(Self.requirements.map(\.testDescription)).count == Self.requirements.count)
        print(RequirementTable.counts(of: Self.documents))
    }
}
