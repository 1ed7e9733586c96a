package import Fetching
import Glibc
import Basics

/// The public keys that an issuer publishes at an address. A separate thread fetches them in
/// advance, and again when a token names an unknown key.
///
/// At most one fetch runs at a time. Once there are keys, fetches start at least
/// `shortestIntervalSeconds` apart, whatever keys tokens name. If a fetch fails, the last good set
/// stays. A key is reported as unknown only after a successful fetch that started after the
/// request: until then a token with that key is refused temporarily, not for good.
package final class PublishedKeys: Sendable {
    /// The schedule of fetches.
    package struct Schedule: Sendable {
        /// Seconds that a set is trusted before it is fetched again.
        package var refreshSeconds = 300.0
        /// Seconds after the start of a fetch before a token with an unknown key may cause another.
        package var shortestIntervalSeconds = 30.0
        /// Seconds to wait after the first failure while there are no keys at all; doubled after
        /// each further failure, up to the shortest interval.
        package var firstRetrySeconds = 1.0
        /// Seconds that verifying a token waits for a fetch, counted from the start of the fetch.
        package var waitSeconds = 2.0

        /// Creates the default schedule.
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
        var isRequested = false
        var hasKeys = false
        /// Number of completed fetches.
        var count = 0
        /// Number of fetches since the last success.
        var failures = 0
        var lastStart: Deadline?
    }

    /// The address of the keys.
    package let address: FetchAddress
    private let fetcher: Fetcher
    private let schedule: Schedule
    private let state = Monitor(State())

    /// Creates the keys at an address; nothing is fetched before `start`.
    package init(
        _ address: FetchAddress, fetcher: Fetcher = Fetcher(), schedule: Schedule = Schedule()
    ) {
        self.address = address
        self.fetcher = fetcher
        self.schedule = schedule
    }

    // MARK: The thread that fetches

    /// Starts fetching; each new set is passed to `replace`. Does nothing if already started.
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
                while self.waitUntilDue() { self.fetch(&last, onEvent, replace) }
            }.detach()
        } catch {
            onEvent(.failed(error))
        }
    }

    /// Stops the thread after its current fetch.
    func stop() { state.change { $0.isRunning = false } }

    /// Waits until a fetch is due; returns false at the end.
    private func waitUntilDue() -> Bool {
        while true {
            let mayFetch: Bool? = state.wait { state in
                guard state.isRunning else { return (false, .never) }
                let due = nextStart(state)
                guard due.hasPassed else { return (nil, due) }
                state.isFetching = true
                state.isRequested = false
                state.lastStart = .after(seconds: 0)
                return (true, .never)
            }
            // The wait timed out, so a fetch is due now.
            if let mayFetch { return mayFetch }
        }
    }

    private func nextStart(_ state: State) -> Deadline {
        guard let last = state.lastStart else { return .after(seconds: 0) }
        if state.isRequested { return last.adding(seconds: schedule.shortestIntervalSeconds) }
        if state.hasKeys { return last.adding(seconds: schedule.refreshSeconds) }
        let doublings = min(state.failures - 1, 16)
        let pause = schedule.firstRetrySeconds * Double(1 << max(0, doublings))
        return last.adding(seconds: min(pause, schedule.shortestIntervalSeconds))
    }

    private enum Outcome {
        /// The document is unchanged, so cached tokens stay cached.
        case unchanged
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
        case .unchanged: break
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
        guard document != last else { return .unchanged }
        do throws(JSONWebKeySet.ParsingErrors) {
            let set = try JSONWebKeySet(parsing: document)
            last = document
            return .renewed(set)
        } catch {
            return .failed(error)
        }
    }

    // MARK: Tokens with an unknown key

    /// The outcome of a search for a key that the current set lacks.
    enum Search: Equatable {
        /// A fetch started after the search and succeeded, so the current set is complete.
        case fetched
        /// The last fetch started too recently; the next may start in this many seconds.
        case pending(retryAfterSeconds: Int)
        /// The issuer gave no valid response, or there has never been a set; keys are fetched again
        /// in this many seconds.
        case unavailable(retryAfterSeconds: Int)
        /// The caller would have to wait, but asked not to.
        case needsWait
    }

    /// Searches for a key that a token names: fetches the set if allowed now, or waits for a
    /// running fetch.
    ///
    /// Whatever the outcome, the current set may have changed meanwhile.
    /// - Parameters:
    ///   - waits: Whether to wait; if not, the outcome is `needsWait` if waiting is necessary.
    ///   - slots: Slots for waiting threads; without a free one the outcome is `pending`.
    func search(waits: Bool, _ slots: WaitSlots) -> Search {
        switch state.change({ state in plan(waits, slots, &state) }) {
        case .end(let outcome): return outcome
        case .wait(let number, let startsAfterSearch, let end):
            defer { slots.release() }
            let outcome: Search? = state.wait { state in
                guard state.count >= number else { return (nil, end) }
                if state.failures > 0 { return (unavailable(state), .never) }
                return (startsAfterSearch ? .fetched : untilNextFetch(state), .never)
            }
            return outcome ?? state.withLock { unavailable($0) }
        }
    }

    private enum Plan {
        case end(Search)
        /// A slot was taken; wait for the end of a fetch.
        /// - number: The number of the fetch.
        /// - startsAfterSearch: Whether it starts after the search.
        case wait(number: Int, startsAfterSearch: Bool, end: Deadline)
    }

    private func plan(_ waits: Bool, _ slots: WaitSlots, _ state: inout State) -> Plan {
        let joins = state.isFetching
        var end = Deadline.after(seconds: schedule.waitSeconds)
        if let last = state.lastStart {
            if joins {
                end = last.adding(seconds: schedule.waitSeconds)
                guard !end.hasPassed else { return .end(untilNextFetch(state)) }
            } else {
                guard state.hasKeys,
                    last.adding(seconds: schedule.shortestIntervalSeconds).hasPassed
                else { return .end(untilNextFetch(state)) }
            }
        }
        guard state.isRunning else { return .end(untilNextFetch(state)) }
        guard waits else { return .end(.needsWait) }
        guard slots.take() else {
            return .end(
                .pending(retryAfterSeconds: Self.wholeSeconds(schedule.waitSeconds)))
        }
        if !joins { state.isRequested = true }
        return .wait(number: state.count + 1, startsAfterSearch: !joins, end: end)
    }

    /// Returns the outcome of a search while no fetch may start.
    private func untilNextFetch(_ state: State) -> Search {
        state.hasKeys
            ? .pending(retryAfterSeconds: secondsToNextFetch(state)) : unavailable(state)
    }

    private func unavailable(_ state: State) -> Search {
        .unavailable(retryAfterSeconds: secondsToNextFetch(state))
    }

    /// Returns the seconds until an unknown key may cause a fetch, or, without a set, until the
    /// next fetch is due.
    private func secondsToNextFetch(_ state: State) -> Int {
        var next = state
        next.isRequested = state.hasKeys
        return Self.wholeSeconds(nextStart(next).remainingSeconds)
    }

    private static func wholeSeconds(_ seconds: Double) -> Int { max(1, Int(seconds.rounded(.up))) }
}

/// Slots for threads that wait for keys, shared by all issuers: tokens with unknown keys can't
/// block every thread.
final class WaitSlots: Sendable {
    private let free: Lock<Int>

    init(_ count: Int) { free = Lock(count) }

    /// Takes a slot; returns false if there is none.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func release() { free.withLock { $0 += 1 } }
}
