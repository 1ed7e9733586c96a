import Glibc

/// A point in monotonic time by which a wait must end; it may be in the past.
///
/// Every wait takes a deadline, and an unlimited wait must say `never` explicitly.
package struct Deadline: Sendable, Hashable, Comparable {
    /// Nanoseconds of ``MonotonicClock``; negative for times before the clock began.
    package let nanoseconds: Int

    private init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// Returns the time `seconds` from now; with a negative number it is in the past.
    ///
    /// Times more than about 30 years away are limited to about 30 years.
    package static func after(seconds: Double) -> Deadline {
        Deadline(nanoseconds: MonotonicClock.nanoseconds()).adding(seconds: seconds)
    }

    /// A deadline that never passes, for work whose duration only its caller knows, such as a
    /// migration.
    package static let never = Deadline(nanoseconds: .max)

    /// Returns the time `seconds` later, or earlier if negative. `never` stays `never`.
    package func adding(seconds: Double) -> Deadline {
        if self == .never { return .never }
        let step = Int(max(-1e9, min(seconds, 1e9)) * 1e9)
        let (sum, isBeyond) = nanoseconds.addingReportingOverflow(step)
        if isBeyond { return step > 0 ? .never : Deadline(nanoseconds: .min) }
        return Deadline(nanoseconds: sum)
    }

    package static func < (a: Deadline, b: Deadline) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Whether the deadline has passed.
    package var hasPassed: Bool { self != .never && MonotonicClock.nanoseconds() >= nanoseconds }

    /// Seconds left; 0 if the deadline has passed, infinity for `never`.
    package var remainingSeconds: Double {
        self == .never ? .infinity : Double(remainingNanoseconds) / 1e9
    }

    /// Time left as `poll` takes it: milliseconds rounded up, -1 for `never`.
    package var pollMilliseconds: Int32 {
        if self == .never { return -1 }
        let left = remainingNanoseconds
        return Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0))
    }

    /// Nanoseconds left; 0 if the deadline has passed.
    private var remainingNanoseconds: Int {
        let now = MonotonicClock.nanoseconds()
        return now >= nanoseconds ? 0 : nanoseconds - now
    }
}

/// The system's clock that never jumps (CLOCK_MONOTONIC), with which Hearth measures all durations
/// and waits. It advances while a process is stopped, and pauses while the machine is suspended.
///
/// A time by which something must end is a ``Deadline``.
package enum MonotonicClock {
    /// Returns nanoseconds since some time before the program began, for measuring durations.
    package static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Returns the seconds that have passed since the clock showed the given nanoseconds.
    package static func seconds(since nanoseconds: Int) -> Double {
        Double(Self.nanoseconds() - nanoseconds) / 1e9
    }

    /// Sleeps for the given time, even if signals arrive.
    package static func pause(seconds: Double) {
        let end = Deadline.after(seconds: seconds)
        while !end.hasPassed { _ = poll(nil, 0, end.pollMilliseconds) }
    }
}
