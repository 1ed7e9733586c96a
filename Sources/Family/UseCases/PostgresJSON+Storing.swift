import Postgres

extension PostgresJSON {
    /// Runs `body`, which stores a client's JSON. Valid JSON that can't be stored (NUL in a text, a
    /// number out of range) is refused as a mistake in `field`.
    static func storing<Value>(_ field: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            guard let state = error.sqlState, unstorable.contains(state) else { throw error }
            throw Refusal(.invalidField, .field(field), underlying: error)
        }
    }

    /// Invalid text, an untranslatable character, a number out of range, a character not in the
    /// repertoire.
    private static let unstorable: Set<SQLState> = ["22P02", "22P05", "22003", "22021"]
}
