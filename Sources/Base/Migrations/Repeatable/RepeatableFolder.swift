/// Repeatable files of a folder of migrations, in the order in which they are applied.
package struct RepeatableFolder: Sendable {
    /// The folder's path.
    package let path: String
    /// The files by name, except that a file with `-- hearth: after OTHER` comes after `OTHER`.
    package let files: [RepeatableFile]

    /// Name of the folder to look for if the configuration names none.
    static let defaultName = "repeatable"

    /// Reads the folder that a configuration names, relative to the folder of migrations; nil if it
    /// names none and the default folder does not exist.
    static func read(
        of folder: String, _ configuration: FolderConfiguration
    ) throws(MigrationError) -> RepeatableFolder? {
        if let name = configuration.repeatable {
            return try RepeatableFolder(path: name.hasPrefix("/") ? name : folder + "/" + name)
        }
        let defaultPath = folder + "/" + defaultName
        return FileSystem.isFolder(defaultPath) ? try RepeatableFolder(path: defaultPath) : nil
    }

    private init(path: String) throws(MigrationError) {
        self.path = path
        let label = path.split(separator: "/").last.map { $0 + "/" } ?? ""
        let names = try FileSystem.names(in: path).filter {
            $0.lowercased().hasSuffix(".sql") && !$0.hasPrefix(".")
        }
        let unexpectedFiles = names.filter {
            !$0.hasSuffix(".sql") || !$0.utf8.allSatisfy(MigrationFileName.isNameByte)
        }
        if !unexpectedFiles.isEmpty {
            throw MigrationError(
                .folder, "files are not named like a repeatable file (NAME.sql)",
                details: unexpectedFiles.map { label + $0 } + [
                    "Names are made of letters, digits, `_`, `-` and `.`."
                ])
        }
        var found: [RepeatableFile] = []
        var refusals: [RefusedStatement] = []
        for name in names {
            let raw = try FileSystem.read(path + "/" + name)
            do {
                let text = try SourceText(raw: raw)
                found.append(try RepeatableFile(name: name, path: label + name, text: text))
            } catch let problem as TextProblem {
                let rule = problem.kind.rule
                refusals.append(RefusedStatement(rule, file: label + name, line: problem.line))
            } catch let problem as RefusedFiles {
                refusals += problem.refusals
            } catch {
                throw MigrationError(.system, "\(label)\(name): \(error)")
            }
        }
        refusals += RepeatableFolder.createdTwice(in: found)
        if !refusals.isEmpty { throw .refused(refusals) }
        files = try RepeatableFolder.ordered(found)
    }

    /// Returns objects that several files create, as far as the texts alone show. Objects that are
    /// written differently are compared when they are applied.
    private static func createdTwice(in files: [RepeatableFile]) -> [RefusedStatement] {
        struct Key: Hashable {
            let kind: CreatedObject.Kind
            let written: String
        }
        var ownerFiles: [Key: RepeatableFile] = [:]
        var refusals: [RefusedStatement] = []
        for file in files {
            for made in RepeatableRules.created(by: file.script) {
                let key = Key(kind: made.object.kind, written: made.object.written)
                let owner = ownerFiles[key, default: file]
                ownerFiles[key] = owner
                if owner.name == file.name { continue }
                refusals.append(
                    RefusedStatement(
                        .notRepeatable, file: file.path, line: made.statement.line,
                        subject:
                            "\(made.object.name) is also defined in \(owner.path); a function, "
                            + "view or trigger must be defined in one file only. If one of the "
                            + "files was left by an earlier release, delete it"))
            }
        }
        return refusals
    }

    /// Orders the files by name, each after the files that it names.
    private static func ordered(
        _ files: [RepeatableFile]
    ) throws(MigrationError) -> [RepeatableFile] {
        let names = Set(files.map(\.name))
        var refusals: [RefusedStatement] = []
        for file in files {
            for after in file.script.after where !names.contains(after.file) {
                refusals.append(
                    RefusedStatement(
                        .notRepeatable, file: file.path, line: after.line,
                        subject: "`-- hearth: after`: there is no \(after.file) in the same "
                            + "folder"))
            }
        }
        if !refusals.isEmpty { throw .refused(refusals) }
        var rest = files
        var order: [RepeatableFile] = []
        while !rest.isEmpty {
            let waiting = Set(rest.map(\.name))
            let next = rest.firstIndex { file in
                !file.script.after.contains { waiting.contains($0.file) }
            }
            guard let next else {
                throw MigrationError(
                    .folder, "repeatable files depend on each other in a cycle",
                    details: rest.map { file in
                        let others = file.script.after.map(\.file).joined(separator: ", ")
                        return "\(file.path): after \(others)"
                    })
            }
            order.append(rest.remove(at: next))
        }
        return order
    }
}
