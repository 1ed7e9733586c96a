/// A point in time in UTC, in microseconds.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    package let microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }

    /// Seconds since 1970, rounded down.
    package var seconds: Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// The time as ISO 8601 in UTC and whole seconds, rounded down: `2026-02-08T12:00:00Z`.
    /// Clients' parsers refuse fractions.
    package var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Maximum length of the description in characters, whatever the year.
    package static let longest = 40

    /// Appends the description.
    package func append(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.longest) { buffer in
            let count = write(to: buffer)
            text.append(contentsOf: buffer.prefix(count))
        }
    }

    /// Writes the description into `buffer`, which must have room for ``longest``, and returns the
    /// number of bytes written.
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let secondsOfDay = Int(seconds.modulo(86_400))
        let (year, month, day) = Self.civilDate(days: (seconds - Int64(secondsOfDay)) / 86_400)
        var start = 0
        func put(_ number: Int, at index: Int) {
            let number = UInt8(truncatingIfNeeded: number)
            buffer[start + index] = 48 + number / 10
            buffer[start + index + 1] = 48 + number % 10
        }
        if (0...9_999).contains(year) {
            put(year / 100, at: 0)
            put(year % 100, at: 2)
            start = 4
        } else {
            for byte in "\(year)".utf8 {
                buffer[start] = byte
                start += 1
            }
        }
        put(month, at: 1)
        put(day, at: 4)
        put(secondsOfDay / 3_600, at: 7)
        put(secondsOfDay / 60 % 60, at: 10)
        put(secondsOfDay % 60, at: 13)
        (buffer[start], buffer[start + 3], buffer[start + 6]) = (0x2D, 0x2D, 0x54)
        (buffer[start + 9], buffer[start + 12], buffer[start + 15]) = (0x3A, 0x3A, 0x5A)
        return start + 16
    }

    /// Returns the proleptic Gregorian date that lies `days` after 1970-01-01 (Howard Hinnant,
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
    /// Returns the remainder, which is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

extension Timestamp {
    /// Parses an RFC 3339 time such as `2026-02-08T12:00:00.5Z`, or with an offset such as
    /// `+01:00`. Digits beyond microseconds are dropped. Returns nil for anything else.
    package init?(iso8601 text: String) {
        var rest = Array(text.utf8)[...]
        guard let date = Self.numbers("dddd-dd-dd", &rest), let separator = rest.popFirst(),
            [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(separator),
            let time = Self.numbers("dd:dd:dd", &rest),
            let fraction = Self.fraction(&rest), let offset = Self.offset(&rest), rest.isEmpty,
            (1...9_999).contains(date[0]), (1...12).contains(date[1]),
            (1...Self.days(of: date[1], in: date[0])).contains(date[2]),
            time[0] < 24, time[1] < 60, time[2] <= 60
        else { return nil }
        let days = Self.days(year: date[0], month: date[1], day: date[2])
        let seconds = days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2] - offset
        self.init(microseconds: Int64(seconds) * 1_000_000 + Int64(fraction))
    }

    /// Parses the numbers of a text in which each `d` of the pattern stands for a digit.
    private static func numbers(_ pattern: String, _ rest: inout ArraySlice<UInt8>) -> [Int]? {
        var numbers = [0]
        for expected in pattern.utf8 {
            guard let byte = rest.popFirst() else { return nil }
            if expected == UInt8(ascii: "d") {
                guard (48...57).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte) - 48
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        return numbers
    }

    /// Parses a fraction of a second into microseconds; 0 if there is no decimal point.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix { (48...57).contains($0) }
        if digits.isEmpty || digits.count > 18 { return nil }
        rest = rest.dropFirst(digits.count + 1)
        var microseconds = digits.prefix(6).reduce(0) { $0 * 10 + Int($1) - 48 }
        for _ in 0..<max(0, 6 - digits.count) { microseconds *= 10 }
        return microseconds
    }

    /// Parses a UTC offset into seconds; positive is ahead of UTC.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let sign = rest.popFirst() else { return nil }
        if [UInt8(ascii: "Z"), UInt8(ascii: "z")].contains(sign) { return 0 }
        guard [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign),
            let time = numbers("dd:dd", &rest), time[0] < 24, time[1] < 60
        else { return nil }
        let seconds = time[0] * 3_600 + time[1] * 60
        return sign == UInt8(ascii: "+") ? seconds : -seconds
    }

    private static func days(of month: Int, in year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Returns the number of days from 1970-01-01 to a date.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let months = (1..<month).reduce(0) { $0 + days(of: $1, in: year) }
        return before * 365 + leapDays + months + day - 1 - 719_162
    }
}
