/// A column that a row is expected to have.
@usableFromInline package struct ExpectedColumn: Sendable, Equatable {
    /// Accepted types of the column.
    @usableFromInline package let types: [PostgresType]
    /// If true, the column may hold NULL.
    @usableFromInline package let allowsNull: Bool

    @usableFromInline
    init(types: [PostgresType], allowsNull: Bool) {
        self.types = types
        self.allowsNull = allowsNull
    }
}

/// A value that is read from one column, or from several adjacent ones.
@usableFromInline package protocol RowPart: SendableMetatype {
    /// The columns of the value, from left to right.
    static var expectedColumns: [ExpectedColumn] { get }

    /// The number of these columns.
    static var columnCount: Int32 { get }

    /// Reads the next columns.
    static func read(from row: inout RowReader) throws(PostgresError) -> Self

    /// Reads the next columns, or skips them and returns nil if the first of them is NULL.
    static func readIfPresent(from row: inout RowReader) throws(PostgresError) -> Self?
}

/// A row type that declares the columns of its values.
///
/// If the stored properties are in the order of the statement's columns, the memberwise initialiser
/// is the declaration:
///
///     package struct FamilyRow: RowDecodable {
///         package let id: FamilyID
///         package let name: String?
///
///         package static let row = RowDecoder(Self.init)
///     }
///
/// Otherwise a closure declares the columns by the types of its parameters:
///
///     package static let row = RowDecoder { (id: FamilyID, name: String?) in
///         FamilyRow(id: id, name: name ?? "")
///     }
///
/// A property whose type is itself `RowDecodable` is read from all columns of that type; if the
/// property is optional, it is nil where the first of them is NULL.
@usableFromInline package protocol RowDecodable: RowPart {
    /// The decoder of the type's rows.
    static var row: RowDecoder<Self> { get }
}

extension RowDecodable {
    @usableFromInline package static var expectedColumns: [ExpectedColumn] { row.expectedColumns }

    @inlinable package static var columnCount: Int32 { row.columnCount }

    @inlinable package static func read(from row: inout RowReader) throws(PostgresError) -> Self {
        try Self.row.read(&row)
    }

    @inlinable package static func readIfPresent(
        from row: inout RowReader
    ) throws(PostgresError) -> Self? {
        if row.isNextNull {
            row.skip(columnCount)
            return nil
        }
        return try Self.row.read(&row)
    }
}

/// The columns of a row and the function that makes a value of them.
@usableFromInline package struct RowDecoder<Value>: Sendable {
    /// Reads all columns.
    @usableFromInline package let read: @Sendable (inout RowReader) throws(PostgresError) -> Value
    /// The number of columns.
    @usableFromInline let columnCount: Int32
    private let columns: @Sendable () -> [ExpectedColumn]

    /// - Parameter make: Takes the columns, from left to right. It may throw if they are wrong.
    @inlinable
    package init<each Part: RowPart>(
        _ make: @escaping @Sendable (repeat each Part) throws(PostgresError) -> Value
    ) {
        self.init(of: repeat (each Part).self) { (row: inout RowReader) throws(PostgresError) in
            try make(repeat try (each Part).read(from: &row))
        }
    }

    @inlinable
    init<each Part: RowPart>(
        of parts: repeat (each Part).Type,
        read: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Value
    ) {
        var count: Int32 = 0
        for part in repeat each parts { count += part.columnCount }
        self.init(columnCount: count, read: read) {
            var columns: [ExpectedColumn] = []
            for part in repeat (each Part).self { columns += part.expectedColumns }
            return columns
        }
    }

    @usableFromInline
    init(
        columnCount: Int32,
        read: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Value,
        columns: @escaping @Sendable () -> [ExpectedColumn]
    ) {
        self.columnCount = columnCount
        self.read = read
        self.columns = columns
    }

    /// The columns, from left to right.
    package var expectedColumns: [ExpectedColumn] { columns() }
}

/// A row of one column.
@usableFromInline package struct Scalar<Value: PostgresDecodable>: RowDecodable {
    @usableFromInline package let value: Value

    @inlinable init(_ value: Value) { self.value = value }

    @inlinable package static var row: RowDecoder<Scalar> { RowDecoder(Scalar.init) }
}

/// A row of two parts, for rows that need no type of their own.
@usableFromInline package struct Pair<First: RowPart, Second: RowPart>: RowDecodable {
    @usableFromInline package let values: (First, Second)

    @inlinable init(_ first: First, _ second: Second) { values = (first, second) }

    @inlinable package static var row: RowDecoder<Pair> { RowDecoder(Pair.init) }
}

/// A row without columns, for statements that are run for their effect.
@usableFromInline package struct NoRow: RowDecodable, Sendable {
    @usableFromInline package static let row = RowDecoder(Self.init)
}
