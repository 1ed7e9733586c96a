import Basics
import Fetching

/// The description that an OpenID provider publishes. A separate thread fetches it in advance and
/// regularly, so that no request waits for it.
///
/// If a fetch fails, the last good description stays until it expires, and the fetch is repeated
/// after growing pauses.
package final class PublishedMetadata: Sendable {
    /// The schedule of fetches.
    package struct Schedule: Sendable {
        /// Seconds after which a description is fetched again.
        package var refreshSeconds = 3600.0
        /// Seconds after its fetch for which a description is used.
        package var lifetimeSeconds = 86_400.0
        /// Seconds to wait after the first failure; doubled after each further one.
        package var firstRetrySeconds = 1.0
        /// Maximum number of seconds between a failure and the next fetch.
        package var longestRetrySeconds = 60.0

        /// Creates the default schedule.
        package init() {}
    }

    /// The outcome of a fetch, for logs.
    package enum Event: Sendable {
        /// A description that differs from the last one.
        case renewed
        case failed(any Error & Sendable)
    }

    private struct State: Sendable {
        var isRunning = false
        var metadata: ProviderMetadata?
        /// End of the description's lifetime.
        var expiry = Deadline.never
        var next = Deadline.after(seconds: 0)
        /// Number of fetches since the last success.
        var failures = 0
    }

    private let issuer: String
    private let address: FetchAddress
    private let fetcher: Fetcher
    private let schedule: Schedule
    private let state = Monitor(State())

    /// Creates the description of an issuer; nil if the issuer is not an address that may be
    /// fetched. Nothing is fetched before `start`.
    package init?(of issuer: String, schedule: Schedule = Schedule()) {
        guard let address = ProviderMetadata.address(of: issuer) else { return nil }
        self.issuer = issuer
        self.address = address
        self.schedule = schedule
        var fetcher = Fetcher()
        fetcher.limitBytes = 64 * 1024
        self.fetcher = fetcher
    }

    /// The description; nil if there is none, or only an outdated one.
    package var current: ProviderMetadata? {
        state.withLock { $0.expiry.hasPassed ? nil : $0.metadata }
    }

    /// Starts fetching. Does nothing if already started.
    package func start(onEvent: @escaping @Sendable (Event) -> Void) {
        let isFirst = state.change { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        do throws(SystemThread.Failure) {
            try SystemThread {
                while self.waitUntilDue() { self.fetch(onEvent) }
            }.detach()
        } catch {
            onEvent(.failed(error))
        }
    }

    /// Stops the thread after its current fetch.
    package func stop() { state.change { $0.isRunning = false } }

    /// Waits until a fetch is due; returns false at the end.
    private func waitUntilDue() -> Bool {
        while true {
            let mayFetch: Bool? = state.wait { state in
                guard state.isRunning else { return (false, .never) }
                return state.next.hasPassed ? (true, .never) : (nil, state.next)
            }
            // The wait timed out, so a fetch is due now.
            if let mayFetch { return mayFetch }
        }
    }

    private func fetch(_ onEvent: (Event) -> Void) {
        do {
            let metadata = try ProviderMetadata(parsing: fetcher.get(address), of: issuer)
            let isNew = state.change { state in
                defer { state.metadata = metadata }
                state.failures = 0
                state.expiry = .after(seconds: schedule.lifetimeSeconds)
                state.next = .after(seconds: schedule.refreshSeconds)
                return state.metadata != metadata
            }
            if isNew { onEvent(.renewed) }
        } catch {
            state.change { state in
                let pause = schedule.firstRetrySeconds * Double(1 << min(state.failures, 16))
                state.failures += 1
                state.next = .after(seconds: min(pause, schedule.longestRetrySeconds))
            }
            onEvent(.failed(error))
        }
    }
}
