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
