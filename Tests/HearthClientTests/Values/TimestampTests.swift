import Foundation
import Testing

@testable import HearthClient

@Suite("Timestamps")
struct TimestampTests {
    @Test("timestamps over eight hundred years parse as with Foundation")
    func foundation() {
        let formatter = ISO8601DateFormatter()
        for _ in 0..<2000 {
            // The range begins in 1621: before 1582 Foundation uses the Julian calendar.
            let seconds = Double(Int.random(in: -11_000_000_000...15_000_000_000))
            let date = Date(timeIntervalSince1970: seconds)
            #expect(Timestamp.date(formatter.string(from: date)) == date)
        }
    }

    @Test("timestamps are written in milliseconds and parse to the same time")
    func written() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
        for _ in 0..<2000 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -9_999_999_999...99_999_999_999)) / 8)
            let again = Timestamp.date(Timestamp.text(date))
            #expect(abs(again?.timeIntervalSince(date) ?? 1) <= 0.001)
        }
    }

    @Test(
        "a text in another format is not a timestamp",
        arguments: [
            "", "2026-02-08", "2026-02-08T12:00:00", "2026-02-08T12:00:00+01:00",
            "2026-13-08T12:00:00Z", "2026-02-08T24:00:00Z", "2026-02-08 12:00:00Z",
            "2026-02-08T12:00:0xZ", "2026-02-08T12:00:00.Z",
        ])
    func faults(_ text: String) {
        #expect(Timestamp.date(text) == nil)
    }
}
