import CommandLine
import Configuration
import JSON
import Repositories
import UseCases

/// `hearth-admin audit export`: writes the older months of the audit log to a file.
enum AuditExport {
    private static let output = Parameter<String>.requiredOption(
        "output", short: "o", "FILE", .file,
        "The file to write. It must not exist yet. Only you can read it, and it appears when it is "
            + "complete.")

    static let command = Command(
        "export", "Writes the audit log entries from before a given month.",
        discussion: [
            "Writes all of them, oldest first, as a stream to one JSON document. The database "
                + "records the export only when the complete file is on the disk under its final "
                + "name; only entries in a recorded export are dropped. The audit log records the "
                + "start of each export. docs/operations.md describes the format."
        ],
        parameters: [AuditLogMonths.before, output],
        examples: [
            Example(
                "hearth-admin audit export --before 2026-01 --output audit-2025.json",
                "exports the entries until the end of 2025, in UTC")
        ]
    ) { values in
        let month = values[AuditLogMonths.before]
        let session = try values.session()
        let progress = ProgressLine()
        defer { progress.clear() }
        let file = try NewFile(values[output])
        var document = AuditExportDocument { try file.write($0) }
        do {
            try document.begin(before: month)
            try session.exportAuditLog(before: month) { entries in
                try document.add(entries)
                progress.show("\(document.count) entries")
            }
            try document.end()
            try file.commit()
        } catch {
            file.discard()
            throw error
        }
        try session.recordAuditExport(before: month, entries: document.count)
        progress.clear()
        values.output.done("\(document.count) entries exported") {
            $0.member("before", month.description)
            $0.member("entries", document.count)
        }
        return ExitCode.success
    }
}

/// `hearth-admin audit drop`: deletes the older months of the audit log.
enum AuditDrop {
    private static let unexported = Parameter<Bool>.flag(
        "unexported", "Also drop entries that were never exported.")

    static let command = Command(
        "drop", "Drops the audit log entries from before a given month.",
        discussion: [
            "The command is refused unless 'hearth-admin audit export' has exported all of these "
                + "entries. Dropped entries can't be restored. Monthly partitions are dropped at "
                + "once; entries that are older than the first monthly partition are deleted in "
                + "batches. The command may be interrupted at any point and run again.",
            "The worker does the same when HEARTH_KEEP_AUDIT_DAYS is set.",
        ],
        parameters: [AuditLogMonths.before, unexported, Options.yes]
    ) { values in
        let month = values[AuditLogMonths.before]
        let session = try values.session()
        let which = values[unexported] ? "all entries, exported or not," : "all entries"
        try values.confirm(
            "Permanently delete \(which) of the audit log before \(month)?")
        let progress = ProgressLine()
        defer { progress.clear() }
        let dropped = try session.dropAuditLog(before: month, exportedOnly: !values[unexported]) {
            progress.show("\($0) entries")
        }
        progress.clear()
        guard dropped.partitionsInUse.isEmpty else {
            throw PartitionsInUse(names: dropped.partitionsInUse, dropped: dropped.parts)
        }
        values.output.done("\(dropped.parts) partitions and \(dropped.entries) entries dropped") {
            $0.member("before", month.description)
            $0.member("parts", dropped.parts)
            $0.member("entries", dropped.entries)
        }
        return ExitCode.success
    }
}

/// Error when partitions of the audit log could not be dropped, because other sessions locked them
/// for longer than the command waits.
private struct PartitionsInUse: Error, CustomStringConvertible {
    let names: [String]
    /// Number of partitions that were free and are dropped.
    let dropped: Int

    var description: String {
        "\(dropped) partitions dropped; in use, and not dropped: "
            + "\(names.joined(separator: ", ")). Run the command again."
    }
}

/// The months that commands for the audit log take.
enum AuditLogMonths {
    static let before = Parameter<AuditLogMonth>.requiredOption(
        "before", "MONTH",
        Expectation("a year and a month, such as 2026-03") { AuditLogMonth($0) },
        "Only entries from before this month, in UTC. The previous month must have ended at "
            + "least an hour ago."
    )
}
