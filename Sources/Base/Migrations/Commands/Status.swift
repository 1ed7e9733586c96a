package import JSON
package import Postgres

/// Output of `status`: every migration of the ledger and of the folder, and how they differ.
package struct Status: Sendable {
    /// The database's name.
    package let database: String
    /// The schema of the ledger.
    package let ledgerSchema: String
    /// The comparison of folder and database.
    package let state: FolderState

    /// The comparison of the repeatable files and the database.
    package let repeatable: RepeatableState

    /// Reads the status without changing anything.
    package static func read(
        _ settings: ConnectionSettings, _ folder: MigrationFolder
    ) throws(MigrationError) -> Status {
        let session = try Session(
            settings, folder.configuration, RunLimits(), purpose: "status")
        return Status(
            database: session.database, ledgerSchema: folder.configuration.ledgerSchema,
            state: try FolderState.read(session, folder).state,
            repeatable: try RepeatableState.read(session, folder))
    }

    /// 0 if there is nothing to do, 3 if something is pending, 4 if something has drifted.
    package var exitCode: Int32 {
        if state.drift(countsCosmetic: true) != nil { return MigrationError.Code.drift.exitCode }
        if repeatable.drift(countsAbandoned: true) != nil {
            return MigrationError.Code.drift.exitCode
        }
        let isPending = !state.comparison.pending.isEmpty || repeatable.isPending
        return isPending ? MigrationError.Code.pending.exitCode : 0
    }

    /// A table for people, and a line that sums it up.
    package var lines: [String] {
        let comparison = state.comparison
        var rows = comparison.applied.map { migration in
            [
                migration.entry.fileName, "applied", migration.entry.appliedAt,
                milliseconds(migration.entry), remark(migration),
            ]
        }
        rows += comparison.pending.map { file in
            let done = state.unfinished[file.version]
            let late = comparison.outOfOrder.contains { $0.version == file.version }
            let remark =
                done.map { "interrupted after \($0) statements" } ?? (late ? "out of order" : "")
            return [file.fileName, "pending", "", "", remark]
        }
        rows += repeatable.rows
        let sum = "\(comparison.applied.count) applied, \(comparison.pending.count) pending"
        let more =
            repeatable.files.isEmpty
            ? "" : "; \(repeatable.files.count) repeatable, \(repeatable.due.count) to be applied"
        return TextTable(["migration", "state", "at", "took", ""], rows).lines
            + repeatable.abandonedLines + [sum + more]
    }

    private func milliseconds(_ entry: LedgerEntry) -> String {
        entry.kind == .baseline ? "baseline" : (entry.durationMilliseconds / 1000).shortSeconds
    }

    private func remark(_ migration: Comparison.Applied) -> String {
        migration.differences.map { difference in
            switch difference {
            case .edited:
                state.edits[migration.entry.version]?.isCosmetic == true
                    ? "edited (cosmetic)" : "edited"
            case .renamed: "renamed to \(migration.file?.fileName ?? "")"
            case .renumbered(let new): "renumbered to \(new)"
            case .missing: "file missing"
            }
        }.joined(separator: ", ")
    }
}

extension Status {
    /// The status as JSON for programs.
    ///
    /// `{"database", "ledgerSchema", "applied": [{"version", "name", "file", "checksum", "kind",
    /// "appliedAt", "appliedBy", "durationMs", "differences": []}], "pending": [{"version", "name",
    /// "file", "checksum", "outOfOrder", "statementsDone"}], "repeatable": {"files": [{"name",
    /// "file", "checksum", "state", "reason", "appliedChecksum", "appliedAt", "appliedBy",
    /// "durationMs"}], "altered": [{"object", "file", "found"}], "abandoned": []}}`
    package var json: JSONValue {
        [
            "database": .string(database), "ledgerSchema": .string(ledgerSchema),
            "applied": .array(state.comparison.applied.map(json)),
            "pending": .array(state.comparison.pending.map(json)),
            "repeatable": repeatable.json,
        ]
    }

    private func json(_ migration: Comparison.Applied) -> JSONValue {
        let entry = migration.entry
        return [
            "version": .integer(entry.version.number), "name": .string(entry.name),
            "file": .string(migration.file?.fileName ?? entry.fileName),
            "checksum": .string(entry.checksum), "kind": .string(entry.kind.rawValue),
            "appliedAt": .string(entry.appliedAt), "appliedBy": .string(entry.appliedBy),
            "durationMs": .number(entry.durationMilliseconds),
            "differences": .array(
                migration.differences.map { difference in
                    switch difference {
                    case .edited:
                        state.edits[entry.version]?.isCosmetic == true ? "cosmetic" : "edited"
                    case .renamed: "renamed"
                    case .renumbered: "renumbered"
                    case .missing: "missing"
                    }
                }),
        ]
    }

    private func json(_ file: MigrationFile) -> JSONValue {
        let late = state.comparison.outOfOrder.contains { $0.version == file.version }
        return [
            "version": .integer(file.version.number), "name": .string(file.name),
            "file": .string(file.fileName), "checksum": .string(file.checksum.hex),
            "outOfOrder": .bool(late),
            "statementsDone": state.unfinished[file.version].map { .integer(Int64($0)) }
                ?? .null,
        ]
    }
}
