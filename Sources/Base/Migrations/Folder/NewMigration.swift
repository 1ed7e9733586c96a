package import Glibc

/// A new migration: its file name and initial content.
package enum NewMigration {
    /// Creates the file and returns its name.
    ///
    /// Its number follows the highest in the folder. If that is a date, the number is today's date
    /// in UTC.
    ///
    /// - Parameter title: Words that describe the migration; spaces become underscores.
    package static func create(
        in folder: MigrationFolder, title: String, isTransactional: Bool, now: time_t
    ) throws(MigrationError) -> String {
        let name = try self.name(of: title)
        let version = nextVersion(after: folder.files.last?.version, now: now)
        let digits = String(version.number)
        let width = folder.files.last.map { $0.fileName.prefix { $0 != "_" }.count } ?? 4
        let padding = String(repeating: "0", count: max(0, width - digits.count))
        let fileName = "\(padding)\(digits)_\(name).sql"
        try FileSystem.create(
            folder.path + "/" + fileName, Array(draft(isTransactional: isTransactional).utf8))
        return fileName
    }

    private static func name(of title: String) throws(MigrationError) -> String {
        let words = title.split { $0 == " " || $0 == "_" }.joined(separator: "_")
        guard !words.isEmpty, words.utf8.allSatisfy(MigrationFileName.isNameByte) else {
            throw MigrationError(
                .usage, "NAME must be made of letters, digits, spaces, `_`, `-` and `.`")
        }
        return words.foldedToLowerCase
    }

    static func nextVersion(
        after last: MigrationVersion?, now: time_t
    ) -> MigrationVersion {
        guard let last else { return MigrationVersion(1) }
        guard last.isDate else { return MigrationVersion(last.number + 1) }
        var seconds = now
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day =
            Int64(parts.tm_year + 1900) * 10_000 + Int64(parts.tm_mon + 1) * 100
            + Int64(parts.tm_mday)
        let time = Int64(parts.tm_hour) * 10_000 + Int64(parts.tm_min) * 100 + Int64(parts.tm_sec)
        let today = String(last.number).count > 8 ? day * 1_000_000 + time : day
        return MigrationVersion(max(today, last.number + 1))
    }

    private static func draft(isTransactional: Bool) -> String {
        let directive = isTransactional ? "" : "-- hearth: no-transaction\n"
        return directive + """
            -- Why:
            -- Locks:

            """
    }
}
