import JSON
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin export`: exports all data of a family.
enum ExportCommand {
    private static let output = Parameter<String?>.option(
        "output", short: "o", "FILE", .file,
        "The file to write; default: standard output. It must not exist yet. Only you can read it, "
            + "and it appears when it is complete.")

    static let command = Command(
        "export", "Writes all data of a family as one JSON document.",
        discussion: [
            "The document is a consistent snapshot. It is written as a stream, so the family may "
                + "have any size. No code, token or key is included. Members' preferences are "
                + "included, which operators can't read otherwise, so the audit log records the "
                + "start of each export. docs/operations.md describes the format."
        ],
        parameters: [Options.family, output]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let toTerminal = values[output] == nil && Terminal.standardOutput.isTerminal
        // A progress line must not appear in the document itself.
        let progress = toTerminal ? .silent : ProgressLine()
        defer { progress.clear() }
        let file = try values[output].map { try NewFile($0) }
        var document = ExportDocument { bytes in
            if let file {
                try file.write(bytes)
            } else if !Terminal.standardOutput.write(bytes) {
                throw WriteError("standard output", reason: Terminal.lostOutput)
            }
        }
        do {
            try session.export(family) { piece in
                try document.add(piece)
                progress.show("\(family.name): \(document.count) rows")
            }
            try document.end()
            try file?.commit()
        } catch {
            // An incomplete document is useless.
            file?.discard()
            throw error
        }
        return ExitCode.success
    }
}
