import Domain

/// Time at which a version was assigned, as precisely as a cursor stores it.
///
/// A restored backup and a failover that loses commits assign version numbers a second time, to
/// other changes. The times of the two differ.
struct VersionMoment: Hashable, Sendable {
    /// The last 24 bits of the microseconds; 0 if the time is unknown.
    let bits: UInt32

    static let unknown = VersionMoment(bits: 0)

    init(bits: UInt32) { self.bits = bits }

    init(_ raisedAt: Timestamp?) {
        bits = UInt32(truncatingIfNeeded: raisedAt?.microseconds ?? 0) & 0xFF_FFFF
    }

    /// Whether the version with this time, which a client has seen, differs from the one that has
    /// its number now.
    func isOther(than present: VersionMoment) -> Bool { bits != 0 && self != present }
}
