/// How long a job that failed waits for its next attempt.
package enum RetryDelay {
    /// Seconds that the first delay has at most.
    static let firstSeconds = 5.0
    /// Seconds that any delay has at most.
    static let longestSeconds = 3600.0

    /// Full jitter: anything from 0 to 5 s, doubling with each attempt, to an hour at most. So jobs
    /// that failed together don't come back together.
    ///
    /// - Parameters:
    ///   - attempt: How often the job has failed before this time.
    ///   - fraction: From 0 to 1, by chance.
    package static func seconds(attempt: Int16, fraction: Double) -> Double {
        let doublings = Double(1 << min(max(0, Int(attempt)), 20))
        return min(longestSeconds, firstSeconds * doublings) * min(1, max(0, fraction))
    }
}
