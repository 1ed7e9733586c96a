/// The size of batches and the pauses between them, so that background work hardly slows down
/// requests.
///
/// A request that arrives while a batch runs may wait for its processor until the batch ends, or
/// the system's scheduler cuts it short: as many requests as the work's share of the time, which
/// are those at the 99th percentile. Batches are therefore no longer than such a request may wait,
/// and pauses are proportional to them.
struct Pace {
    /// Rows that a batch may have.
    static let sizes: ClosedRange<Int32> = 1...1_000
    /// How long a batch should take, in microseconds.
    static let stretch: UInt64 = 500
    /// How many times as long as the work the rest is.
    static let restPerWork: UInt64 = 4
    /// No rest is longer, in microseconds, so that none holds up a shutdown.
    static let longestRest: UInt64 = 500_000

    /// Rows of the next batch. The first is one, because the cost of a row is unknown.
    private(set) var size: Int32 = 1

    /// Takes in how long a batch of ``size`` rows took, in microseconds.
    ///
    /// - Returns: How long to rest, in microseconds.
    mutating func rest(after took: UInt64) -> UInt64 {
        // At most double, so that one batch that was quick by luck makes no long one.
        let fitting = UInt64(size) * Self.stretch / max(took, Self.stretch / 2)
        size = Int32(clamping: fitting).clamped(to: Self.sizes)
        return min(took, Self.longestRest / Self.restPerWork) * Self.restPerWork
    }
}

extension Int32 {
    fileprivate func clamped(to range: ClosedRange<Int32>) -> Int32 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
