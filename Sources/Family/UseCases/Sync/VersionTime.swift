import Domain

/// Time at which a version was assigned, as precisely as a cursor stores it.
///
/// A restored backup and a failover that loses commits assign version numbers a second time, to
/// other changes. Two versions with the same number have different times.
struct VersionTime: Hashable, Sendable {
    /// The last 24 bits of the microseconds; 0 if the time is unknown.
    let microseconds24: UInt32

    static let unknown = VersionTime(microseconds24: 0)

    init(microseconds24: UInt32) { self.microseconds24 = microseconds24 }

    init(_ raisedAt: Timestamp?) {
        microseconds24 = UInt32(truncatingIfNeeded: raisedAt?.microseconds ?? 0) & 0xFF_FFFF
    }

    /// Whether the version that a client has seen differs from the current version with the same
    /// number, because their times differ.
    func isOther(than present: VersionTime) -> Bool { microseconds24 != 0 && self != present }
}
