import Glibc

/// A point in monotonic time by which a wait must end.
///
/// Every wait in this module takes one; `never` has to be asked for by name.
package struct Deadline: Sendable, Comparable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    package let nanoseconds: UInt64

    private init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The moment that lies `seconds` ahead; a negative number means now.
    package static func after(seconds: Double) -> Deadline {
        let ahead = UInt64(max(0, min(seconds, 1e9)) * 1e9)
        return Deadline(nanoseconds: monotonicNanoseconds() + ahead)
    }

    /// No limit. For work whose length only its owner knows, such as a migration.
    package static let never = Deadline(nanoseconds: .max)

    package static func < (a: Deadline, b: Deadline) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Whether the moment has come.
    package var hasPassed: Bool { self != .never && Self.monotonicNanoseconds() >= nanoseconds }

    /// Seconds that are left, 0 when it has passed, infinity for `never`.
    package var remainingSeconds: Double {
        if self == .never { return .infinity }
        let now = Self.monotonicNanoseconds()
        return now >= nanoseconds ? 0 : Double(nanoseconds - now) / 1e9
    }

    /// The time left in the form that `poll` takes: milliseconds rounded up, -1 for `never`.
    package var pollMilliseconds: Int32 {
        if self == .never { return -1 }
        let now = Self.monotonicNanoseconds()
        guard now < nanoseconds else { return 0 }
        return Int32(min((nanoseconds - now + 999_999) / 1_000_000, UInt64(Int32.max)))
    }

    static func monotonicNanoseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
