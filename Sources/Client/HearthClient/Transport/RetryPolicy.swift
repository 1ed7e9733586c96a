/// Limits and pauses for repeating a request that got no response, or a temporary error.
///
/// A pure value: `delaySeconds` depends only on its arguments. Pauses grow exponentially, and each
/// is drawn at random up to its bound, so that many devices that lost the same server don't return
/// at the same moment.
public struct RetryPolicy: Sendable, Hashable {
    /// Maximum number of times that a request is sent.
    public var maximumAttempts: Int
    /// Upper bound of the first pause. The bound doubles with each further pause.
    public var firstPauseSeconds: Double
    /// Bound of all pauses, and the longest `Retry-After` that is honoured. If Hearth asks for a
    /// longer pause, the call fails at once, and the app tells the person when to try again.
    public var longestPauseSeconds: Double

    /// Creates a policy; the default makes four attempts within a few seconds.
    public init(
        maximumAttempts: Int = 4, firstPauseSeconds: Double = 0.4, longestPauseSeconds: Double = 10
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstPauseSeconds = firstPauseSeconds
        self.longestPauseSeconds = longestPauseSeconds
    }

    /// A policy that sends each request once.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// Returns the pause before the next attempt; nil to stop retrying.
    ///
    /// - Parameters:
    ///   - attempts: Number of times that the request was sent.
    ///   - retryAfterSeconds: Pause that the server asked for.
    ///   - chance: Random number from 0 to 1.
    public func delaySeconds(
        attempts: Int, retryAfterSeconds: Double? = nil, chance: Double
    ) -> Double? {
        guard attempts < maximumAttempts else { return nil }
        if let asked = retryAfterSeconds, asked > longestPauseSeconds { return nil }
        // After some doublings the pause has reached its bound; 2 to the 60th still fits the
        // integer.
        let doublings = Double(1 << min(max(0, attempts - 1), 60))
        let drawn = min(longestPauseSeconds, firstPauseSeconds * doublings) * chance
        return (retryAfterSeconds ?? 0) + drawn
    }
}

/// A cache of the last response to each read with a version (`ETag`), in memory only. Reading an
/// unchanged resource then transfers and encodes no body.
actor ResponseCache {
    private var responses: [String: APIResponse] = [:]
    /// Keys, most recently used last.
    private var order: [String] = []
    private let limit: Int

    init(limit: Int = 64) { self.limit = limit }

    func response(for key: String) -> APIResponse? { responses[key] }

    func store(_ response: APIResponse, for key: String) {
        order.removeAll { $0 == key }
        guard response.headers["etag"] != nil else {
            responses[key] = nil
            return
        }
        responses[key] = response
        order.append(key)
        if order.count > limit { responses[order.removeFirst()] = nil }
    }

    func removeAll() {
        responses = [:]
        order = []
    }
}
