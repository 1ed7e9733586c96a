// PostgreSQL's types, and the Swift types that map to them.

/// A PostgreSQL type by its object id. The ids of built-in types are part of the protocol.
@usableFromInline package struct PostgresType: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline package let oid: UInt32
    @inlinable package init(oid: UInt32) { self.oid = oid }

    @inlinable package static func == (a: PostgresType, b: PostgresType) -> Bool {
        a.oid == b.oid
    }

    @inlinable package static var bool: PostgresType { PostgresType(oid: 16) }
    @inlinable package static var bytea: PostgresType { PostgresType(oid: 17) }
    /// `"char"`, of one byte; `character(n)` is ``bpchar``.
    @inlinable package static var char: PostgresType { PostgresType(oid: 18) }
    /// `name`, of at most 63 bytes: the names of the database's objects.
    @inlinable package static var name: PostgresType { PostgresType(oid: 19) }
    /// `bigint`: eight bytes.
    @inlinable package static var int8: PostgresType { PostgresType(oid: 20) }
    /// `smallint`: two bytes.
    @inlinable package static var int2: PostgresType { PostgresType(oid: 21) }
    /// `integer`: four bytes.
    @inlinable package static var int4: PostgresType { PostgresType(oid: 23) }
    @inlinable package static var text: PostgresType { PostgresType(oid: 25) }
    /// `oid`: an object id, four bytes without a sign.
    @inlinable package static var oidType: PostgresType { PostgresType(oid: 26) }
    @inlinable package static var json: PostgresType { PostgresType(oid: 114) }
    @inlinable package static var float4: PostgresType { PostgresType(oid: 700) }
    @inlinable package static var float8: PostgresType { PostgresType(oid: 701) }
    /// `unknown`: the type of string literals whose type the context does not determine.
    @inlinable package static var unknown: PostgresType { PostgresType(oid: 705) }
    @inlinable package static var boolArray: PostgresType { PostgresType(oid: 1000) }
    @inlinable package static var int4Array: PostgresType { PostgresType(oid: 1007) }
    @inlinable package static var int8Array: PostgresType { PostgresType(oid: 1016) }
    @inlinable package static var byteaArray: PostgresType { PostgresType(oid: 1001) }
    @inlinable package static var textArray: PostgresType { PostgresType(oid: 1009) }
    /// `character(n)`, filled up with blanks.
    @inlinable package static var bpchar: PostgresType { PostgresType(oid: 1042) }
    @inlinable package static var varchar: PostgresType { PostgresType(oid: 1043) }
    @inlinable package static var timestamptz: PostgresType { PostgresType(oid: 1184) }
    @inlinable package static var timestamptzArray: PostgresType { PostgresType(oid: 1185) }
    /// `void`: the result type of functions that return nothing.
    @inlinable package static var void: PostgresType { PostgresType(oid: 2278) }
    @inlinable package static var uuid: PostgresType { PostgresType(oid: 2950) }
    @inlinable package static var uuidArray: PostgresType { PostgresType(oid: 2951) }
    @inlinable package static var jsonb: PostgresType { PostgresType(oid: 3802) }

    private static let names: [PostgresType: String] = [
        .bool: "boolean", .bytea: "bytea", .char: "\"char\"", .name: "name", .int8: "bigint",
        .int2: "smallint", .int4: "integer", .text: "text", .oidType: "oid", .json: "json",
        .float4: "real", .float8: "double precision", .unknown: "unknown",
        .boolArray: "boolean[]", .int4Array: "integer[]", .int8Array: "bigint[]",
        .byteaArray: "bytea[]", .textArray: "text[]", .bpchar: "character",
        .varchar: "character varying", .timestamptz: "timestamp with time zone",
        .timestamptzArray: "timestamp with time zone[]", .void: "void", .uuid: "uuid",
        .uuidArray: "uuid[]", .jsonb: "jsonb",
    ]

    private static let arrays: [PostgresType: PostgresType] = [
        .bool: .boolArray, .bytea: .byteaArray, .int4: .int4Array, .int8: .int8Array,
        .text: .textArray, .timestamptz: .timestamptzArray, .uuid: .uuidArray,
    ]

    /// The array type of this type, for the parameters of shared statements.
    var array: PostgresType {
        guard let type = Self.arrays[self] else {
            preconditionFailure("the array type of \(self) is unknown")
        }
        return type
    }

    /// All types that have a name here, in the order of their object ids.
    static var named: [PostgresType] { names.keys.sorted { $0.oid < $1.oid } }

    @usableFromInline package var description: String { Self.names[self] ?? "type with oid \(oid)" }
}

// The mapping of the standard library's types. `uuid` maps to `UInt128`: sixteen bytes in network
// order, so that this module needs no identifier types of its callers.

extension Bool: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .bool }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .bool }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.bool) { $0.append(self ? 1 : 0) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Bool {
        try column.fixed(1)[0] != 0
    }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .int8 }
    @inlinable package static func reads(_ type: PostgresType) -> Bool {
        type == .int8 || type == .int4 || type == .int2 || type == .oidType
    }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.int8) { $0.appendBigEndian(self) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int64 {
        switch column.type {
        case .int4: Int64(try column.fixed(4).bigEndian(Int32.self))
        case .int2: Int64(try column.fixed(2).bigEndian(Int16.self))
        case .oidType: Int64(try column.fixed(4).bigEndian(UInt32.self))
        default: try column.fixed(8).bigEndian(Int64.self)
        }
    }
}

extension Int: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .int8 }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { Int64.reads(type) }
    @inlinable package func bind(to bindings: inout Bindings) { Int64(self).bind(to: &bindings) }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int {
        Int(try Int64.decode(column))
    }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .int4 }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .int4 }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.int4) { $0.appendBigEndian(self) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int32 {
        try column.fixed(4).bigEndian(Int32.self)
    }
}

extension Int16: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .int2 }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .int2 }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.int2) { $0.appendBigEndian(self) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int16 {
        try column.fixed(2).bigEndian(Int16.self)
    }
}

extension Double: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .float8 }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .float8 }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.float8) { $0.appendBigEndian(bitPattern) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Double {
        Double(bitPattern: try column.fixed(8).bigEndian(UInt64.self))
    }
}

extension String: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .text }
    @inlinable package static func reads(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .name || type == .bpchar || type == .char
            || type == .unknown
    }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.text) { $0.append(contentsOf: utf8) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> String {
        String(decoding: try column.present(), as: UTF8.self)
    }
}

extension UInt128: PostgresEncodable, PostgresDecodable {
    @inlinable package static var postgresType: PostgresType { .uuid }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .uuid }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.uuid) { $0.appendBigEndian(self) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> UInt128 {
        try column.fixed(16).bigEndian(UInt128.self)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    @inlinable package static var postgresType: PostgresType { Wrapped.postgresType }
    @inlinable package func bind(to bindings: inout Bindings) {
        if let self { self.bind(to: &bindings) } else { bindings.bindNull(Wrapped.postgresType) }
    }
}

extension Optional: RowPart where Wrapped: RowPart {
    @usableFromInline package static var expectedColumns: [ExpectedColumn] {
        Wrapped.expectedColumns.map { ExpectedColumn(types: $0.types, allowsNull: true) }
    }

    @inlinable package static var columnCount: Int32 { Wrapped.columnCount }

    @inlinable package static func read(
        from row: inout RowReader
    ) throws(PostgresError) -> Wrapped? {
        try Wrapped.readIfPresent(from: &row)
    }

    @inlinable package static func readIfPresent(
        from row: inout RowReader
    ) throws(PostgresError) -> Wrapped?? {
        .some(try Wrapped.readIfPresent(from: &row))
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    @inlinable package static func reads(_ type: PostgresType) -> Bool { Wrapped.reads(type) }
    @inlinable package static var allowsNull: Bool { true }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> Wrapped? {
        column.bytes == nil ? nil : try Wrapped.decode(column)
    }
}

// Types that PostgreSQL has and the standard library lacks.

/// A `timestamptz` in its wire form.
@usableFromInline
package struct PostgresTimestamp: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    /// Microseconds since 2000-01-01 00:00:00 UTC; the extremes of Int64 are the infinities.
    @usableFromInline package let microsecondsSince2000: Int64

    @inlinable package init(microsecondsSince2000: Int64) {
        self.microsecondsSince2000 = microsecondsSince2000
    }

    @inlinable package static var postgresType: PostgresType { .timestamptz }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .timestamptz }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.timestamptz) { $0.appendBigEndian(microsecondsSince2000) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError)
        -> PostgresTimestamp
    {
        PostgresTimestamp(microsecondsSince2000: try column.fixed(8).bigEndian(Int64.self))
    }
}

/// A `bytea`.
@usableFromInline
package struct PostgresBytes: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    @usableFromInline package let bytes: [UInt8]
    @inlinable package init(_ bytes: [UInt8]) { self.bytes = bytes }

    @inlinable package static var postgresType: PostgresType { .bytea }
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == .bytea }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.bytea) { $0.append(contentsOf: bytes) }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError)
        -> PostgresBytes
    {
        PostgresBytes(Array(try column.present()))
    }
}

/// A `jsonb` or `json` document as UTF-8 text, which this module does not interpret.
@usableFromInline
package struct PostgresJSON: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    /// The text, not validated here: the server refuses text that is not JSON.
    @usableFromInline package let utf8: [UInt8]
    @inlinable package init(utf8: [UInt8]) { self.utf8 = utf8 }

    @inlinable package static var postgresType: PostgresType { .jsonb }
    @inlinable package static func reads(_ type: PostgresType) -> Bool {
        type == .jsonb || type == .json
    }
    @inlinable package func bind(to bindings: inout Bindings) {
        bindings.bind(.jsonb) {
            $0.append(1)  // the version of jsonb's binary form
            $0.append(contentsOf: utf8)
        }
    }
    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> PostgresJSON
    {
        let bytes = try column.present()
        guard column.type == .jsonb else { return PostgresJSON(utf8: Array(bytes)) }
        guard bytes.first == 1 else { throw ColumnError("jsonb of an unknown version") }
        return PostgresJSON(utf8: Array(bytes.dropFirst()))
    }
}

/// An array element: its arrays can be read, and bound if the element itself can be bound.
@usableFromInline package protocol PostgresArrayElement: PostgresDecodable {
    /// The type of an array of these elements.
    static var arrayType: PostgresType { get }
}

extension UInt128: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .uuidArray }
}
extension String: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .textArray }
}
extension Int32: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .int4Array }
}
extension Int64: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .int8Array }
}
extension PostgresTimestamp: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .timestamptzArray }
}
extension PostgresBytes: PostgresArrayElement {
    @inlinable package static var arrayType: PostgresType { .byteaArray }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement & PostgresEncodable {
    @inlinable package static var postgresType: PostgresType { Element.arrayType }

    /// Binds the array: one dimension, lower bound 1, no null elements (array_recv in PostgreSQL's
    /// arrayfuncs.c).
    @inlinable package func bind(to bindings: inout Bindings) {
        var elements = Bindings()
        for element in self { element.bind(to: &elements) }
        bindings.bind(Element.arrayType) { bytes in
            bytes.appendBigEndian(Int32(isEmpty ? 0 : 1))
            bytes.appendBigEndian(Int32(0))
            bytes.appendBigEndian(Element.postgresType.oid)
            guard !isEmpty else { return }
            bytes.appendBigEndian(Int32(count))
            bytes.appendBigEndian(Int32(1))
            for slot in elements.slots {
                bytes.appendBigEndian(slot.length)
                let start = Int(slot.offset)
                bytes.append(contentsOf: elements.bytes[start..<start + Int(slot.length)])
            }
        }
    }
}

extension Array: RowPart where Element: PostgresArrayElement {}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    @inlinable package static func reads(_ type: PostgresType) -> Bool { type == Element.arrayType }

    @inlinable package static func decode(_ column: ColumnValue) throws(ColumnError) -> [Element] {
        try column.array { (element) throws(ColumnError) in try Element.decode(element) }
    }
}

extension ColumnValue {
    /// Returns the elements of a one-dimensional array without nulls, each decoded by `decode`.
    @inlinable
    package func array<Element>(
        _ decode: (ColumnValue) throws(ColumnError) -> Element
    ) throws(ColumnError) -> [Element] {
        let bytes = try present()
        guard bytes.count >= 12 else { throw ColumnError("an array without its header") }
        let dimensions = bytes.bigEndian(Int32.self)
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else {
            throw ColumnError("an array of \(dimensions) dimensions where one is expected")
        }
        let type = PostgresType(oid: bytes.bigEndian(UInt32.self, at: 8))
        let count = Int(bytes.bigEndian(Int32.self, at: 12))
        guard count >= 0, count <= bytes.count / 4 else {
            throw ColumnError("an array longer than its bytes")
        }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            guard offset + 4 <= bytes.count else { throw ColumnError("a truncated array") }
            let length = Int(bytes.bigEndian(Int32.self, at: offset))
            offset += 4
            guard length >= 0, offset + length <= bytes.count else {
                throw ColumnError("an array with a null or truncated element")
            }
            let slice = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            elements.append(try decode(ColumnValue(type: type, bytes: slice)))
            offset += length
        }
        return elements
    }
}
