/// A moment in UTC, in microseconds.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }

    /// Seconds since 1970, rounded down.
    package var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// ISO 8601 in UTC and whole seconds, rounded down: `2026-02-08T12:00:00Z`. Clients' parsers
    /// refuse fractions.
    package var description: String {
        let secondsOfDay = Int(seconds.modulo(86_400))
        let (year, month, day) = Self.civilDate(days: (seconds - Int64(secondsOfDay)) / 86_400)
        return Self.padded(year, 4) + "-" + Self.padded(month) + "-" + Self.padded(day) + "T"
            + Self.padded(secondsOfDay / 3_600) + ":" + Self.padded(secondsOfDay / 60 % 60) + ":"
            + Self.padded(secondsOfDay % 60) + "Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// The proleptic Gregorian date that lies `days` after 1970-01-01 (Howard Hinnant,
    /// "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func civilDate(days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let dayOfEra = shifted.modulo(146_097)
        let era = (shifted - dayOfEra) / 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(day))
    }
}

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
