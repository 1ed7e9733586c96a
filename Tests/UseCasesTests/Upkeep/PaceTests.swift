import Testing

@testable import UseCases

@Suite("The pace of what nobody waits for")
struct PaceTests {
    private static let perRow: UInt64 = 14

    @Test("makes batches that fit a stretch, and rests four times as long as it works")
    func settles() {
        var pace = Pace()
        for _ in 1...20 {
            let took = UInt64(pace.size) * Self.perRow
            #expect(pace.rest(after: took) == took * 4)
        }
        let took = UInt64(pace.size) * Self.perRow
        #expect((Pace.stretch - Self.perRow * 2...Pace.stretch).contains(took), "\(pace.size)")
    }

    @Test("grows by no more than double, and stays within its sizes")
    func bounds() {
        var pace = Pace()
        let first = pace.size
        _ = pace.rest(after: 0)
        #expect(pace.size == first * 2)
        for _ in 1...20 { _ = pace.rest(after: 0) }
        #expect(pace.size == Pace.sizes.upperBound)
        _ = pace.rest(after: 60_000_000)
        #expect(pace.size == Pace.sizes.lowerBound)
    }

    @Test("rests half a second at most, whatever happened")
    func longest() {
        for took in [200_000, 3_600_000_000, UInt64.max] {
            var pace = Pace()
            #expect(pace.rest(after: took) == Pace.longestRest)
        }
    }
}
