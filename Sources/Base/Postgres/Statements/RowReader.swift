import CPostgres

/// A row's columns, read from left to right.
///
/// The same decoder also shows which columns it expects: a reader without a row records the
/// requested types and returns specimens (see ``Statement/expectedColumns``).
package struct RowReader {
    /// A column that a decoder expects.
    package struct Expectation: Sendable, Equatable {
        package let types: [PostgresType]
        package let allowsNull: Bool
    }

    private let result: OpaquePointer?
    private let row: Int32
    private var column: Int32 = 0
    private(set) var expectations: [Expectation] = []

    init(result: OpaquePointer, row: Int32) {
        self.result = result
        self.row = row
    }

    /// A reader that notes what it is asked for.
    init() {
        result = nil
        row = 0
    }

    /// Reads the next column.
    ///
    /// - Throws: `PostgresError` with code `decoding` if there is no such column, if its type can't
    ///   be decoded as `Value`, or if it is null and `Value` has no null.
    package mutating func read<Value: PostgresDecodable>(
        _: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let result else {
            expectations.append(
                Expectation(types: Value.postgresTypes, allowsNull: Value.allowsNull))
            return Value.specimen
        }
        let index = column
        column += 1
        guard index < PQnfields(result) else {
            throw PostgresError(
                .decoding, "column \(index + 1) was read, but there are \(PQnfields(result))")
        }
        let type = PostgresType(oid: PQftype(result, index))
        guard Value.reads(type) else {
            throw failure(
                index, "is of type \(type); \(Value.self) reads \(Value.postgresTypes)")
        }
        let isNull = PQgetisnull(result, row, index) != 0
        let bytes =
            isNull
            ? nil
            : UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, index), count: Int(PQgetlength(result, row, index)))
        do {
            return try Value.decode(ColumnValue(type: type, bytes: bytes))
        } catch {
            throw failure(index, "holds \(error.reason)")
        }
    }

    private func failure(_ index: Int32, _ what: String) -> PostgresError {
        let name = PQfname(result, index).map { String(cString: $0) } ?? "?"
        return PostgresError(.decoding, "column \(index + 1) (\(name)) \(what)")
    }
}

/// A row as a value of its own type.
package protocol RowDecodable: SendableMetatype {
    /// Reads the columns in the order in which the statement names them, all of them.
    init(row: inout RowReader) throws(PostgresError)
}

/// A row of one column.
package struct Scalar<Value: PostgresDecodable>: RowDecodable {
    package let value: Value
    package init(row: inout RowReader) throws(PostgresError) { value = try row.read() }
}

/// No row at all: for statements that are run for their effect.
package struct NoRow: RowDecodable, Sendable {
    package init(row: inout RowReader) throws(PostgresError) {}
}
