/// The migrations of a folder: all its `NNNN_name.sql` files, in the order of their versions.
package struct MigrationFolder: Sendable {
    /// The path that it was read from.
    package let path: String
    /// Its migrations, in the order of their versions.
    package let files: [MigrationFile]
    /// What its configuration file says.
    package let configuration: FolderConfiguration

    /// Reads a folder.
    ///
    /// Files that don't end in `.sql`, in any case of letters, and those whose names begin with a
    /// dot, are none of the runner's business. A file that does end so but isn't named like a
    /// migration is an error: whoever wrote it believes that it runs.
    package init(path: String) throws(MigrationError) {
        let names = try FileSystem.names(in: path).filter {
            $0.lowercased().hasSuffix(".sql") && !$0.hasPrefix(".")
        }
        configuration = try FolderConfiguration.read(folder: path)
        var strays: [String] = []
        var refusals: [Refusal] = []
        var found: [MigrationFile] = []
        for name in names {
            guard let parts = MigrationFileName(name) else {
                strays.append(name)
                continue
            }
            let raw = try FileSystem.read(path + "/" + name)
            do {
                found.append(MigrationFile(name, parts, text: try SourceText(raw: raw)))
            } catch {
                let rule: RefusalRule = error.kind == .nulByte ? .nulByte : .notUTF8
                refusals.append(Refusal(rule, file: name, line: error.line))
            }
        }
        self.path = path
        files = found.sorted { ($0.version, $0.fileName) < ($1.version, $1.fileName) }
        if !strays.isEmpty { throw .strayFiles(strays.sorted()) }
        if !refusals.isEmpty { throw .refused(refusals) }
        let doubles = zip(files, files.dropFirst()).filter { $0.version == $1.version }
        if !doubles.isEmpty { throw .sameVersion(doubles.map { [$0.fileName, $1.fileName] }) }
    }

    /// The versions that are missing between the first and the last file. Versions that are dates
    /// leave no gaps.
    package var gaps: [ClosedRange<Int64>] {
        zip(files, files.dropFirst()).compactMap { before, after in
            guard !after.version.isDate, after.version.number > before.version.number + 1 else {
                return nil
            }
            return (before.version.number + 1)...(after.version.number - 1)
        }
    }
}
