import Glibc

/// A clock for the time of day; tests use their own.
package struct WallClock: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    package let now: @Sendable () -> Int

    /// A clock that answers what `now` does.
    package init(now: @escaping @Sendable () -> Int) {
        self.now = now
    }

    /// The system's clock.
    package static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// A date and time in UTC, by the proleptic Gregorian calendar.
struct CivilTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int

    /// The time so many milliseconds after 1970 began. The days are counted in eras of 400 years
    /// that begin on 1 March, so that the leap day comes last.
    init(millisecondsSince1970 milliseconds: Int) {
        let (days, rest) = Self.divide(milliseconds, by: 86_400_000)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
        let (era, dayOfEra) = Self.divide(days + 719_468, by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Division that rounds down, with a remainder that is never negative.
    private static func divide(_ value: Int, by divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
