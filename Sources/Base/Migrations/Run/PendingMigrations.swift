/// The files that a run would apply, checked to be runnable.
package struct PendingMigrations: Sendable {
    /// The files, in the order in which they run.
    package let files: [MigrationFile]

    /// Selects every file of a folder, as for an empty database.
    init(all folder: MigrationFolder) {
        files = folder.files
    }

    /// Selects the pending files up to a target.
    ///
    /// Throws if applied files have drifted, if there are gaps or files older than an applied one
    /// and that isn't allowed, or if the target is not a migration.
    package init(
        _ state: FolderState, _ folder: MigrationFolder, target: MigrationVersion?,
        allowsOutOfOrder: Bool
    ) throws(MigrationError) {
        if let drift = state.drift(countsCosmetic: false) { throw drift }
        if !allowsOutOfOrder {
            let gaps = folder.gaps
            if !gaps.isEmpty { throw .gaps(gaps) }
            let late = state.comparison.outOfOrder
            if !late.isEmpty, let newest = state.comparison.applied.last {
                throw .outOfOrder(late.map(\.fileName), newest: newest.entry.fileName)
            }
        }
        if let target {
            let isKnown =
                folder.files.contains { $0.version == target }
                || state.comparison.applied.contains { $0.entry.version == target }
            guard isKnown else { throw MigrationError(.usage, "there is no migration \(target)") }
        }
        files = state.comparison.pending.filter { file in
            target.map { file.version <= $0 } ?? true
        }
    }

    /// Parses the files' texts. Throws with every refusal of every file.
    package func scripts(serverMajorVersion: Int?) throws(MigrationError) -> [Script] {
        var refusals: [RefusedStatement] = []
        var scripts: [Script] = []
        for file in files {
            do {
                let script = try file.script()
                refusals += Refusals.found(
                    in: script, file: file.fileName, serverMajorVersion: serverMajorVersion)
                scripts.append(script)
            } catch {
                refusals += error.refusals
            }
        }
        if !refusals.isEmpty { throw .refused(refusals) }
        return scripts
    }
}
