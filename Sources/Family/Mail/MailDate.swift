import Domain

/// Dates as mail has them, in UTC.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    /// For the header `Date` (RFC 5322, section 3.3): `Sat, 21 Nov 2026 16:55:00 +0000`.
    static func header(secondsSince1970 seconds: Int64) -> String {
        let text = parts(seconds)
        let day = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400 % 7)
        return days[(day + 7) % 7] + ", \(text.day) " + text.month.prefix(3)
            + " \(text.year) \(text.time) +0000"
    }

    /// For people: `21 November 2026`.
    static func plain(secondsSince1970 seconds: Int64) -> String {
        let text = parts(seconds)
        return "\(text.day) \(text.month) \(text.year)"
    }

    private static func parts(
        _ seconds: Int64
    ) -> (year: Substring, month: String, day: Int, time: Substring) {
        // 2026-11-21T16:55:00Z
        let text = Timestamp(microseconds: seconds * 1_000_000).description
        let date = text.prefix(10).split(separator: "-")
        return (
            date[0], months[(Int(date[1]) ?? 1) - 1], Int(date[2]) ?? 1,
            text.dropFirst(11).dropLast()
        )
    }
}
