import Glibc

/// A range of addresses: one address, or all addresses with the same prefix (CIDR).
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    /// The first address of the range.
    package let first: PeerAddress
    /// Length of the shared prefix in bits.
    package let prefixBits: Int

    /// Parses `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`; nil for any other text, or if a bit after
    /// the prefix is set, because the meaning is then unclear.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = PeerAddress(parsing: String(parts[0])) else {
            return nil
        }
        let width = address.bytes.count * 8
        var bits = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(parts[1]),
                length <= width
            else { return nil }
            bits = length
        }
        first = address
        prefixBits = bits
        guard address == Self.masked(address, bits) else { return nil }
    }

    /// Returns a problem for each word of a setting that is not a range.
    package static func problems(_ words: [String]) -> [String] {
        words.filter { AddressRange($0) == nil }
            .map { "'\($0)' is neither an address nor a block of addresses" }
    }

    /// Whether an address is in the range.
    package func contains(_ address: PeerAddress) -> Bool {
        address.bytes.count == first.bytes.count && Self.masked(address, prefixBits) == first
    }

    /// The text form: `10.0.0.0/8`.
    package var description: String { "\(first)/\(prefixBits)" }

    private static func masked(_ address: PeerAddress, _ bits: Int) -> PeerAddress {
        PeerAddress(
            address.bytes.enumerated().map { index, byte in
                let networkBits = min(8, max(0, bits - index * 8))
                return byte & UInt8(truncatingIfNeeded: 0xFF00 >> networkBits)
            })
    }
}
