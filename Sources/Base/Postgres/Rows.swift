import CPostgres

/// The rows that one statement returned.
///
/// Owns the C result; rows are decoded when asked for. Not Sendable: it stays with its connection's
/// thread.
@usableFromInline package final class Rows {
    private let result: OpaquePointer
    /// First row of each call of a shared statement; found when first needed.
    private var starts: [Int]?

    /// Takes ownership of the result and frees it on deinitialisation.
    init(owning result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// Number of rows.
    @usableFromInline package var count: Int { Int(PQntuples(result)) }

    /// Number of rows that an INSERT, UPDATE, DELETE, MERGE or COPY affected; else 0.
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

    /// Returns all rows, each decoded by `decode`.
    @inlinable
    package func map<Value>(
        _ decode: (inout RowReader) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        try map(in: 0..<count, after: 0, decode)
    }

    /// Returns some of the rows, without their first columns, each decoded by `decode`.
    @inlinable
    func map<Value>(
        in rows: Range<Int>, after columns: Int32,
        _ decode: (inout RowReader) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(rows.count)
        for row in rows {
            var reader = reader(of: row, after: columns)
            values.append(try decode(&reader))
        }
        return values
    }

    /// Returns all rows as values of `Row`.
    @inlinable
    package func decode<Row: RowDecodable>(
        as _: Row.Type = Row.self
    ) throws(PostgresError) -> [Row] {
        try map(Row.row.read)
    }

    /// Returns a reader of a row, without its first columns.
    @usableFromInline
    func reader(of row: Int, after columns: Int32 = 0) -> RowReader {
        RowReader(result: result, row: Int32(row), column: columns)
    }

    /// Returns the range of rows of one call of a shared statement; for call 0, all rows.
    @usableFromInline
    func range(of call: Int) throws(PostgresError) -> Range<Int> {
        if call == 0 { return 0..<count }
        let starts: [Int]
        if let stored = self.starts {
            starts = stored
        } else {
            starts = try findStarts()
            self.starts = starts
        }
        guard call + 1 < starts.count else { return 0..<0 }
        return starts[call]..<starts[call + 1]
    }

    /// Returns the first row of each call, from 0 to the call after the last that has rows.
    private func findStarts() throws(PostgresError) -> [Int] {
        var starts: [Int] = []
        starts.reserveCapacity(16)
        starts.append(0)
        for row in 0..<count {
            var reader = reader(of: row)
            let call = try reader.read(Int64.self)
            guard call > 0, call <= 1_000_000, call >= starts.count - 1 else {
                throw PostgresError(.unexpectedRows, "the rows of a call are not contiguous")
            }
            while starts.count <= call { starts.append(row) }
        }
        starts.append(count)
        return starts
    }

    /// Returns the first column of the only row.
    ///
    /// - Throws: `PostgresError` with code `unexpectedRows` unless there is exactly one row.
    package func scalar<Value: PostgresDecodable>(
        _: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard count == 1 else {
            throw PostgresError(.unexpectedRows, "\(count) rows where one is expected")
        }
        var reader = reader(of: 0)
        return try reader.read()
    }
}

/// The columns of one row, read from left to right.
///
/// Generic code that reads rows is `@inlinable`, here and in everything it calls for each column,
/// so that the module of the row types compiles a specialised version. Otherwise every column would
/// be read through witness tables at run time.
@usableFromInline package struct RowReader {
    private let result: OpaquePointer
    private let row: Int32
    private let columnCount: Int32
    private var column: Int32

    init(result: OpaquePointer, row: Int32, column: Int32 = 0) {
        self.result = result
        self.row = row
        self.column = column
        columnCount = PQnfields(result)
    }

    /// Reads the next column.
    ///
    /// - Throws: `PostgresError` with code `decoding` if there is no such column, if its type can't
    ///   be decoded as `Value`, or if it is NULL and `Value` has no null.
    @inlinable
    package mutating func read<Value: PostgresDecodable>(
        _: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let column = try next()
        return try decode(column)
    }

    /// Reads the next column, which may be NULL.
    @inlinable
    mutating func readIfPresent<Value: PostgresDecodable>() throws(PostgresError) -> Value? {
        let column = try next()
        return column.bytes == nil ? nil : try decode(column)
    }

    /// Decodes a column, which must be the last one read.
    @inlinable
    func decode<Value: PostgresDecodable>(_ column: ColumnValue) throws(PostgresError) -> Value {
        guard Value.reads(column.type) else {
            throw mismatch(column.type, Value.self, Value.postgresTypes)
        }
        do {
            return try Value.decode(column)
        } catch {
            throw failure("holds \(error.reason)")
        }
    }

    /// Reads the next columns as one value.
    @inlinable @inline(__always)
    mutating func part<Part: RowPart>() throws(PostgresError) -> Part {
        try Part.read(from: &self)
    }

    /// If true, there is a next column and it is NULL.
    @usableFromInline var isNextNull: Bool {
        column < columnCount && PQgetisnull(result, row, column) != 0
    }

    /// Skips columns.
    @usableFromInline mutating func skip(_ count: Int32) { column += count }

    @usableFromInline
    mutating func next() throws(PostgresError) -> ColumnValue {
        let index = column
        column += 1
        guard index < columnCount else {
            throw PostgresError(
                .decoding, "column \(index + 1) was read, but there are \(columnCount)")
        }
        let type = PostgresType(oid: PQftype(result, index))
        let count = Int(PQgetlength(result, row, index))
        // The length of a NULL is 0.
        if count == 0, PQgetisnull(result, row, index) != 0 {
            return ColumnValue(type: type, bytes: nil)
        }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, row, index), count: count)
        return ColumnValue(type: type, bytes: bytes)
    }

    @usableFromInline
    func mismatch(
        _ type: PostgresType, _ value: Any.Type, _ types: [PostgresType]
    ) -> PostgresError {
        failure("is of type \(type); \(value) reads \(types)")
    }

    /// Returns a decoding error about the column that was read last.
    @usableFromInline
    func failure(_ reason: String) -> PostgresError {
        let name = PQfname(result, column - 1).map { String(cString: $0) } ?? "?"
        return PostgresError(.decoding, "column \(column) (\(name)) \(reason)")
    }
}

/// A value that can be read from a column in PostgreSQL's binary format.
@usableFromInline package protocol PostgresDecodable: RowPart {
    /// Whether this type reads columns of `type`; a column of another type is an error, not a
    /// guess.
    static func reads(_ type: PostgresType) -> Bool

    /// Whether NULL decodes to a value of this type.
    static var allowsNull: Bool { get }

    /// Reads the value.
    ///
    /// - Parameter column: The column; its bytes are valid only during the call.
    static func decode(_ column: ColumnValue) throws(ColumnError) -> Self
}

extension PostgresDecodable {
    @inlinable package static var allowsNull: Bool { false }

    @usableFromInline package static var expectedColumns: [ExpectedColumn] {
        [ExpectedColumn(types: postgresTypes, allowsNull: allowsNull)]
    }

    @inlinable package static var columnCount: Int32 { 1 }

    @inlinable package static func read(from row: inout RowReader) throws(PostgresError) -> Self {
        try row.read()
    }

    @inlinable package static func readIfPresent(
        from row: inout RowReader
    ) throws(PostgresError) -> Self? {
        try row.readIfPresent()
    }

    /// The named types that this type reads.
    @usableFromInline package static var postgresTypes: [PostgresType] {
        PostgresType.named.filter(reads)
    }
}

/// The bytes of one column of one row, which may be NULL.
@usableFromInline package struct ColumnValue {
    @usableFromInline package let type: PostgresType
    /// Nil for SQL NULL.
    @usableFromInline package let bytes: UnsafeRawBufferPointer?

    @inlinable
    init(type: PostgresType, bytes: UnsafeRawBufferPointer?) {
        self.type = type
        self.bytes = bytes
    }

    /// Returns the bytes if there are exactly `count` of them.
    @inlinable @inline(__always)
    package func fixed(_ count: Int) throws(ColumnError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw .null }
        guard bytes.count == count else { throw .length(bytes.count, not: count) }
        return bytes
    }

    /// Returns the bytes, however many.
    ///
    /// - Throws: ``ColumnError`` for SQL NULL.
    @inlinable @inline(__always)
    package func present() throws(ColumnError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw .null }
        return bytes
    }
}

/// The reason why a column's bytes are not a value of the expected type. Contains no data.
@usableFromInline package struct ColumnError: Error {
    @usableFromInline package let reason: String
    @usableFromInline package init(_ reason: String) { self.reason = reason }

    @usableFromInline static var null: ColumnError {
        ColumnError("NULL where a value is expected")
    }

    @usableFromInline static func length(_ count: Int, not expected: Int) -> ColumnError {
        ColumnError("\(count) bytes where \(expected) are expected")
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the integer in network byte order at `offset`; the caller has checked the bounds.
    @inlinable @inline(__always)
    package func bigEndian<T: FixedWidthInteger>(_: T.Type, at offset: Int = 0) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
