// Conformances of the standard library's types. `uuid` travels as `UInt128`: sixteen bytes in
// network order, so that this module needs no identifier types of its callers.

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
