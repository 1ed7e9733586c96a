package import Fetching
import Glibc
import Threads

/// The public keys that an issuer publishes at an address: fetched in advance by a thread of its
/// own, and again when a token names an unknown key.
///
/// There is never more than one fetch at a time. While there are keys, no two fetches begin within
/// `shortestIntervalSeconds`, whatever keys tokens name. If a fetch fails, the last good set stays.
package final class PublishedKeys: Sendable {
    /// When keys are fetched.
    package struct Schedule: Sendable {
        /// How long a set is trusted before it is looked at again.
        package var refreshSeconds = 300.0
        /// How long after a fetch has begun tokens with unknown keys may cause another.
        package var shortestIntervalSeconds = 30.0
        /// How long to wait after the first failure, while there are no keys at all; then twice as
        /// long each time, up to the shortest interval.
        package var firstRetrySeconds = 1.0
        /// How long the verification of a token waits for a fetch.
        package var patienceSeconds = 2.0
        /// How many verifications may wait for a fetch at once; others continue with the present
        /// keys.
        package var waiterLimit = 4

        /// The defaults.
        package init() {}
    }

    /// The outcome of a fetch, for logs.
    package enum Event: Sendable {
        /// A set that differs from the last one: the number of usable keys, and the ignored ones.
        case renewed(keyCount: Int, ignored: [IgnoredKey])
        /// The last good set stays, if there was one.
        case failed(any Error & Sendable)
    }

    private struct State: Sendable {
        var isRunning = false
        var isFetching = false
        var isWanted = false
        var hasKeys = false
        /// How many fetches have ended.
        var count = 0
        var failures = 0
        var lastStart: Deadline?
        var waiters = 0
    }

    /// Where they are published.
    package let address: FetchAddress
    private let fetcher: Fetcher
    private let schedule: Schedule
    private let state = Monitor(State())

    /// Keys at an address; nothing is fetched before `start`.
    package init(
        _ address: FetchAddress, fetcher: Fetcher = Fetcher(), schedule: Schedule = Schedule()
    ) {
        self.address = address
        self.fetcher = fetcher
        self.schedule = schedule
    }

    // MARK: The thread that fetches

    /// Begins to fetch; each new set is given to `replace`. Does nothing if it has begun already.
    func start(
        onEvent: @escaping @Sendable (Event) -> Void,
        replace: @escaping @Sendable ([NamedKey]) -> Void
    ) {
        let isFirst = state.change { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        do throws(SystemThread.Failure) {
            try SystemThread {
                var last: [UInt8] = []
                while self.awaitTurn() { self.fetch(&last, onEvent, replace) }
            }.detach()
        } catch {
            onEvent(.failed(error))
        }
    }

    /// Ends the thread after the fetch that it may be at.
    func stop() { state.change { $0.isRunning = false } }

    /// Waits until a fetch is due; false at the end.
    private func awaitTurn() -> Bool {
        while true {
            let mayFetch: Bool? = state.wait { state in
                guard state.isRunning else { return (false, .never) }
                let due = nextStart(state)
                guard due.hasPassed else { return (nil, due) }
                state.isFetching = true
                state.isWanted = false
                state.lastStart = .after(seconds: 0)
                return (true, .never)
            }
            // Without an answer one is due now.
            if let mayFetch { return mayFetch }
        }
    }

    private func nextStart(_ state: State) -> Deadline {
        guard let last = state.lastStart else { return .after(seconds: 0) }
        if state.isWanted { return last.adding(seconds: schedule.shortestIntervalSeconds) }
        if state.hasKeys { return last.adding(seconds: schedule.refreshSeconds) }
        let doublings = min(state.failures - 1, 16)
        let pause = schedule.firstRetrySeconds * Double(1 << max(0, doublings))
        return last.adding(seconds: min(pause, schedule.shortestIntervalSeconds))
    }

    private enum Outcome {
        /// The same as before: it changes nothing, so that remembered tokens stay remembered.
        case same
        case renewed(JSONWebKeySet)
        case failed(any Error & Sendable)
    }

    private func fetch(
        _ last: inout [UInt8], _ onEvent: (Event) -> Void, _ replace: ([NamedKey]) -> Void
    ) {
        let outcome = outcome(&last)
        if case .renewed(let set) = outcome { replace(set.keys) }
        state.change { state in
            state.isFetching = false
            state.count += 1
            if case .failed = outcome {
                state.failures += 1
            } else {
                state.failures = 0
                state.hasKeys = true
            }
        }
        switch outcome {
        case .same: break
        case .renewed(let set):
            onEvent(.renewed(keyCount: set.keys.count, ignored: set.ignored))
        case .failed(let error): onEvent(.failed(error))
        }
    }

    private func outcome(_ last: inout [UInt8]) -> Outcome {
        let document: [UInt8]
        do throws(FetchError) {
            document = try fetcher.get(address)
        } catch {
            return .failed(error)
        }
        guard document != last else { return .same }
        do throws(JSONWebKeySet.Mistakes) {
            let set = try JSONWebKeySet(parsing: document)
            last = document
            return .renewed(set)
        } catch {
            return .failed(error)
        }
    }

    // MARK: Those who lack a key

    /// Asks for a fetch if one may begin now, and waits a little for it, or for one under way.
    /// Whether there are keys at all.
    func awaitNews() -> Bool {
        let count: Int? = state.change { state in
            guard state.isRunning, state.waiters < schedule.waiterLimit else { return nil }
            if !state.isFetching, let last = state.lastStart {
                guard state.hasKeys,
                    last.adding(seconds: schedule.shortestIntervalSeconds).hasPassed
                else { return nil }
                state.isWanted = true
            }
            state.waiters += 1
            return state.count
        }
        guard let count else { return state.change { $0.hasKeys } }
        let end = Deadline.after(seconds: schedule.patienceSeconds)
        // Whether or not the fetch finished, the present keys decide.
        _ = state.wait { ($0.count > count ? true : nil, end) }
        return state.change { state in
            state.waiters -= 1
            return state.hasKeys
        }
    }
}
