package import Fetching
import Glibc
import Threads

/// The public keys that an issuer publishes at an address: fetched in advance by a thread of its
/// own, and again when a token names an unknown key.
///
/// There is never more than one fetch at a time. While there are keys, no two fetches begin within
/// `shortestIntervalSeconds`, whatever keys tokens name. If a fetch fails, the last good set stays.
/// An unknown key is called unknown only after a good answer that was asked for later: a token of a
/// key that could not be looked for is refused for a while, not for good.
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
        /// The time that the verification of a token waits for a fetch, from the fetch's beginning.
        package var patienceSeconds = 2.0

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
        /// Number of fetches that have ended.
        var count = 0
        /// Number of fetches since the last good answer.
        var failures = 0
        var lastStart: Deadline?
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

    // MARK: Tokens with an unknown key

    /// Outcome of a search for a key that the present set lacks.
    enum Search: Equatable {
        /// A fetch that began after the search has brought a good answer: the present set is
        /// complete.
        case fetched
        /// The last fetch began too short a time ago for another one; the next may begin in so many
        /// seconds.
        case pending(retryAfterSeconds: Int)
        /// The issuer gave no good answer, or there has never been a set; so many seconds until
        /// keys are fetched again.
        case unavailable(retryAfterSeconds: Int)
        /// The caller would have to wait, and asked not to.
        case needsWait
    }

    /// Searches for a key that a token names: fetches the set if that may begin now, or waits for a
    /// fetch under way.
    ///
    /// Whatever the outcome, the present set may have changed meanwhile.
    /// - Parameters:
    ///   - waits: Whether to wait; if not, the outcome is `needsWait` where a wait is needed.
    ///   - slots: Slots for those who wait; without a free one the outcome is `pending`.
    func search(waits: Bool, _ slots: WaitSlots) -> Search {
        switch state.change({ state in plan(waits, slots, &state) }) {
        case .end(let outcome): return outcome
        case .wait(let number, let isOwn, let end):
            defer { slots.release() }
            let outcome: Search? = state.wait { state in
                guard state.count >= number else { return (nil, end) }
                if state.failures > 0 { return (unavailable(state), .never) }
                return (isOwn ? .fetched : untilNextFetch(state), .never)
            }
            return outcome ?? state.withLock { unavailable($0) }
        }
    }

    private enum Plan {
        case end(Search)
        /// A slot is taken.
        /// - number: The fetch whose end is waited for.
        /// - isOwn: Whether it begins after the search.
        case wait(number: Int, isOwn: Bool, end: Deadline)
    }

    private func plan(_ waits: Bool, _ slots: WaitSlots, _ state: inout State) -> Plan {
        let joins = state.isFetching
        var end = Deadline.after(seconds: schedule.patienceSeconds)
        if let last = state.lastStart {
            if joins {
                end = last.adding(seconds: schedule.patienceSeconds)
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
                .pending(retryAfterSeconds: Self.wholeSeconds(schedule.patienceSeconds)))
        }
        if !joins { state.isWanted = true }
        return .wait(number: state.count + 1, isOwn: !joins, end: end)
    }

    /// Outcome of a search while no fetch may begin.
    private func untilNextFetch(_ state: State) -> Search {
        state.hasKeys
            ? .pending(retryAfterSeconds: secondsToNextFetch(state)) : unavailable(state)
    }

    private func unavailable(_ state: State) -> Search {
        .unavailable(retryAfterSeconds: secondsToNextFetch(state))
    }

    /// Seconds until an unknown key may cause a fetch, or until one is due because there is no set.
    private func secondsToNextFetch(_ state: State) -> Int {
        var next = state
        next.isWanted = state.hasKeys
        return Self.wholeSeconds(nextStart(next).remainingSeconds)
    }

    private static func wholeSeconds(_ seconds: Double) -> Int { max(1, Int(seconds.rounded(.up))) }
}

/// Slots for threads that wait for issuers' keys, all issuers together: whoever sends tokens with
/// unknown keys can't make every thread wait.
final class WaitSlots: Sendable {
    private let free: Guarded<Int>

    init(_ count: Int) { free = Guarded(count) }

    /// Takes a slot; false if there is none.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func release() { free.withLock { $0 += 1 } }
}
