/// Migrations of a folder: all its `NNNN_name.sql` files, ordered by version.
package struct MigrationFolder: Sendable {
    /// The path from which the folder was read.
    package let path: String
    /// The migrations, ordered by version.
    package let files: [MigrationFile]
    /// The folder's configuration.
    package let configuration: FolderConfiguration
    /// The folder's repeatable files; nil if it has none.
    package let repeatable: RepeatableFolder?
    /// Down migrations, which never run: `NNNN_name.down.sql` and the like.
    package let downMigrations: [String]

    /// Reads a folder.
    ///
    /// Files that don't end in `.sql`, in any letter case, and files whose names begin with a dot
    /// are ignored. A file that ends in `.sql` but isn't named like a migration is an error,
    /// because its author expects it to run.
    package init(path: String) throws(MigrationError) {
        let entries = try FileSystem.names(in: path).filter { !$0.hasPrefix(".") }
        let isSQL = { (name: String) in name.lowercased().hasSuffix(".sql") }
        configuration = try FolderConfiguration.read(folder: path)
        repeatable = try RepeatableFolder.read(of: path, configuration)
        if repeatable == nil { try MigrationFolder.refuseFolderOfAnotherTool(path, entries) }
        let isSqitch = FileSystem.exists(path + "/../sqitch.plan")
        downMigrations = entries.filter(OtherToolFile.isDownMigration)
        var unexpectedFiles: [String] = []
        var refusals: [RefusedStatement] = []
        var found: [MigrationFile] = []
        for name in entries where !OtherToolFile.isDownMigration(name) {
            guard isSQL(name), let parts = MigrationFileName(name) else {
                let remedy = OtherToolFile.remedy(name, isSqitch: isSqitch)
                if let remedy { unexpectedFiles.append("\(name): \(remedy)") }
                if remedy == nil, isSQL(name) { unexpectedFiles.append(name) }
                continue
            }
            let raw = try FileSystem.read(path + "/" + name)
            do {
                found.append(MigrationFile(name, parts, text: try SourceText(raw: raw)))
            } catch {
                let rule = error.kind.rule
                refusals.append(RefusedStatement(rule, file: name, line: error.line))
            }
        }
        self.path = path
        files = found.sorted { ($0.version, $0.fileName) < ($1.version, $1.fileName) }
        if !unexpectedFiles.isEmpty { throw .strayFiles(unexpectedFiles) }
        if !refusals.isEmpty { throw .refused(refusals) }
        let duplicates = zip(files, files.dropFirst()).filter { $0.version == $1.version }
        if !duplicates.isEmpty {
            throw .sameVersion(duplicates.map { [$0.fileName, $1.fileName] })
        }
    }

    /// Refuses the folder of another tool. Its SQL may be in subfolders, so that there would seem
    /// to be nothing to do.
    private static func refuseFolderOfAnotherTool(
        _ path: String, _ entries: [String]
    ) throws(MigrationError) {
        if entries.contains("sqitch.plan") {
            throw MigrationError(
                .folder, "\(path) is a folder of Sqitch, whose plan is not supported",
                details: [
                    "sqitch.plan: copy the scripts of `deploy` to a folder of their own, numbered "
                        + "in the plan's order, without BEGIN and COMMIT."
                ])
        }
        if entries.contains(where: { $0.hasSuffix(".sql") }) { return }
        var subfolders: [String] = []
        for name in entries where FileSystem.isFolder(path + "/" + name) {
            let names = try FileSystem.names(in: path + "/" + name)
            if names.contains(where: { $0.hasSuffix(".sql") }) { subfolders.append(name) }
        }
        if subfolders.isEmpty { return }
        throw MigrationError(
            .folder, "\(path) has no migrations, but folders below it hold SQL",
            details: subfolders + ["Name that folder, or copy the files here as NNNN_name.sql."])
    }

    /// Ranges of versions that are missing between the first and the last file. Versions that are
    /// dates leave no gaps.
    package var gaps: [ClosedRange<Int64>] {
        zip(files, files.dropFirst()).compactMap { before, after in
            guard !after.version.isDate, after.version.number > before.version.number + 1 else {
                return nil
            }
            return (before.version.number + 1)...(after.version.number - 1)
        }
    }
}
