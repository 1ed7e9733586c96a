import Foundation

/// Parser and formatter of Hearth's timestamps: `2026-02-08T12:00:00Z`.
///
/// It replaces Foundation's formatters: members are decoded by the hundred, and a formatter takes
/// longer than all the rest.
enum Timestamp {
    /// Parses a timestamp, with or without a fraction of the second; nil for any other form.
    static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes -> Date? in
            guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
                bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
                bytes[16] == UInt8(ascii: ":"), bytes.last == UInt8(ascii: "Z"),
                let year = digits(bytes, 0, 4), let month = digits(bytes, 5, 2),
                let day = digits(bytes, 8, 2), let hour = digits(bytes, 11, 2),
                let minute = digits(bytes, 14, 2), let second = digits(bytes, 17, 2),
                let fraction = fraction(bytes),
                (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
                second <= 60
            else { return nil }
            let seconds =
                daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
            return Date(timeIntervalSince1970: Double(seconds) + fraction)
        }
    }

    /// Formats a time, truncated to milliseconds.
    static func text(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded(.down))
        let (day, rest) = milliseconds.quotientAndRemainder(flooringBy: 86_400_000)
        let (year, month, dayOfMonth) = civil(day)
        let second = rest / 1000
        return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2) + "T"
            + pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2)
            + "." + pad(rest % 1000, 3) + "Z"
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func digits(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
    ) -> Int? {
        var number = 0
        for byte in bytes[start..<start + count] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// Parses the fraction between the seconds and the `Z`.
    private static func fraction(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        if bytes.count == 20 { return 0 }
        let count = bytes.count - 21
        guard bytes[19] == UInt8(ascii: "."), (1...9).contains(count),
            let number = digits(bytes, 20, count)
        else { return nil }
        return Double(number) / pow(10, Double(count))
    }

    // The calculation uses the Gregorian calendar in eras of 400 years, which have 146,097 days
    // each and begin on 1 March.

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(flooringBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooringBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int {
    /// Divides and rounds down, so that the remainder is never negative.
    fileprivate func quotientAndRemainder(flooringBy divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
