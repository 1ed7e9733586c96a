import Domain
import Testing

@Suite("Parsing RFC 3339 timestamps")
struct TimestampReadingTests {
    private func microseconds(_ text: String) -> Int64? { Timestamp(iso8601: text)?.microseconds }

    @Test(
        "a timestamp may have any number of fractional digits, and the first six are used",
        arguments: 1...18)
    func fraction(digits: Int) {
        let text = "1970-01-01T00:00:01.\("987654321987654321".prefix(digits))Z"
        let wanted: [Int64] = [900_000, 980_000, 987_000, 987_600, 987_650, 987_654]
        #expect(microseconds(text) == 1_000_000 + wanted[min(digits, 6) - 1])
    }

    @Test("a timestamp is in UTC or has an offset")
    func offsets() {
        #expect(microseconds("1970-01-01T00:00:00Z") == 0)
        #expect(microseconds("1970-01-01 01:00:00+01:00") == 0)
        #expect(microseconds("1969-12-31t22:30:00.5-01:30") == 500_000)
        #expect(microseconds("0001-01-01T00:00:00+23:59") == -62_135_683_140_000_000)
        #expect(microseconds("9999-12-31T23:59:60-23:59") == 253_402_387_140_000_000)
    }

    @Test(
        "a malformed timestamp is refused",
        arguments: [
            "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00.Z",
            "0000-01-01T00:00:00Z",
            "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-02-29T00:00:00Z",
            "1970-01-00T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:61Z", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+1:00",
            "1970-01-01T00:00:00.1234567890123456789Z", "1970-01-01T00:00:00Z ",
            "+1970-01-01T00:00:00Z", "1970-01-01T00:00:00,5Z", "\u{661}970-01-01T00:00:00Z",
        ])
    func refused(text: String) {
        #expect(microseconds(text) == nil)
    }
}
