/// A value that can be bound to a statement's parameter, in PostgreSQL's binary format.
@usableFromInline package protocol PostgresEncodable: SendableMetatype {
    /// The type that the parameter is declared with.
    static var postgresType: PostgresType { get }

    /// Appends the value as one parameter.
    ///
    /// - Important: Appends exactly one parameter, by one call of `Bindings.bind` or
    ///   `Bindings.bindNull`.
    func bind(to bindings: inout Bindings)
}

/// The parameters of one or more statements, in one run of bytes.
@usableFromInline package struct Bindings: Sendable {
    @usableFromInline struct Slot: Sendable {
        @usableFromInline let type: PostgresType
        @usableFromInline let offset: Int32
        /// Number of bytes; -1 for NULL.
        @usableFromInline let length: Int32

        @inlinable
        init(type: PostgresType, offset: Int32, length: Int32) {
            self.type = type
            self.offset = offset
            self.length = length
        }
    }

    /// Enough for most batches.
    private static let usualBytes = 1024
    private static let usualSlots = 64

    @usableFromInline private(set) var bytes: [UInt8] = []
    @usableFromInline private(set) var slots: [Slot] = []

    @inlinable var slotCount: Int { slots.count }

    @inlinable package init() {}

    /// Appends a parameter whose binary form `body` writes.
    @inlinable
    package mutating func bind(_ type: PostgresType, _ body: (inout [UInt8]) -> Void) {
        if slots.isEmpty { reserve() }
        let start = bytes.count
        body(&bytes)
        slots.append(
            Slot(type: type, offset: Int32(start), length: Int32(bytes.count - start)))
    }

    /// Appends NULL.
    @inlinable
    package mutating func bindNull(_ type: PostgresType) {
        if slots.isEmpty { reserve() }
        slots.append(Slot(type: type, offset: Int32(bytes.count), length: -1))
    }

    @usableFromInline
    mutating func reserve() {
        bytes.reserveCapacity(Self.usualBytes)
        slots.reserveCapacity(Self.usualSlots)
    }

    /// Appends an array of `count` parameters of `others`, whose indices `slotIndex` returns;
    /// parameters may be NULL.
    mutating func bindArray(of count: Int, in others: Bindings, at slotIndex: (Int) -> Int) {
        precondition(count > 0, "an array parameter needs at least one element")
        let type = others.slots[slotIndex(0)].type
        var hasNull = false
        var length = 20
        for index in 0..<count {
            let slot = others.slots[slotIndex(index)]
            if slot.length < 0 { hasNull = true }
            length += 4 + max(0, Int(slot.length))
        }
        bind(type.array) { bytes in
            bytes.reserveCapacity(bytes.count + length)
            bytes.appendBigEndian(Int32(1))
            bytes.appendBigEndian(Int32(hasNull ? 1 : 0))
            bytes.appendBigEndian(type.oid)
            bytes.appendBigEndian(Int32(count))
            bytes.appendBigEndian(Int32(1))
            for index in 0..<count {
                let slot = others.slots[slotIndex(index)]
                bytes.appendBigEndian(slot.length)
                guard slot.length > 0 else { continue }
                let start = Int(slot.offset)
                bytes.append(contentsOf: others.bytes[start..<start + Int(slot.length)])
            }
        }
    }

    /// Removes all parameters but the first `count`.
    mutating func truncate(to count: Int) {
        guard count < slots.count else { return }
        bytes.removeLast(bytes.count - Int(slots[count].offset))
        slots.removeLast(slots.count - count)
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    @inlinable @inline(__always)
    package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { self.append(contentsOf: $0) }
    }
}
