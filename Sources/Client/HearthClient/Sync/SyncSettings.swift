/// How long a `SyncEngine` waits for what.
public struct SyncSettings: Sendable, Hashable {
    /// The first pause after Hearth could not be reached; each next one is twice as long.
    public var firstPauseSeconds: Double
    /// The longest pause.
    public var longestPauseSeconds: Double
    /// How often Hearth is asked where neither a stream nor waiting works.
    public var pollSeconds: Double
    /// How long a request waits at the server, at most 30.
    public var waitSeconds: Int
    /// After how many seconds without a byte a stream counts as lost; the server sends one every
    /// 25.
    public var streamTimeoutSeconds: Double
    /// How often a stream may fail before requests wait instead.
    public var streamFailureLimit: Int
    /// How many changes are sent in one request, at most 50.
    public var batchLimit: Int

    /// What apps need, unless something else is said.
    public init(
        firstPauseSeconds: Double = 1, longestPauseSeconds: Double = 60, pollSeconds: Double = 30,
        waitSeconds: Int = 25, streamTimeoutSeconds: Double = 60, streamFailureLimit: Int = 3,
        batchLimit: Int = 50
    ) {
        self.firstPauseSeconds = firstPauseSeconds
        self.longestPauseSeconds = longestPauseSeconds
        self.pollSeconds = pollSeconds
        self.waitSeconds = min(30, max(1, waitSeconds))
        self.streamTimeoutSeconds = streamTimeoutSeconds
        self.streamFailureLimit = streamFailureLimit
        self.batchLimit = min(50, max(1, batchLimit))
    }

    /// How long to wait after so many failures in a row.
    func pauseSeconds(afterFailures failures: Int, chance: Double) -> Double {
        let doublings = Double(1 << min(max(0, failures - 1), 30))
        let bound = min(longestPauseSeconds, firstPauseSeconds * doublings)
        // Half of it at least: devices are spread, and none hammers.
        return bound * (0.5 + chance / 2)
    }
}
