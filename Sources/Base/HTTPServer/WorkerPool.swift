import Threads

/// Decides which of a server's threads work: as few as keep the processors busy, and more when
/// those wait for something else.
///
/// A thread that looks for requests, waits for them or reads for clients has one of the permits.
/// There is one permit more than processors. While all are taken, requests gather, so that the next
/// thread takes many of them to the database at once. If every thread took what comes, each would
/// take few, and a thread that the system puts aside would hold up what it has taken.
///
/// - Work that may take long is done without a permit (`yieldPermit`).
/// - A thread that has read for longer than `patience` waits for something else than a processor,
///   and loses its permit (`relieve`).
/// - A free permit is given to a thread that rests, unless a thread waits for requests already.
///
/// While a thread rests, a request therefore waits only for threads that have served for less than
/// `patience`. Once no thread rests, there are as many requests under way as threads.
final class WorkerPool: Sendable {
    /// One of the threads.
    final class Worker: Sendable {
        fileprivate let number: Int
        fileprivate let call = Monitor(false)

        fileprivate init(number: Int) { self.number = number }
    }

    private enum Stage: Sendable {
        /// Has no permit, and does nothing until it is called.
        case resting
        /// Has a permit, and waits for requests.
        case watching
        /// Has a permit, and looks for requests without waiting.
        case looking
        /// Has a permit, and serves since a time of ``MonotonicClock``.
        case serving(since: Int)
        /// Serves without a permit.
        case away
    }

    private struct State: Sendable {
        var stages: [Stage] = []
        /// The last one to rest is called first: its memory is still in the caches.
        var resting: [Worker] = []
        /// Connections for the next thread that looks for requests.
        var left: [ClientConnection] = []
        var watching = 0
        /// How many look or serve.
        var permitted = 0
        var finished = 0
        /// Whether somebody calls `relieve` when the first permit has been taken for too long.
        var isTimed = false
        var isOver = false
    }

    /// What a thread does next.
    enum Turn: Sendable {
        /// Serves what was left to it.
        case serve(ClientConnection)
        /// Looks for requests: for several if it would leave the others to nobody.
        case look(forSeveral: Bool)
        case end
    }

    private let size: Int
    private let permits: Int
    private let patience: Int
    /// How many busy threads keep the processors busy: while one waits, the process that it waits
    /// for works. A single thread can't leave work to others.
    private let enough: Int
    private let onCrowd: @Sendable () -> Void
    private let state = Guarded(State())

    /// - Parameters:
    ///   - size: How many threads there are.
    ///   - onCrowd: Called when all permits are taken and threads rest; then `relieve` has to be
    ///     called.
    init(
        size: Int, processors: Int, patienceSeconds: Double,
        onCrowd: @escaping @Sendable () -> Void
    ) {
        self.size = size
        permits = min(size, processors + 1)
        patience = Int(min(patienceSeconds, 1e9) * 1e9)
        enough = min(size - 1, max(1, processors / 2))
        self.onCrowd = onCrowd
    }

    /// Takes the calling thread in, which has no permit yet.
    func join() -> Worker {
        state.withLock { state in
            state.stages.append(.away)
            return Worker(number: state.stages.count - 1)
        }
    }

    /// A thread's next turn, after it has served so many connections; waits for a permit. Before
    /// the thread serves, it calls `begin`.
    func next(_ worker: Worker, after served: Int) -> Turn {
        let turn: Turn? = change { state in
            state.finished += served
            if state.isOver { return .end }
            if case .serving = state.stages[worker.number] {
                return nextTurn(of: worker, in: &state)
            }
            if state.watching + state.permitted < permits {
                state.permitted += 1
                return nextTurn(of: worker, in: &state)
            }
            state.stages[worker.number] = .resting
            state.resting.append(worker)
            return nil
        }
        if let turn { return turn }
        // Whoever calls it has given it a permit.
        _ = worker.call.wait { isCalled in
            defer { isCalled = false }
            return (isCalled ? true : nil, .never)
        }
        return state.withLock { nextTurn(of: worker, in: &$0) }
    }

    /// A thread has looked for requests in vain, and waits for them unless something was left to
    /// it.
    func watch(_ worker: Worker) -> ClientConnection? {
        state.withLock { state in
            if !state.left.isEmpty { return takeLeft(&state) }
            state.stages[worker.number] = .watching
            state.permitted -= 1
            state.watching += 1
            return nil
        }
    }

    /// A thread is about to serve. Whether it may take several requests, because leaving them to
    /// others gains nothing: all of them, or all processors, are busy.
    func begin(_ worker: Worker) -> Bool {
        let now = MonotonicClock.nanoseconds()
        return change { state in
            if case .watching = state.stages[worker.number] {
                state.watching -= 1
                state.permitted += 1
            }
            state.stages[worker.number] = .serving(since: now)
            return isShort(state)
        }
    }

    /// A thread is about to do what may take long, so it leaves its permit to another.
    func yieldPermit(_ worker: Worker) {
        change { state in
            guard case .serving = state.stages[worker.number] else { return }
            state.stages[worker.number] = .away
            state.permitted -= 1
        }
    }

    /// Leaves a connection to the next thread that looks for requests. False if the connection has
    /// to be armed instead, for a thread that waits for requests.
    func leave(_ connection: ClientConnection) -> Bool {
        connection.release()
        return change { state in
            if state.watching > 0 { return false }
            state.left.append(connection)
            return true
        }
    }

    /// Gives permits that have been taken for too long to threads that rest.
    ///
    /// - Returns: When to call this again; nil if not before `onCrowd` is called.
    func relieve() -> Deadline? {
        let now = MonotonicClock.nanoseconds()
        return change { state in
            guard isCrowded(state) else {
                state.isTimed = false
                return nil
            }
            var first = now
            for (number, stage) in state.stages.enumerated() {
                guard case .serving(let since) = stage else { continue }
                if now - since >= patience {
                    state.stages[number] = .away
                    state.permitted -= 1
                } else {
                    first = min(first, since)
                }
            }
            return .after(seconds: Double(first + patience - now) / 1e9)
        }
    }

    /// Ends the turns of all threads that rest or come to an end of what they do.
    func close() {
        let workers = state.withLock { state in
            state.isOver = true
            defer { state.resting = [] }
            return state.resting
        }
        for worker in workers { worker.call.change { $0 = true } }
    }

    /// How many connections have been served.
    var finishedCount: Int { state.withLock { $0.finished } }

    /// Whether all threads are busy and have served less than one connection each since `count`:
    /// they are waiting for something other than the processor.
    func isStuck(since count: Int) -> Bool {
        state.withLock { state in
            state.resting.isEmpty && state.watching == 0 && state.finished - count < size
        }
    }

    /// How many threads do what.
    var strength: (resting: Int, watching: Int, permitted: Int) {
        let state = state.withLock { $0 }
        return (state.resting.count, state.watching, state.permitted)
    }

    /// Changes the state, and then calls a thread that rests if a permit is free and nobody else
    /// waits for requests.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, called, isNewCrowd) = state.withLock { state in
            let result = body(&state)
            var called: Worker?
            if state.watching == 0, state.permitted < permits { called = state.resting.popLast() }
            if let called {
                state.stages[called.number] = .looking
                state.permitted += 1
            }
            let isNewCrowd = !state.isTimed && isCrowded(state)
            if isNewCrowd { state.isTimed = true }
            return (result, called, isNewCrowd)
        }
        called?.call.change { $0 = true }
        if isNewCrowd { onCrowd() }
        return result
    }

    /// What a thread does that has a permit.
    private func nextTurn(of worker: Worker, in state: inout State) -> Turn {
        if state.isOver { return .end }
        state.stages[worker.number] = .looking
        return state.left.isEmpty
            ? .look(forSeveral: isShort(state)) : .serve(takeLeft(&state))
    }

    private func takeLeft(_ state: inout State) -> ClientConnection {
        let connection = state.left.removeFirst()
        connection.acquire()
        return connection
    }

    /// Whether all permits are taken by threads that serve, while others rest.
    private func isCrowded(_ state: State) -> Bool {
        state.watching == 0 && state.permitted >= permits && !state.resting.isEmpty
    }

    private func isShort(_ state: State) -> Bool {
        size - state.resting.count - state.watching - 1 >= enough
    }
}
