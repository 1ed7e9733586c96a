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
    static var arrayType: PostgresType { get }
}

extension UInt128: PostgresArrayElement {
    package static var arrayType: PostgresType { .uuidArray }
}
extension String: PostgresArrayElement {
    package static var arrayType: PostgresType { .textArray }
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
