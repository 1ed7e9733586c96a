/// Files whose names show that they belong to another migration tool, with advice for each.
enum OtherToolFile {
    /// The extensions of down migrations.
    private static let downMigrations = [".down.sql", ".undo.sql", ".revert.sql", ".rollback.sql"]

    /// Whether the file is a down migration of golang-migrate or a similar tool:
    /// `0001_name.down.sql`, in any letter case.
    static func isDownMigration(_ name: String) -> Bool { downSuffix(name) != nil }

    /// Returns the extensions of the given down migrations in lower case: `.down.sql or .undo.sql`.
    static func endings(ofDownMigrations names: [String]) -> String {
        let found = Set(names.compactMap(downSuffix))
        return downMigrations.filter(found.contains).joined(separator: " or ")
    }

    private static func downSuffix(_ name: String) -> String? {
        guard MigrationFileName(name.dropLast(".sql".count) + ".sql") != nil else { return nil }
        return downMigrations.first(where: name.foldedToLowerCase.hasSuffix)
    }

    /// Returns an explanation and advice for a file that is not named like a migration; nil if its
    /// name says nothing.
    ///
    /// - Parameter isSqitch: Whether the folder is one of Sqitch's.
    static func remedy(_ name: String, isSqitch: Bool) -> String? {
        if name.hasSuffix(".sql.conf") {
            return "a setting of Flyway for one script, which is not supported; use `-- hearth: "
                + "no-transaction` for executeInTransaction=false"
        }
        if MigrationFileName.hasTooLargeNumber(name) {
            return "its number is too large: the largest is \(Int64.max)"
        }
        guard name.lowercased().hasSuffix(".sql") else {
            let isOther = isNumberedProgram(name)
            return isOther ? "migrations in other languages are not supported; write SQL" : nil
        }
        if let (prefix, version, title) = flyway(name) {
            switch prefix {
            case "V", "B":
                return "a migration of Flyway; call it \(suggestion(version, title)), with a "
                    + "number that keeps the order"
            case "U":
                return "an undo script of Flyway; there are no down migrations: move it out "
                    + "of the folder"
            default:
                return "a repeatable migration of Flyway; move it into the folder of repeatable "
                    + "files (`repeatable` in \(FolderConfiguration.fileName))"
            }
        }
        let callbacks = ["before", "after", "create"]
        if callbacks.contains(where: name.hasPrefix), name.contains(where: \.isUppercase) {
            return "a callback of Flyway, which is not supported; move it out of the folder"
        }
        if isSqitch {
            return "a change of Sqitch; number those below `deploy` in the order of sqitch.plan, "
                + "without BEGIN and COMMIT, and leave `revert` and `verify` where they are"
        }
        return nil
    }

    /// Parses `V1.2__title.sql` and `R__title.sql`.
    private static func flyway(
        _ name: String
    ) -> (prefix: Character, version: Substring, title: Substring)? {
        guard let prefix = name.first, "VBUR".contains(prefix) else { return nil }
        let rest = name.dropFirst()
        let version = rest.prefix { $0.isNumber || $0 == "." || $0 == "_" }
        let digits = version.prefix { $0 != "_" || !version.hasSuffix("__") }
        guard version.hasSuffix("__"), (prefix == "R") == (version == "__") else { return nil }
        let title = rest.dropFirst(version.count).dropLast(".sql".count)
        return (prefix, digits.prefix { $0 != "_" }, title)
    }

    private static func suggestion(_ version: Substring, _ title: Substring) -> String {
        let name = title.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        guard let number = Int64(version) else { return "NNNN_\(name).sql" }
        return "\(MigrationVersion(number))_\(name).sql"
    }

    /// Whether the name is like `00002_backfill.go`.
    private static func isNumberedProgram(_ name: String) -> Bool {
        let languages = [
            ".go", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".php", ".java", ".kt", ".sh",
            ".xml", ".yaml", ".yml", ".json",
        ]
        guard let ending = languages.first(where: name.hasSuffix) else { return false }
        return MigrationFileName(name.dropLast(ending.count) + ".sql") != nil
    }
}
