import CPostgres

/// The rows that one statement gave.
///
/// Owns the C result; rows are decoded when asked for. Not Sendable: it stays with its connection's
/// thread.
package final class Rows {
    private let result: OpaquePointer
    /// Of a shared statement: where each call's rows begin; found when first asked for.
    private var starts: [Int]?

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

    /// Some of the rows as values of `Row`, without their first columns.
    func decode<Row: RowDecodable>(
        as _: Row.Type = Row.self, in rows: Range<Int>, after columns: Int32
    ) throws(PostgresError) -> [Row] {
        var values: [Row] = []
        values.reserveCapacity(rows.count)
        for row in rows {
            var reader = RowReader(result: result, row: Int32(row), column: columns)
            values.append(try Row(row: &reader))
        }
        return values
    }

    /// The rows of one call of a shared statement; all, if it is no call.
    func range(of call: Int) throws(PostgresError) -> Range<Int> {
        if call == 0 { return 0..<count }
        let starts: [Int]
        if let known = self.starts {
            starts = known
        } else {
            starts = try findStarts()
            self.starts = starts
        }
        guard call + 1 < starts.count else { return 0..<0 }
        return starts[call]..<starts[call + 1]
    }

    /// For each call, from 0, and for one behind the last that has rows, where its rows begin.
    private func findStarts() throws(PostgresError) -> [Int] {
        var starts = [0]
        for row in 0..<count {
            var reader = RowReader(result: result, row: Int32(row), column: 0)
            let call = try reader.read(Int64.self)
            guard call > 0, call <= 1_000_000, call >= starts.count - 1 else {
                throw PostgresError(.unexpectedRows, "the rows of a call don't stand together")
            }
            while starts.count <= call { starts.append(row) }
        }
        starts.append(count)
        return starts
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

    init(result: OpaquePointer, row: Int32, column: Int32 = 0) {
        self.result = result
        self.row = row
        self.column = column
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

/// A value that can be read from a column in PostgreSQL's binary format.
package protocol PostgresDecodable {
    /// Whether this reads columns of a type; a column of another type is an error, not a guess.
    static func reads(_ type: PostgresType) -> Bool

    /// Whether SQL NULL has a value of this type.
    static var allowsNull: Bool { get }

    /// Reads the value.
    ///
    /// - Parameter column: Its bytes live only for the call.
    /// - Throws: ``ColumnError`` that says what the bytes should have been.
    static func decode(_ column: ColumnValue) throws(ColumnError) -> Self

    /// Any valid value, returned to a decoder while its expected columns are determined.
    static var specimen: Self { get }
}

extension PostgresDecodable {
    package static var allowsNull: Bool { false }

    /// The named types that this reads.
    package static var postgresTypes: [PostgresType] { PostgresType.named.filter(reads) }
}

/// The bytes of one column of one row, null included.
package struct ColumnValue {
    package let type: PostgresType
    /// Nil for SQL NULL.
    package let bytes: UnsafeRawBufferPointer?

    /// The bytes, when there are exactly as many as the type has.
    @inline(__always)
    package func fixed(_ count: Int) throws(ColumnError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw ColumnError("NULL where a value is expected") }
        guard bytes.count == count else {
            throw ColumnError("\(bytes.count) bytes where \(count) are expected")
        }
        return bytes
    }

    @inline(__always)
    package func present() throws(ColumnError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw ColumnError("NULL where a value is expected") }
        return bytes
    }
}

/// Why a column's bytes are no value of the type asked for. Names no data.
package struct ColumnError: Error {
    package let reason: String
    package init(_ reason: String) { self.reason = reason }
}

extension UnsafeRawBufferPointer {
    /// The integer in network byte order at `offset`; the caller has checked the bounds.
    @inline(__always)
    package func bigEndian<T: FixedWidthInteger>(_: T.Type, at offset: Int = 0) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
