/// The size of batches and the pauses between them, so that background work hardly slows down
/// requests.
///
/// A request that arrives while a batch runs may wait for a processor until the batch ends or the
/// scheduler interrupts it. The share of requests that wait equals the share of time in which
/// batches run, so their delay determines the 99th percentile. Batches are therefore no longer than
/// such a request may wait, and pauses are proportional to them.
struct BatchPacing {
    /// Allowed number of rows in a batch.
    static let sizes: ClosedRange<Int32> = 1...1_000
    /// Intended duration of a batch, in microseconds.
    static let targetMicroseconds: UInt64 = 500
    /// Duration of a pause, as a multiple of the duration of the batch.
    static let pauseFactor: UInt64 = 4
    /// Maximum pause in microseconds, so that no pause delays a shutdown.
    static let longestPause: UInt64 = 500_000

    /// Number of rows in the next batch. The first has one, because the cost of a row is unknown.
    private(set) var size: Int32 = 1

    /// Adjusts the size after a batch of ``size`` rows that took the given microseconds.
    ///
    /// - Returns: Duration of the pause, in microseconds.
    mutating func pause(after elapsed: UInt64) -> UInt64 {
        // At most double, so that one lucky quick batch does not lead to a long one.
        let fitting =
            UInt64(size) * Self.targetMicroseconds / max(elapsed, Self.targetMicroseconds / 2)
        size = Int32(clamping: fitting).clamped(to: Self.sizes)
        return min(elapsed, Self.longestPause / Self.pauseFactor) * Self.pauseFactor
    }
}

extension Int32 {
    fileprivate func clamped(to range: ClosedRange<Int32>) -> Int32 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
