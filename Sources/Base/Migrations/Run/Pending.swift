/// The files that a run would apply, found fit to run.
package struct Pending: Sendable {
    /// The files, in the order in which they run.
    package let files: [MigrationFile]

    /// Takes every file of a folder, as for a database that has none of them.
    init(all folder: MigrationFolder) {
        files = folder.files
    }

    /// Takes the pending files up to a target.
    ///
    /// Throws where applied files have drifted, where there are gaps or files older than what is
    /// applied and that isn't allowed, and where the target is no migration.
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

    /// The files' texts, understood. Throws with every refusal of every file.
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
