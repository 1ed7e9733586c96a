/// Comparison of a folder and a database, the first step of every command.
package struct FolderState: Sendable {
    /// The comparison of folder and ledger.
    package let comparison: Comparison
    /// Number of completed statements of each no-transaction file that was begun and not finished.
    package let unfinished: [MigrationVersion: Int]
    /// Applied migrations whose text was edited, with the difference.
    package let edits: [MigrationVersion: Edit]

    /// Difference between a file and what was applied.
    package struct Edit: Sendable {
        /// Whether only comments and layout differ.
        package let isCosmetic: Bool
        /// The difference in the format of `diff -u`.
        package let diff: [String]
    }

    /// Reads the state without changing anything.
    static func read(
        _ session: Session, _ folder: MigrationFolder
    ) throws(MigrationError) -> (state: FolderState, journal: [MigrationVersion: [Journal.Entry]]) {
        let ledger = Ledger(session)
        let isThere = try ledger.exists()
        let comparison = Comparison(
            files: folder.files, ledger: isThere ? try ledger.entries() : [])
        let journal = isThere ? try Journal(session).entries() : [:]
        let edited = comparison.applied.filter { $0.differences.contains(.edited) }
        let sources = try ledger.sources(of: edited.map(\.entry.version))
        var edits: [MigrationVersion: Edit] = [:]
        for migration in edited {
            guard let file = migration.file, let source = sources[file.version] else { continue }
            edits[file.version] = edit(from: source, to: file)
        }
        let state = FolderState(
            comparison: comparison, unfinished: journal.mapValues { $0.count(where: \.isDone) },
            edits: edits)
        return (state, journal)
    }

    private static func edit(from source: String, to file: MigrationFile) -> Edit {
        guard let old = try? SourceText(source) else {
            return Edit(isCosmetic: false, diff: ["the ledger's text is not readable"])
        }
        let diff = LineDiff(from: old, to: file.text)
            .unified(oldName: "\(file.fileName) as applied", newName: "\(file.fileName) now")
        // A text that is no longer a valid script differs in more than its layout.
        guard let before = try? Script(old), let after = try? Script(file.text) else {
            return Edit(isCosmetic: false, diff: diff)
        }
        return Edit(isCosmetic: before.canonical == after.canonical, diff: diff)
    }

    /// The edited files in which only comments and layout differ.
    package var cosmetic: [Comparison.Applied] {
        comparison.applied.filter { edits[$0.entry.version]?.isCosmetic == true }
    }

    /// Differences of the applied migrations, including changes of comments and layout, one line or
    /// diff each.
    var differences: [String] {
        comparison.applied.flatMap { explanation(of: $0, countsCosmetic: true) }
    }

    /// Error for a database that was created from other files: some of its migrations are missing
    /// in the folder, and all others were edited, at least one of them not only in its comments or
    /// layout. Nil for any other database.
    var otherFiles: MigrationError? {
        let applied = comparison.applied
        let missing = applied.filter { $0.differences == [.missing] }
        let edited = applied.filter { $0.differences.contains(.edited) }
        guard !missing.isEmpty, edited.count > cosmetic.count,
            missing.count + edited.count == applied.count
        else { return nil }
        return MigrationError(
            .drift,
            "none of the \(applied.count) applied migrations is in the folder as it was applied",
            details: [
                "The database was made from other files: from earlier ones, which were rewritten "
                    + "since, or from another folder.",
                "These files can't upgrade it. Make a new database, or name the folder "
                    + "that this one was made from with --dir.",
            ])
    }

    /// Returns drift of the applied migrations, one line or diff each; nil if there is none.
    ///
    /// - Parameter countsCosmetic: Whether changes of comments and layout count as drift too.
    package func drift(countsCosmetic: Bool) -> MigrationError? {
        var lines: [String] = []
        var count = 0
        for migration in comparison.applied {
            let found = explanation(of: migration, countsCosmetic: countsCosmetic)
            count += found.isEmpty ? 0 : 1
            lines += found
        }
        guard count > 0 else { return nil }
        if let otherFiles { return otherFiles }
        let headline =
            count == 1 ? "1 applied migration differs" : "\(count) applied migrations differ"
        return MigrationError(
            .drift, "\(headline) from the folder",
            details: lines + remedies(countsCosmetic: countsCosmetic))
    }

    /// Returns advice for each kind of difference that was found.
    private func remedies(countsCosmetic: Bool) -> [String] {
        let differing = comparison.applied.filter {
            !explanation(of: $0, countsCosmetic: countsCosmetic).isEmpty
        }
        let isMissing = { (migration: Comparison.Applied) in migration.differences == [.missing] }
        var remedies: [String] = []
        if differing.contains(where: { !isMissing($0) }) {
            remedies.append(
                "Applied files must not change: restore them, or run `hearth-migrate repair` to "
                    + "record them as they are.")
        }
        if differing.contains(where: isMissing) {
            remedies.append(
                "Put missing files back, or run `hearth-migrate repair --restore` to write them "
                    + "from the ledger, as they were applied.")
        }
        return remedies
    }

    private func explanation(
        of migration: Comparison.Applied, countsCosmetic: Bool
    ) -> [String] {
        migration.differences.flatMap { difference -> [String] in
            let name = migration.entry.fileName
            switch difference {
            case .missing: return ["\(name): applied, but missing in the folder"]
            case .renumbered(let new): return ["\(name): applied, but now it is \(new)"]
            case .renamed:
                return ["\(name): applied, but now it is \(migration.file?.fileName ?? "")"]
            case .edited:
                guard let edit = edits[migration.entry.version] else {
                    return ["\(name): edited after it was applied"]
                }
                if edit.isCosmetic && !countsCosmetic { return [] }
                let kind = edit.isCosmetic ? " (cosmetic: only comments or layout differ)" : ""
                return ["\(name): edited after it was applied\(kind)"] + edit.diff
            }
        }
    }
}
