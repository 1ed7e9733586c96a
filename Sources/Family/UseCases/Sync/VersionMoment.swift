import Domain

/// When a version was given, as far as a cursor keeps it.
///
/// A restored backup and a failover that loses commits give numbers of versions a second time, to
/// other changes. The moments of the two differ.
struct VersionMoment: Hashable, Sendable {
    /// The last 24 bits of the microseconds; 0 if the moment is not known.
    let bits: UInt32

    static let unknown = VersionMoment(bits: 0)

    init(bits: UInt32) { self.bits = bits }

    init(_ raisedAt: Timestamp?) {
        bits = UInt32(truncatingIfNeeded: raisedAt?.microseconds ?? 0) & 0xFF_FFFF
    }

    /// Whether the version of this moment, which a client has seen, is another one than that which
    /// has its number now.
    func isOther(than present: VersionMoment) -> Bool { bits != 0 && self != present }
}
