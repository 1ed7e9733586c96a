// PostgreSQL's types, and the Swift types that travel as them.

/// A PostgreSQL type by its object id. The ids of built-in types are part of the protocol.
package struct PostgresType: Hashable, Sendable, CustomStringConvertible {
    package let oid: UInt32
    package init(oid: UInt32) { self.oid = oid }

    package static let bool = PostgresType(oid: 16)
    package static let bytea = PostgresType(oid: 17)
    package static let char = PostgresType(oid: 18)
    package static let name = PostgresType(oid: 19)
    package static let int8 = PostgresType(oid: 20)
    package static let int2 = PostgresType(oid: 21)
    package static let int4 = PostgresType(oid: 23)
    package static let text = PostgresType(oid: 25)
    package static let oidType = PostgresType(oid: 26)
    package static let json = PostgresType(oid: 114)
    package static let float4 = PostgresType(oid: 700)
    package static let float8 = PostgresType(oid: 701)
    package static let unknown = PostgresType(oid: 705)
    package static let boolArray = PostgresType(oid: 1000)
    package static let int4Array = PostgresType(oid: 1007)
    package static let int8Array = PostgresType(oid: 1016)
    package static let byteaArray = PostgresType(oid: 1001)
    package static let textArray = PostgresType(oid: 1009)
    package static let bpchar = PostgresType(oid: 1042)
    package static let varchar = PostgresType(oid: 1043)
    package static let timestamptz = PostgresType(oid: 1184)
    package static let timestamptzArray = PostgresType(oid: 1185)
    package static let void = PostgresType(oid: 2278)
    package static let uuid = PostgresType(oid: 2950)
    package static let uuidArray = PostgresType(oid: 2951)
    package static let jsonb = PostgresType(oid: 3802)

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

    /// Arrays of this type; only of those that parameters of shared statements have.
    var array: PostgresType {
        guard let type = Self.arrays[self] else {
            preconditionFailure("no array type is known of \(self)")
        }
        return type
    }

    /// All types that have a name here, in the order of their object ids.
    static var named: [PostgresType] { names.keys.sorted { $0.oid < $1.oid } }

    package var description: String { Self.names[self] ?? "type with oid \(oid)" }
}

// Which of them the standard library's types travel as. `uuid` travels as `UInt128`: sixteen bytes
// in network order, so that this module needs no identifier types of its callers.

extension Bool: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .bool }
    package static func reads(_ type: PostgresType) -> Bool { type == .bool }
    package static var specimen: Bool { false }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.bool) { $0.append(self ? 1 : 0) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Bool {
        try column.fixed(1)[0] != 0
    }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .int8 }
    package static func reads(_ type: PostgresType) -> Bool {
        type == .int8 || type == .int4 || type == .int2 || type == .oidType
    }
    package static var specimen: Int64 { 0 }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.int8) { $0.appendBigEndian(self) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int64 {
        switch column.type {
        case .int4: Int64(try column.fixed(4).bigEndian(Int32.self))
        case .int2: Int64(try column.fixed(2).bigEndian(Int16.self))
        case .oidType: Int64(try column.fixed(4).bigEndian(UInt32.self))
        default: try column.fixed(8).bigEndian(Int64.self)
        }
    }
}

extension Int: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .int8 }
    package static func reads(_ type: PostgresType) -> Bool { Int64.reads(type) }
    package static var specimen: Int { 0 }
    package func bind(to bindings: inout Bindings) { Int64(self).bind(to: &bindings) }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int {
        Int(try Int64.decode(column))
    }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .int4 }
    package static func reads(_ type: PostgresType) -> Bool { type == .int4 }
    package static var specimen: Int32 { 0 }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.int4) { $0.appendBigEndian(self) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int32 {
        try column.fixed(4).bigEndian(Int32.self)
    }
}

extension Int16: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .int2 }
    package static func reads(_ type: PostgresType) -> Bool { type == .int2 }
    package static var specimen: Int16 { 0 }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.int2) { $0.appendBigEndian(self) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Int16 {
        try column.fixed(2).bigEndian(Int16.self)
    }
}

extension Double: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .float8 }
    package static func reads(_ type: PostgresType) -> Bool { type == .float8 }
    package static var specimen: Double { 0 }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.float8) { $0.appendBigEndian(bitPattern) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Double {
        Double(bitPattern: try column.fixed(8).bigEndian(UInt64.self))
    }
}

extension String: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .text }
    package static func reads(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .name || type == .bpchar || type == .char
            || type == .unknown
    }
    package static var specimen: String { "" }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.text) { $0.append(contentsOf: utf8) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> String {
        String(decoding: try column.present(), as: UTF8.self)
    }
}

extension UInt128: PostgresEncodable, PostgresDecodable {
    package static var postgresType: PostgresType { .uuid }
    package static func reads(_ type: PostgresType) -> Bool { type == .uuid }
    package static var specimen: UInt128 { 0 }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.uuid) { $0.appendBigEndian(self) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> UInt128 {
        try column.fixed(16).bigEndian(UInt128.self)
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package static var postgresType: PostgresType { Wrapped.postgresType }
    package func bind(to bindings: inout Bindings) {
        if let self { self.bind(to: &bindings) } else { bindings.bindNull(Wrapped.postgresType) }
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    package static func reads(_ type: PostgresType) -> Bool { Wrapped.reads(type) }
    package static var allowsNull: Bool { true }
    package static var specimen: Wrapped? { Wrapped.specimen }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> Wrapped? {
        column.bytes == nil ? nil : try Wrapped.decode(column)
    }
}

// Types that PostgreSQL has and the standard library lacks.

/// A `timestamptz` in its wire form.
package struct PostgresTimestamp: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    /// Microseconds since 2000-01-01 00:00:00 UTC; the extremes of Int64 are the infinities.
    package let microsecondsSince2000: Int64

    package init(microsecondsSince2000: Int64) {
        self.microsecondsSince2000 = microsecondsSince2000
    }

    package static var postgresType: PostgresType { .timestamptz }
    package static func reads(_ type: PostgresType) -> Bool { type == .timestamptz }
    package static var specimen: PostgresTimestamp { PostgresTimestamp(microsecondsSince2000: 0) }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.timestamptz) { $0.appendBigEndian(microsecondsSince2000) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> PostgresTimestamp {
        PostgresTimestamp(microsecondsSince2000: try column.fixed(8).bigEndian(Int64.self))
    }
}

/// A `bytea`.
package struct PostgresBytes: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static var postgresType: PostgresType { .bytea }
    package static func reads(_ type: PostgresType) -> Bool { type == .bytea }
    package static var specimen: PostgresBytes { PostgresBytes([]) }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.bytea) { $0.append(contentsOf: bytes) }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> PostgresBytes {
        PostgresBytes(Array(try column.present()))
    }
}

/// A `jsonb` or `json` document as UTF-8 text; what it means is the reader's business.
package struct PostgresJSON: Hashable, Sendable, PostgresEncodable, PostgresDecodable {
    package let utf8: [UInt8]
    package init(utf8: [UInt8]) { self.utf8 = utf8 }

    package static var postgresType: PostgresType { .jsonb }
    package static func reads(_ type: PostgresType) -> Bool { type == .jsonb || type == .json }
    package static var specimen: PostgresJSON { PostgresJSON(utf8: Array("{}".utf8)) }
    package func bind(to bindings: inout Bindings) {
        bindings.bind(.jsonb) {
            $0.append(1)  // the version of jsonb's binary form
            $0.append(contentsOf: utf8)
        }
    }
    package static func decode(_ column: ColumnValue) throws(ColumnError) -> PostgresJSON {
        let bytes = try column.present()
        guard column.type == .jsonb else { return PostgresJSON(utf8: Array(bytes)) }
        guard bytes.first == 1 else { throw ColumnError("jsonb of an unknown version") }
        return PostgresJSON(utf8: Array(bytes.dropFirst()))
    }
}

/// An element whose arrays can be bound and read.
package protocol PostgresArrayElement: PostgresEncodable, PostgresDecodable {
    /// The type of an array of these elements.
    static var arrayType: PostgresType { get }
}

extension UInt128: PostgresArrayElement {
    package static var arrayType: PostgresType { .uuidArray }
}
extension String: PostgresArrayElement {
    package static var arrayType: PostgresType { .textArray }
}
extension Int32: PostgresArrayElement {
    package static var arrayType: PostgresType { .int4Array }
}
extension Int64: PostgresArrayElement {
    package static var arrayType: PostgresType { .int8Array }
}
extension PostgresBytes: PostgresArrayElement {
    package static var arrayType: PostgresType { .byteaArray }
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    package static var postgresType: PostgresType { Element.arrayType }

    /// One dimension, lower bound 1, no null elements (array_recv in PostgreSQL's arrayfuncs.c).
    package func bind(to bindings: inout Bindings) {
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

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    package static func reads(_ type: PostgresType) -> Bool { type == Element.arrayType }
    package static var specimen: [Element] { [] }

    package static func decode(_ column: ColumnValue) throws(ColumnError) -> [Element] {
        let bytes = try column.present()
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
            elements.append(try Element.decode(ColumnValue(type: type, bytes: slice)))
            offset += length
        }
        return elements
    }
}
