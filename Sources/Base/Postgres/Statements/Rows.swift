import CPostgres

/// The rows that one statement gave.
///
/// Owns the C result; rows are decoded when asked for. Not Sendable: it stays with its connection's
/// thread.
package final class Rows {
    private let result: OpaquePointer

    /// Takes the result over and frees it at the end of its life.
    init(owning result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// How many rows there are.
    package var count: Int { Int(PQntuples(result)) }

    /// How many rows an INSERT, UPDATE, DELETE, MERGE or COPY touched; else 0.
    package var affectedCount: Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// The server's tag of the executed command, e.g. `COMMIT` or `INSERT 0 1`.
    var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// The names of the columns.
    package var columnNames: [String] {
        (0..<PQnfields(result)).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
    }

    /// The types of the columns.
    package var columnTypes: [PostgresType] {
        (0..<PQnfields(result)).map { PostgresType(oid: PQftype(result, $0)) }
    }

    /// All rows, each decoded by `decode`.
    package func map<Value>(
        _ decode: (inout RowReader) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for row in 0..<Int32(count) {
            var reader = RowReader(result: result, row: row)
            values.append(try decode(&reader))
        }
        return values
    }

    /// All rows as values of `Row`.
    package func decode<Row: RowDecodable>(
        as _: Row.Type = Row.self
    ) throws(PostgresError) -> [Row] {
        try map { (reader) throws(PostgresError) in try Row(row: &reader) }
    }

    /// The first column of the only row.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` unless there is exactly one row.
    package func scalar<Value: PostgresDecodable>(
        _: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard count == 1 else {
            throw PostgresError(.unexpectedRows, "\(count) rows where one is expected")
        }
        var reader = RowReader(result: result, row: 0)
        return try reader.read()
    }
}
