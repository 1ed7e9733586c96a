/// How often and when a request is sent again that got no answer, or one that says "later".
///
/// A pure value: `delaySeconds` decides from what it is given. Pauses grow exponentially, and each
/// is drawn at random up to its bound, so that many devices that lost the same server don't return
/// at the same moment.
public struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent at most.
    public var maximumAttempts: Int
    /// The bound of the first pause; each next one is twice as long.
    public var firstPauseSeconds: Double
    /// The bound of all pauses, and the longest `Retry-After` that is waited for. With a longer one
    /// the call fails at once, and the app tells the person when to come back.
    public var longestPauseSeconds: Double

    /// Four attempts within some seconds, unless something else is said.
    public init(
        maximumAttempts: Int = 4, firstPauseSeconds: Double = 0.4, longestPauseSeconds: Double = 10
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstPauseSeconds = firstPauseSeconds
        self.longestPauseSeconds = longestPauseSeconds
    }

    /// Each request is sent once.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// How long to wait before sending again; nil to give up.
    ///
    /// - Parameters:
    ///   - attempts: How often it was sent.
    ///   - retryAfterSeconds: What the server asked for.
    ///   - chance: From 0 to 1, drawn at random.
    public func delaySeconds(
        attempts: Int, retryAfterSeconds: Double? = nil, chance: Double
    ) -> Double? {
        guard attempts < maximumAttempts else { return nil }
        if let asked = retryAfterSeconds, asked > longestPauseSeconds { return nil }
        // Beyond some doublings the bound is reached anyway; 2 to the 60th is still a number.
        let doublings = Double(1 << min(max(0, attempts - 1), 60))
        let drawn = min(longestPauseSeconds, firstPauseSeconds * doublings) * chance
        return (retryAfterSeconds ?? 0) + drawn
    }
}

/// The last response of each read that Hearth gave a version (`ETag`), so that a read of what has
/// not changed costs neither transfer nor decoding at the server. In memory only.
actor ResponseCache {
    private var responses: [String: APIResponse] = [:]
    /// The keys, those used last at the end.
    private var order: [String] = []
    private let limit: Int

    init(limit: Int = 64) { self.limit = limit }

    func response(for key: String) -> APIResponse? { responses[key] }

    func keep(_ response: APIResponse, for key: String) {
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
