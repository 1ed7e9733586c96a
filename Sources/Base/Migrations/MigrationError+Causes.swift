import Glibc
import Postgres

// Errors that need more than a sentence where they arise.
extension MigrationError {
    /// Maximum number of findings of one kind that are shown; the others are only counted.
    static let maximumPerRule = 20

    /// Creates the error for a file or folder that can't be used; `code` is an errno, or 0.
    static func file(_ path: String, _ problem: String, _ code: Int32) -> MigrationError {
        let reason = code == 0 ? "" : ": " + String(cString: strerror(code))
        return MigrationError(.system, "\(path) \(problem)\(reason)")
    }

    static func strayFiles(_ names: [String]) -> MigrationError {
        MigrationError(
            .folder, "files are not named like a migration (NNNN_name.sql)",
            details: names.prefix(maximumPerRule)
                + (names.count > maximumPerRule ? ["\(names.count - maximumPerRule) more"] : [])
                + ["Rename them, or move them out of the folder."])
    }

    static func sameVersion(_ pairs: [[String]]) -> MigrationError {
        MigrationError(
            .folder, "two files have the same version",
            details: pairs.map { $0.joined(separator: " and ") })
    }

    static func gaps(_ gaps: [ClosedRange<Int64>]) -> MigrationError {
        let ranges = gaps.map { gap in
            gap.count == 1
                ? "\(MigrationVersion(gap.lowerBound))"
                : "\(MigrationVersion(gap.lowerBound)) to \(MigrationVersion(gap.upperBound))"
        }
        return MigrationError(
            .folder, "the folder has gaps: " + ranges.joined(separator: ", "),
            details: ["Add what is missing, or allow it with --allow-out-of-order."])
    }

    static func outOfOrder(_ files: [String], newest: String) -> MigrationError {
        MigrationError(
            .folder, "pending files are older than the newest applied one (\(newest))",
            details: files + [
                "Give them a higher number, or allow them with --allow-out-of-order."
            ])
    }

    /// Creates the error for a statement of a no-transaction file that was changed after it ran.
    static func changedAfterRun(_ file: String, line: Int?, former: String) -> MigrationError {
        MigrationError(
            .drift,
            "\(line.map { "\(file):\($0)" } ?? file): changed, but this statement has already run",
            details: former.split(separator: "\n").map { "was: \($0)" } + [
                "Only statements that have not run may be changed; restore this one."
            ])
    }

    static func interrupted(before file: MigrationFile, _ line: Int? = nil) -> MigrationError {
        let location = line.map { "\(file.fileName):\($0)" } ?? file.fileName
        return MigrationError(.database, "stopped on request before \(location)")
    }

    static func refused(_ refusals: [RefusedStatement]) -> MigrationError {
        MigrationError(
            .refused,
            "nothing was run; these statements are refused", details: refusals.abbreviatedLines)
    }

    /// Wraps a server error that occurred while a file was recorded in the ledger.
    static func entry(
        of file: String, in schema: String, _ error: PostgresError
    ) -> MigrationError {
        var details = error.explanation
        if error.sqlState == .readOnlyTransaction {
            details.append(
                "A statement of \(file) makes the session or the transaction read-only, so that "
                    + "the file can't be recorded; delete it.")
        }
        return MigrationError(
            .database, "\(file): its entry in the ledger in schema \(schema): \(error.message)",
            details: details, underlying: error)
    }

    /// Wraps a server or libpq error that is not related to a file.
    static func database(_ error: PostgresError, _ action: String) -> MigrationError {
        MigrationError(
            .database, "\(action): \(error.message)", details: error.explanation, underlying: error)
    }
}

extension [RefusedStatement] {
    /// Returns one line for each refusal. If many break the same rule in one file, returns the
    /// first twenty and a count.
    var abbreviatedLines: [String] {
        var counts: [String: Int] = [:]
        var lines: [String] = []
        for refusal in self {
            let key = "\(refusal.file): \(refusal.rule.rawValue)"
            counts[key, default: 0] += 1
            if counts[key, default: 0] <= MigrationError.maximumPerRule {
                lines.append(refusal.description)
            }
        }
        for (key, count) in counts.sorted(by: { $0.key < $1.key })
        where count > MigrationError.maximumPerRule {
            lines.append("\(key): \(count - MigrationError.maximumPerRule) more like these")
        }
        return lines
    }
}

extension PostgresError {
    /// The other fields of a server error, one per line. They may quote data.
    var explanation: [String] {
        guard let server else { return [] }
        return [
            server.detail.map { "detail: \($0)" }, server.hint.map { "hint: \($0)" },
            server.context.map { "where: \($0.replacing("\n", with: " / "))" },
            "SQLSTATE \(server.sqlState)",
        ].compactMap { $0 }
    }
}
