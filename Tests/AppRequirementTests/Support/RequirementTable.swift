import Foundation
import TestSupport

/// The table of all statements, `docs/apps.md`.
enum RequirementTable {
    static let file = SourceTree.root.appendingPathComponent("docs/apps.md")

    private static let introduction = """
        # What the apps require of a server

        Hearth serves three apps as their documents describe them: Recruiting Compass (a page \
        specification and a plan), Family Movie Night (a user interface specification) and \
        TribeBoard (a design and its requirements). Each statement that concerns a server is a \
        test in `Tests/AppRequirementTests`, which sends the requests and checks the responses \
        over HTTP, with hearth-api and hearth-worker as separate processes. Statements about \
        screens and storage alone are listed at the end of each document's part, with the \
        reason why no server can meet them.

        The tests write this page: `HEARTH_TEST_UPDATE_DOCS=yes scripts/test --filter \
        AppRequirementTests` rewrites it. Without the variable, the same command compares the \
        page with the results and prints the counts.

        """

    /// The numbers of requirements, which the command prints as well.
    static func counts(of documents: [AppDocument]) -> String {
        let rows = documents.map { document in
            "| \(document.name) | \(document.requirements.count) "
                + "| \(document.all.count(where: \.isAwaited)) | \(document.onTheDevice.count) |"
        }
        let all = documents.reduce(0) { $0 + $1.requirements.count }
        let awaited = documents.flatMap(\.all).count(where: \.isAwaited)
        let onDevices = documents.reduce(0) { $0 + $1.onTheDevice.count }
        return """
            | document | tested statements for a server | not met yet | left to the device |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))
            | all | \(all) | \(awaited) | \(onDevices) |

            """
    }

    /// The whole page; `row` returns the requests and responses of a requirement.
    static func page(
        of documents: [AppDocument], row: (AppRequirement) -> String
    ) -> String {
        let parts = documents.map { document in
            let rows = document.all.map(row).joined(separator: "\n")
            let matters = document.onTheDevice.map {
                "| \(escaped($0.section)) | \(escaped($0.matter)) | \(escaped($0.reason)) |"
            }
            return """
                ## \(document.name)

                | where | statement | requests | responses |
                |---|---|---|---|
                \(rows)

                Left to the device:

                | where | what | why |
                |---|---|---|
                \(matters.joined(separator: "\n"))

                """
        }
        return ([introduction, counts(of: documents)] + parts).joined(separator: "\n")
    }

    /// A row of the table.
    static func row(_ requirement: AppRequirement, _ lines: [Transcript.Line]) -> String {
        let requests = lines.map { "`\($0.request)`" }.joined(separator: "<br>")
        let answers = lines.map { escaped($0.answer) }.joined(separator: "<br>")
        if requirement.isAwaited { return beginning(of: requirement) + " not yet | not yet |" }
        return beginning(of: requirement) + " \(requests) | \(answers) |"
    }

    /// The beginning of a requirement's row, which does not depend on the responses.
    static func beginning(of requirement: AppRequirement) -> String {
        let place = escaped(requirement.requirement.section)
        return "| \(place) | \(escaped(requirement.requirement.statement)) |"
    }

    /// The rows of the current page, by the first columns of each row.
    static func writtenRows() throws -> [String: String] {
        var rows: [String: String] = [:]
        var part = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") { part = String(line.dropFirst(3)) }
            let cells = line.split(separator: " | ", maxSplits: 2)
            if cells.count == 3 { rows["\(part) \(cells[0]) | \(cells[1]) |"] = String(line) }
        }
        return rows
    }

    private static func escaped(_ text: String) -> String { text.replacing("|", with: "\\|") }
}
