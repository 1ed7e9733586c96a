import Glibc

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
