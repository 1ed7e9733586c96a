import Testing

@testable import UseCases

@Suite("Pacing of background work")
struct PaceTests {
    private static let perRow: UInt64 = 14

    @Test("purge batches fit the time slice, and each pause lasts four times as long as the work")
    func settles() {
        var pace = BatchPacing()
        for _ in 1...20 {
            let took = UInt64(pace.size) * Self.perRow
            #expect(pace.pause(after: took) == took * 4)
        }
        let took = UInt64(pace.size) * Self.perRow
        #expect(
            (BatchPacing.targetMicroseconds - Self.perRow * 2...BatchPacing.targetMicroseconds)
                .contains(took),
            "\(pace.size)")
    }

    @Test("batches at most double in size, within their bounds")
    func bounds() {
        var pace = BatchPacing()
        let first = pace.size
        _ = pace.pause(after: 0)
        #expect(pace.size == first * 2)
        for _ in 1...20 { _ = pace.pause(after: 0) }
        #expect(pace.size == BatchPacing.sizes.upperBound)
        _ = pace.pause(after: 60_000_000)
        #expect(pace.size == BatchPacing.sizes.lowerBound)
    }

    @Test("a pause between purge batches lasts at most half a second")
    func longest() {
        for took in [200_000, 3_600_000_000, UInt64.max] {
            var pace = BatchPacing()
            #expect(pace.pause(after: took) == BatchPacing.longestPause)
        }
    }
}
