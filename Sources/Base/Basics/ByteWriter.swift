/// A buffer for building bytes: a document, a line, a message head.
///
/// Used for everything written with every request. An array checks its uniqueness at each append,
/// and calls a function to copy; this buffer has one owner, and copies short pieces itself, sixteen
/// bytes at a time. It therefore always has room for sixteen bytes more than needed.
@usableFromInline package struct ByteWriter: ~Copyable, @unchecked Sendable {
    // Sendable: the memory belongs to the only owner.
    @usableFromInline private(set) var base: UnsafeMutablePointer<UInt8>
    /// Number of bytes written.
    @usableFromInline package private(set) var count = 0
    @usableFromInline private(set) var capacity: Int
    /// Whether the memory belongs to the caller of `init(in:)` and not to this buffer.
    package private(set) var isBorrowed: Bool

    /// Number of bytes copied at once.
    @usableFromInline static var step: Int { 16 }

    /// Creates an empty buffer with this capacity.
    package init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity + Self.step)
        isBorrowed = false
    }

    /// Creates an empty buffer that uses the caller's memory as long as the bytes fit. The memory
    /// must outlive the buffer.
    package init(in memory: UnsafeMutableBufferPointer<UInt8>) {
        guard let start = memory.baseAddress, memory.count > Self.step else {
            preconditionFailure("the memory is too small for a buffer")
        }
        capacity = memory.count - Self.step
        base = start
        isBorrowed = true
    }

    deinit {
        if !isBorrowed { base.deallocate() }
    }

    /// A copy of the bytes written so far.
    package var array: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// Calls `body` with the bytes written so far, without copying them.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: base, count: count))
    }

    /// Makes room for `more` bytes.
    @inlinable @inline(__always)
    package mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @usableFromInline
    mutating func grow(by more: Int) {
        let larger = max(2 * capacity, count + more)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.step)
        memory.initialize(from: base, count: count)
        if !isBorrowed { base.deallocate() }
        isBorrowed = false
        base = memory
        capacity = larger
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    /// Appends bytes.
    @inlinable
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    /// Appends the bytes of an array.
    @inlinable
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Appends a string literal.
    @inlinable
    package mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a string as UTF-8.
    @inlinable
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends prepared bytes, without the first `start` and the last `rest`.
    @inlinable
    package mutating func append(_ bytes: ReadyBytes, from start: Int = 0, leaving rest: Int = 0) {
        let length = bytes.count - start - rest
        reserve(length)
        let target = UnsafeMutableRawPointer(base + count)
        bytes.padded.withUnsafeBytes { memory in
            guard let source = memory.baseAddress else { return }
            var offset = 0
            while offset < length {
                let piece = source.loadUnaligned(
                    fromByteOffset: start + offset, as: SIMD16<UInt8>.self)
                target.storeBytes(of: piece, toByteOffset: offset, as: SIMD16<UInt8>.self)
                offset += Self.step
            }
        }
        count += length
    }

    /// Appends at most `limit` bytes, which `write` puts into the buffer. `write` returns their
    /// number.
    @inlinable @inline(__always)
    package mutating func append(
        atMost limit: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        reserve(limit)
        count += write(UnsafeMutableBufferPointer(start: base + count, count: limit))
    }

    /// Appends the decimal digits of a number.
    package mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(digits: number.magnitude, width: 1)
    }

    /// Appends the decimal digits of a number, with leading zeros up to a width.
    package mutating func append(digits number: UInt64, width: Int) {
        var length = 1
        var rest = number / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        length = max(length, width)
        reserve(length)
        rest = number
        for index in (0..<length).reversed() {
            base[count + index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += length
    }

    /// Whether none of the bytes from `start` on is matched by `isFound`, which examines eight
    /// bytes at once and sets the highest bit of each matching byte, and possibly that of bytes
    /// after it.
    @inlinable @inline(__always)
    package mutating func none(from start: Int, _ isFound: (UInt64) -> UInt64) -> Bool {
        let end = count
        var offset = start
        var found: UInt64 = 0
        let memory = UnsafeRawPointer(base)
        while offset + 8 <= end {
            found |= isFound(memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        if offset < end {
            // There is room after the end, but it is uninitialised.
            UnsafeMutableRawPointer(base).storeBytes(of: 0, toByteOffset: end, as: UInt64.self)
            let word = memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let rest = UInt64(8 * (end - offset))
            found |= isFound(word.littleEndian) & ((1 << rest) - 1)
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Removes the last bytes, so that `count` are left.
    @inlinable
    package mutating func cut(to count: Int) {
        precondition(count <= self.count, "fewer bytes have been written")
        self.count = count
    }
}

/// Bytes that are written often, prepared once.
@usableFromInline package struct ReadyBytes: Sendable {
    /// The bytes with sixteen more after them, so that they can be copied sixteen at a time.
    @usableFromInline let padded: [UInt8]
    /// Number of bytes, without the padding.
    @usableFromInline package let count: Int

    package init(_ bytes: [UInt8]) {
        padded = bytes + [UInt8](repeating: 0, count: ByteWriter.step)
        count = bytes.count
    }
}
