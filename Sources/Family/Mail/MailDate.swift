import Domain

/// Dates in the format of e-mails, in UTC.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// Returns the header `Date` (RFC 5322, section 3.3): `Sat, 21 Nov 2026 16:55:00 +0000`.
    static func header(secondsSince1970 seconds: Int64) -> String {
        let date = self.day(secondsSince1970: seconds)
        // 2026-11-21T16:55:00Z
        let time = Timestamp(microseconds: seconds * 1_000_000).description.dropFirst(11).dropLast()
        let day = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400 % 7)
        return days[(day + 7) % 7] + ", \(date.day) " + months[date.month - 1].prefix(3)
            + " \(date.year) \(time) +0000"
    }

    /// A calendar day, for text that people read.
    struct Day {
        let year: Int
        /// Month, from 1.
        let month: Int
        let day: Int
        /// The day as `2026-11-21`.
        let text: String
    }

    static func day(secondsSince1970 seconds: Int64) -> Day {
        let text = Timestamp(microseconds: seconds * 1_000_000).description.prefix(10)
        let parts = text.split(separator: "-").map { Int($0) ?? 1 }
        return Day(year: parts[0], month: parts[1], day: parts[2], text: String(text))
    }
}
