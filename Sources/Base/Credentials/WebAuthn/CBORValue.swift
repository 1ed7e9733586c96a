/// A CBOR data item in memory (RFC 8949), of the kinds that authenticators use.
enum CBORValue: Sendable, Equatable {
    case unsigned(UInt64)
    /// A negative number: -1 minus this value.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map(CBORMap)
    case bool(Bool)
    case null

    /// The value as an Int64; nil if it is not a whole number in that range.
    var integer: Int64? {
        switch self {
        case .unsigned(let number): Int64(exactly: number)
        case .negative(let number): Int64(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var map: CBORMap? {
        if case .map(let map) = self { map } else { nil }
    }
}

/// The entries of a map, in the order in which they were written; keys are unique.
struct CBORMap: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let key: CBORValue
        let value: CBORValue
    }

    let entries: [Entry]

    /// Returns the value of a text key.
    subscript(name: String) -> CBORValue? {
        entries.first { $0.key == .text(name) }?.value
    }

    /// Returns the value of an integer key.
    subscript(label: Int64) -> CBORValue? {
        entries.first { $0.key.integer == label }?.value
    }
}
