import CCbor

/// Parses CBOR item by item with libcbor's decoder, which allocates nothing. The input bounds the
/// size of the result.
///
/// The rules are those of CTAP2 for authenticators: lengths are definite, nothing is tagged, keys
/// are unique, and nesting is shallow. The order of keys and the width of numbers don't matter.
struct CBORReader {
    static let depthLimit = 6
    static let itemLimit = 256

    /// The reason why bytes can't be parsed, with the offset.
    struct Fault: Error, Equatable {
        let offset: Int
        let reason: Reason

        enum Reason: String {
            case truncated, malformed, unsupported, tooDeep, tooMany, repeatedKey, notUTF8
        }
    }

    private let bytes: [UInt8]
    private var offset: Int
    private var items = 0
    private var callbacks = cbor_empty_callbacks

    /// Parses one item that begins at `start`; returns the item and the offset of its end.
    static func item(
        in bytes: [UInt8], from start: Int = 0
    ) throws(Fault) -> (value: CBORValue, end: Int) {
        var reader = CBORReader(bytes, from: start)
        let value = try reader.value(depth: 0)
        return (value, reader.offset)
    }

    /// Parses one item that fills all of `bytes`.
    static func document(_ bytes: [UInt8]) throws(Fault) -> CBORValue {
        let (value, end) = try item(in: bytes)
        guard end == bytes.count else { throw Fault(offset: end, reason: .malformed) }
        return value
    }

    private init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        offset = start
        Head.register(in: &callbacks)
    }

    private mutating func value(depth: Int) throws(Fault) -> CBORValue {
        let start = offset
        guard depth < Self.depthLimit else { throw Fault(offset: start, reason: .tooDeep) }
        switch try head() {
        case .unsigned(let number): return .unsigned(number)
        case .negative(let number): return .negative(number)
        case .bytes(let bytes): return .bytes(bytes)
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Fault(offset: start, reason: .notUTF8)
            }
            return .text(text)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .array(let count):
            var elements: [CBORValue] = []
            for _ in 0..<(try length(count)) { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case .map(let count):
            var entries: [CBORMap.Entry] = []
            for _ in 0..<(try length(count)) {
                let keyOffset = offset
                let key = try value(depth: depth + 1)
                guard !entries.contains(where: { $0.key == key }) else {
                    throw Fault(offset: keyOffset, reason: .repeatedKey)
                }
                entries.append(.init(key: key, value: try value(depth: depth + 1)))
            }
            return .map(CBORMap(entries: entries))
        case .none, .unsupported: throw Fault(offset: start, reason: .unsupported)
        }
    }

    /// Returns the number of elements. Throws if there are fewer bytes left, because each element
    /// takes at least one byte.
    private func length(_ count: UInt64) throws(Fault) -> Int {
        guard let count = Int(exactly: count), count <= bytes.count - offset else {
            throw Fault(offset: offset, reason: .truncated)
        }
        return count
    }

    /// Reads the head of the next item, without nested items.
    private mutating func head() throws(Fault) -> Head {
        items += 1
        guard items <= Self.itemLimit else { throw Fault(offset: offset, reason: .tooMany) }
        var head = Head.none
        let result = bytes.withUnsafeBufferPointer { buffer in
            let rest = buffer[offset...]
            return withUnsafeMutablePointer(to: &head) { head in
                withUnsafePointer(to: callbacks) {
                    cbor_stream_decode(
                        UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count, $0, head)
                }
            }
        }
        switch result.status {
        case CBOR_DECODER_FINISHED: break
        case CBOR_DECODER_NEDATA: throw Fault(offset: offset, reason: .truncated)
        default: throw Fault(offset: offset, reason: .malformed)
        }
        offset += result.read
        return head
    }
}

/// An item found by libcbor's decoder.
private enum Head {
    case none
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes([UInt8])
    case text([UInt8])
    case array(UInt64)
    case map(UInt64)
    case bool(Bool)
    case null
    /// Indefinite lengths, tags, fractions.
    case unsupported

    /// Registers callbacks that store each item in the `Head` passed as their context.
    static func register(in callbacks: inout cbor_callbacks) {
        callbacks.uint8 = { store(.unsigned(UInt64($1)), $0) }
        callbacks.uint16 = { store(.unsigned(UInt64($1)), $0) }
        callbacks.uint32 = { store(.unsigned(UInt64($1)), $0) }
        callbacks.uint64 = { store(.unsigned($1), $0) }
        callbacks.negint8 = { store(.negative(UInt64($1)), $0) }
        callbacks.negint16 = { store(.negative(UInt64($1)), $0) }
        callbacks.negint32 = { store(.negative(UInt64($1)), $0) }
        callbacks.negint64 = { store(.negative($1), $0) }
        callbacks.byte_string = { store(.bytes(copy($1, Int($2))), $0) }
        callbacks.string = { store(.text(copy($1, Int($2))), $0) }
        // A 64-bit number whose type depends on libcbor's version.
        callbacks.array_start = { store(.array(UInt64(truncatingIfNeeded: $1)), $0) }
        callbacks.map_start = { store(.map(UInt64(truncatingIfNeeded: $1)), $0) }
        callbacks.boolean = { store(.bool($1), $0) }
        callbacks.null = { store(.null, $0) }
        callbacks.byte_string_start = { store(.unsupported, $0) }
        callbacks.string_start = { store(.unsupported, $0) }
        callbacks.indef_array_start = { store(.unsupported, $0) }
        callbacks.indef_map_start = { store(.unsupported, $0) }
        callbacks.indef_break = { store(.unsupported, $0) }
        callbacks.undefined = { store(.unsupported, $0) }
        callbacks.tag = { context, _ in store(.unsupported, context) }
        callbacks.float2 = { context, _ in store(.unsupported, context) }
        callbacks.float4 = { context, _ in store(.unsupported, context) }
        callbacks.float8 = { context, _ in store(.unsupported, context) }
    }
}

/// Stores an item for the reader. A free function, because the decoder's callbacks can't capture
/// anything.
private func store(_ head: Head, _ context: UnsafeMutableRawPointer?) {
    context?.assumingMemoryBound(to: Head.self).pointee = head
}

private func copy(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
}
