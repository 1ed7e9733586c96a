import Domain
import Postgres
import Repositories
import Testing

@Suite("Timestamps as PostgreSQL receives them")
struct WireTimestampTests {
    @Test("a time that PostgreSQL can't express becomes -infinity, and no time traps")
    func extremes() {
        let epoch: Int64 = 946_684_800_000_000
        let cases: [(microseconds: Int64, expected: Int64)] = [
            (Int64.min, Int64.min), (Int64.min + epoch - 1, Int64.min),
            (Int64.min + epoch + 1, Int64.min + 1), (0, -epoch), (epoch, 0),
            (Int64.max, Int64.max - epoch),
        ]
        for (microseconds, expected) in cases {
            let wire = Timestamp(microseconds: microseconds).wireForm
            #expect(wire.microsecondsSince2000 == expected, "\(microseconds)")
        }
    }
}
