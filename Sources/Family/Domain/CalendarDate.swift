/// A day of the Gregorian calendar, without a time or time zone.
package struct CalendarDate: Hashable, Sendable, CustomStringConvertible {
    /// The year, within ``allowedYears``.
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day, from 1 to the last day of the month in that year.
    package let day: Int

    /// The years allowed for dates about living people.
    package static let allowedYears = 1900...2199

    /// Parses `2009-05-31` (ISO 8601, extended). Returns nil for any other form and for days that
    /// the calendar doesn't have.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2],
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isDigit($0) })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        (year, month, day) = (numbers[0], numbers[1], numbers[2])
        guard Self.allowedYears.contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
    }

    /// The date in the form `2009-05-31`.
    package var description: String {
        "\(year)-" + (month < 10 ? "0" : "") + "\(month)-" + (day < 10 ? "0" : "") + "\(day)"
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
