extension Timestamp {
    /// A moment as RFC 3339 writes it, such as `2026-02-08T12:00:00.5Z` or with an offset such as
    /// `+01:00`; digits beyond microseconds are dropped. Nil for anything else.
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

    /// The numbers of a text in which each `d` stands for a digit.
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

    /// The microseconds of a fraction of a second; none where there is no point.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix { (48...57).contains($0) }
        if digits.isEmpty || digits.count > 18 { return nil }
        rest = rest.dropFirst(digits.count + 1)
        let kept = digits.prefix(6).reduce(0) { $0 * 10 + Int($1) - 48 }
        return (digits.count..<6).reduce(kept) { number, _ in number * 10 }
    }

    /// The seconds that a place's clock is ahead of UTC.
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

    /// Days from 1970-01-01 to a date.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let months = (1..<month).reduce(0) { $0 + days(of: $1, in: year) }
        return before * 365 + leapDays + months + day - 1 - 719_162
    }
}
