/// SQLite refused: the disk is full, say, or the file is no database.
struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// One of SQLite's result codes.
    let code: Int32
    let message: String
    /// The statement, without its values.
    let statement: String

    var description: String { "SQLite \(code): \(message) (\(statement))" }
}
