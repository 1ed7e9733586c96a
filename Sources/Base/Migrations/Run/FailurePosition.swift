import Postgres

/// Position in a file at which a server error arose.
struct FailurePosition {
    /// The line, from 1; nil if unknown.
    let line: Int?

    /// Finds the line of an error in a file that ran as part of a script.
    ///
    /// - Parameters:
    ///   - prefix: The script's text before the file's text, and its number of statements.
    ///   - completed: Number of statements of the script that were completed before the error.
    init(
        of error: PostgresError, in script: Script, prefix: String, prefixStatements: Int,
        completed: Int
    ) {
        let prefixCharacters = prefix.unicodeScalars.count
        if let position = error.server?.position, position > prefixCharacters {
            let offset = script.text.byteOffset(ofCharacter: position - prefixCharacters)
            line = script.text.line(at: offset)
        } else if script.statements.indices.contains(completed - prefixStatements) {
            line = script.statements[completed - prefixStatements].line
        } else {
            line = nil
        }
    }
}

extension MigrationError {
    /// Creates the error for a statement of a file that the server refused.
    static func statement(
        _ error: PostgresError, file: String, line: Int?, blockers: [String] = []
    ) -> MigrationError {
        let location = line.map { "\(file):\($0)" } ?? file
        var details = error.explanation
        if error.code == .connectionLost {
            details = [
                "The connection was lost while it ran. The next run finds out whether it took "
                    + "effect."
            ]
        }
        if error.sqlState == .lockNotAvailable {
            details +=
                blockers.isEmpty
                ? ["The holder of the lock is unknown."] : blockers.map { "held by \($0)" }
        }
        return MigrationError(
            .database, "\(location): \(error.message)", details: details, underlying: error)
    }
}
