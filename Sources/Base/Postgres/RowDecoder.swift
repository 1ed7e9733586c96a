/// A column that a row is expected to have.
@usableFromInline package struct ExpectedColumn: Sendable, Equatable {
    /// The column must have one of these.
    @usableFromInline package let types: [PostgresType]
    /// If true, the column may hold NULL.
    @usableFromInline package let allowsNull: Bool

    @usableFromInline
    init(types: [PostgresType], allowsNull: Bool) {
        self.types = types
        self.allowsNull = allowsNull
    }
}

/// A value that is read from one column, or from several that stand side by side.
@usableFromInline package protocol RowPart: SendableMetatype {
    /// The columns that it is read from, from left to right.
    static var expectedColumns: [ExpectedColumn] { get }

    /// The number of these columns.
    static var columnCount: Int32 { get }

    /// Reads the next columns.
    static func read(from row: inout RowReader) throws(PostgresError) -> Self

    /// Reads the next columns, or passes over them and returns nil if the first of them is NULL.
    static func readIfPresent(from row: inout RowReader) throws(PostgresError) -> Self?
}

/// A type of rows, which declares what its values are made from.
///
/// Where the stored properties stand in the order of the statement's columns, the initialiser that
/// the compiler writes is the declaration:
///
///     package struct FamilyRow: RowDecodable {
///         package let id: FamilyID
///         package let name: String?
///
///         package static let row = RowDecoder(Self.init)
///     }
///
/// Otherwise a closure says it, with the types of the columns as those of its parameters:
///
///     package static let row = RowDecoder { (id: FamilyID, name: String?) in
///         FamilyRow(id: id, name: name ?? "")
///     }
///
/// A property whose type is itself `RowDecodable` is read from as many columns as that has; one
/// whose type is an optional of it is nil where the first of them is NULL.
@usableFromInline package protocol RowDecodable: RowPart {
    /// What a value is made from.
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

/// The columns of a row and how a value is made of them.
@usableFromInline package struct RowDecoder<Value>: Sendable {
    /// Reads all columns.
    @usableFromInline package let read: @Sendable (inout RowReader) throws(PostgresError) -> Value
    /// The number of columns.
    @usableFromInline let columnCount: Int32
    private let columns: @Sendable () -> [ExpectedColumn]

    /// - Parameter make: Its parameters are the columns, from left to right. It may throw what is
    ///   wrong with them.
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

/// No row at all: for statements that are run for their effect.
@usableFromInline package struct NoRow: RowDecodable, Sendable {
    @usableFromInline package static let row = RowDecoder(Self.init)
}
