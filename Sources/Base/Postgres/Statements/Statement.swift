import Synchronization

/// A statement of the request path: its text, the types of its parameters and the type of its rows.
///
/// Prepared once per connection on first use (or sent with its text each time where prepared
/// statements are switched off). Make it a `static let` beside the type that decodes it:
///
///     static let byCode = Statement<FamilyRow, String>(
///         "SELECT id, family_name FROM app.family_units WHERE family_code = $1")
///
/// A statement must not change the session (no `SET`, `LISTEN`, session locks): leases rely on it.
package struct Statement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    let prepared: PreparedText

    package init(_ text: String) {
        var types: [PostgresType] = []
        for type in repeat (each Parameter).self { types.append(type.postgresType) }
        prepared = PreparedText(text, parameterTypes: types)
    }

    /// The text, with `$1`... for the parameters.
    package var text: String { prepared.text }

    /// The types that the parameters are declared with.
    package var parameterTypes: [PostgresType] { prepared.parameterTypes }

    /// The columns that the decoder of `Row` expects, found by running it without a row.
    package var expectedColumns: [RowReader.Expectation] {
        get throws(PostgresError) {
            var reader = RowReader()
            _ = try Row(row: &reader)
            return reader.expectations
        }
    }
}

/// The part of a statement that a connection needs: text and types, under a process-wide number.
final class PreparedText: Sendable {
    private static let count = Atomic<Int>(0)

    let text: String
    let parameterTypes: [PostgresType]
    /// Counts up from 0 in this process; the index into the connection's list of prepared
    /// statements.
    let number: Int
    let name: String

    init(_ text: String, parameterTypes: [PostgresType]) {
        self.text = text
        self.parameterTypes = parameterTypes
        number = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        name = "hearth\(number)"
    }

    /// A text that is sent as it is and never prepared.
    init(adHoc text: String) {
        self.text = text
        parameterTypes = []
        number = -1
        name = ""
    }

    static let begin = PreparedText("BEGIN", parameterTypes: [])
    static let beginReadOnly = PreparedText("BEGIN READ ONLY", parameterTypes: [])
    static let beginRepeatableRead = PreparedText(
        "BEGIN ISOLATION LEVEL REPEATABLE READ", parameterTypes: [])
    static let beginRepeatableReadReadOnly = PreparedText(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", parameterTypes: [])
    static let beginSerializable = PreparedText(
        "BEGIN ISOLATION LEVEL SERIALIZABLE", parameterTypes: [])
    static let beginSerializableReadOnly = PreparedText(
        "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", parameterTypes: [])
    static let commit = PreparedText("COMMIT", parameterTypes: [])
    static let rollback = PreparedText("ROLLBACK", parameterTypes: [])
}
