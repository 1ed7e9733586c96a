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
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends its description.
    package func append(to text: inout [UInt8]) {
        let secondsOfDay = Int(seconds.modulo(86_400))
        let (year, month, day) = Self.civilDate(days: (seconds - Int64(secondsOfDay)) / 86_400)
        Self.append(year, 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(day, 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.append(secondsOfDay / 3_600, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(secondsOfDay / 60 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(secondsOfDay % 60, 2, to: &text)
        text.append(UInt8(ascii: "Z"))
    }

    /// Appends a number, padded with zeros to `width` digits.
    private static func append(_ number: Int, _ width: Int, to text: inout [UInt8]) {
        guard number >= 0, number < 10_000 else {
            text += "\(number)".utf8
            return
        }
        var divisor = 1_000
        for place in (1...4).reversed() {
            if place <= width || number >= divisor {
                text.append(48 + UInt8(number / divisor % 10))
            }
            divisor /= 10
        }
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
