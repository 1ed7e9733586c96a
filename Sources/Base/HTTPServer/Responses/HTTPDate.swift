/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
struct HTTPDate: Sendable {
    /// Its 29 characters; of a moment from 1970 on.
    let bytes: [UInt8]

    private static let days = [
        "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed",
    ].map { Array($0.utf8) }
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    init(unixSeconds: Int) {
        let day = unixSeconds / 86_400
        let second = unixSeconds % 86_400
        let date = Self.civil(day)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text += Self.days[day % 7]
        text += ", ".utf8
        Self.add(date.day, 2, to: &text)
        text.append(0x20)
        text += Self.months[date.month - 1]
        text.append(0x20)
        Self.add(date.year, 4, to: &text)
        text.append(0x20)
        Self.add(second / 3600, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.add(second / 60 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.add(second % 60, 2, to: &text)
        text += " GMT".utf8
        bytes = text
    }

    /// The date that many days after 1 January 1970 (proleptic Gregorian; eras of 400 years that
    /// begin in March). The C library would take a lock for it, at every response.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * part + 2) / 5 + 1)
    }

    private static func add(_ number: Int, _ digits: Int, to text: inout [UInt8]) {
        var scale = digits == 4 ? 1000 : 10
        while scale > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / scale % 10))
            scale /= 10
        }
    }
}
