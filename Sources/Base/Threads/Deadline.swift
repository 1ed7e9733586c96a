import Glibc

/// A point in monotonic time by which a wait must end; it may lie in the past.
///
/// Every wait takes one; `never` has to be asked for by name.
package struct Deadline: Sendable, Hashable, Comparable {
    /// Nanoseconds of ``MonotonicClock``; negative for what lies before the clock began.
    package let nanoseconds: Int

    private init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// The point that lies `seconds` ahead; with a negative number it lies in the past.
    ///
    /// More than 30 years ahead or back count as 30 years or so.
    package static func after(seconds: Double) -> Deadline {
        Deadline(nanoseconds: MonotonicClock.nanoseconds()).adding(seconds: seconds)
    }

    /// No limit. For work whose length only its owner knows, such as a migration.
    package static let never = Deadline(nanoseconds: .max)

    /// The point that lies `seconds` later, or earlier where they are negative. `never` stays.
    package func adding(seconds: Double) -> Deadline {
        if self == .never { return .never }
        let step = Int(max(-1e9, min(seconds, 1e9)) * 1e9)
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(step)
        if isBeyond { return step > 0 ? .never : Deadline(nanoseconds: .min) }
        return Deadline(nanoseconds: sum)
    }

    package static func < (a: Deadline, b: Deadline) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Whether the point has come.
    package var hasPassed: Bool { self != .never && MonotonicClock.nanoseconds() >= nanoseconds }

    /// Seconds that are left, 0 when it has passed, infinity for `never`.
    package var remainingSeconds: Double {
        self == .never ? .infinity : Double(remainingNanoseconds) / 1e9
    }

    /// The time left in the form that `poll` takes: milliseconds rounded up, -1 for `never`.
    package var pollMilliseconds: Int32 {
        if self == .never { return -1 }
        let left = remainingNanoseconds
        return Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }

    /// Nanoseconds that are left, 0 when it has passed.
    private var remainingNanoseconds: Int {
        let now = MonotonicClock.nanoseconds()
        return now >= nanoseconds ? 0 : nanoseconds - now
    }
}

/// The system's clock that never jumps (CLOCK_MONOTONIC): the one clock by which Hearth measures
/// and waits. It advances while a process is stopped, and pauses while the machine is suspended.
///
/// A point by which something has to end is a ``Deadline``.
package enum MonotonicClock {
    /// Nanoseconds since some moment before the program began: for measuring.
    package static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Seconds that have passed since the clock showed so many nanoseconds.
    package static func seconds(since nanoseconds: Int) -> Double {
        Double(Self.nanoseconds() - nanoseconds) / 1e9
    }

    /// Lets that much time pass, signals or not.
    package static func pause(seconds: Double) {
        let end = Deadline.after(seconds: seconds)
        while !end.hasPassed { _ = poll(nil, 0, end.pollMilliseconds) }
    }
}
