/// Delay before a failed job's next attempt.
package enum RetryDelay {
    /// Upper limit of the first delay, in seconds.
    static let firstSeconds = 5.0
    /// Upper limit of any delay, in seconds.
    static let longestSeconds = 3600.0

    /// Returns a delay with full jitter: from 0 to a limit of 5 s, which doubles with each attempt
    /// up to an hour. Jobs that failed together therefore don't come back together.
    ///
    /// - Parameters:
    ///   - attempt: Number of earlier failures.
    ///   - fraction: A random number from 0 to 1.
    package static func seconds(attempt: Int16, fraction: Double) -> Double {
        let doublings = Double(1 << min(max(0, Int(attempt)), 20))
        return min(longestSeconds, firstSeconds * doublings) * min(1, max(0, fraction))
    }
}
