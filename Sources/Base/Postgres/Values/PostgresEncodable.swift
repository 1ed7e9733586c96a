/// A value that can be bound to a statement's parameter, in PostgreSQL's binary format.
package protocol PostgresEncodable: SendableMetatype {
    /// The type that the parameter is declared with.
    static var postgresType: PostgresType { get }

    /// Appends the value as one parameter.
    ///
    /// - Important: Appends exactly one, by one call of `Bindings.bind` or `Bindings.bindNull`.
    func bind(to bindings: inout Bindings)
}

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
        .int8Array: "bigint[]", .byteaArray: "bytea[]", .textArray: "text[]", .bpchar: "character",
        .varchar: "character varying", .timestamptz: "timestamp with time zone",
        .timestamptzArray: "timestamp with time zone[]", .void: "void", .uuid: "uuid",
        .uuidArray: "uuid[]", .jsonb: "jsonb",
    ]

    /// All types that have a name here, in the order of their object ids.
    static var named: [PostgresType] { names.keys.sorted { $0.oid < $1.oid } }

    package var description: String { Self.names[self] ?? "type with oid \(oid)" }
}

/// The parameters of one or more statements, in one run of bytes.
package struct Bindings: Sendable {
    struct Slot: Sendable {
        let type: PostgresType
        let offset: Int32
        /// -1 means NULL.
        let length: Int32
    }

    private(set) var bytes: [UInt8] = []
    private(set) var slots: [Slot] = []

    package init() {}

    /// Appends a parameter whose binary form `body` writes.
    package mutating func bind(_ type: PostgresType, _ body: (inout [UInt8]) -> Void) {
        let start = bytes.count
        body(&bytes)
        slots.append(
            Slot(type: type, offset: Int32(start), length: Int32(bytes.count - start)))
    }

    /// Appends NULL.
    package mutating func bindNull(_ type: PostgresType) {
        slots.append(Slot(type: type, offset: Int32(bytes.count), length: -1))
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    @inline(__always)
    package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { self.append(contentsOf: $0) }
    }
}
