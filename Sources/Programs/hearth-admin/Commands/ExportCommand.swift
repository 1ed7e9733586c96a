import JSON
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin export`: everything that is known of a family.
enum ExportCommand {
    private static let output = Parameter<String?>.option(
        "output", short: "o", "FILE", .file,
        "Where to; standard output without it. The file must not exist, and only you can read it; "
            + "it appears once it is whole.")

    static let command = Command(
        "export", "Writes everything that is known of a family as one JSON document.",
        discussion: [
            "As of one moment, and bit by bit: any size will do. No code, token or key is in it. "
                + "It holds the members' preferences, which nobody else may read: so the audit "
                + "trail tells that it was begun. docs/operations.md tells the format."
        ],
        parameters: [Options.family, output]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let toTerminal = values[output] == nil && Terminal.standardOutput.isTerminal
        // Where the document itself is being read, nothing may stand in it.
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
            try file?.keep()
        } catch {
            // A part of a document is none.
            file?.discard()
            throw error
        }
        return ExitCode.success
    }
}
