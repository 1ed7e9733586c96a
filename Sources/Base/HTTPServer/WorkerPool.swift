import Basics

/// Decides which of a server's threads work: as few as keep the processors busy, and more when
/// these threads are blocked.
///
/// A thread needs a permit to look for requests, to wait for them, or to answer reads. There is one
/// permit more than processors. While all are taken, requests collect, so that the next thread
/// takes many of them to the database at once. If every thread took requests as they came, each
/// would take few, and a thread descheduled by the system would hold up those it has taken.
///
/// - Work that may take long is done without a permit (`releasePermit`).
/// - A thread that has answered reads for longer than `permitTimeout` is blocked by something other
///   than a processor, and loses its permit (`reassignPermits`).
/// - A free permit goes to a resting thread, unless a thread is already waiting for requests.
///
/// While a thread rests, a request therefore waits only for threads that have served for less than
/// `permitTimeout`. Once no thread rests, as many requests are in progress as there are threads.
final class WorkerPool: Sendable {
    /// A thread of the pool: its number, and the signal that wakes it.
    final class Worker: Sendable {
        fileprivate let number: Int
        fileprivate let call = Monitor(false)

        fileprivate init(number: Int) { self.number = number }
    }

    private enum Stage: Sendable {
        /// Sleeping without a permit until the pool calls the thread.
        case resting
        /// Waiting for requests, with a permit.
        case watching
        /// Looking for requests without waiting, with a permit.
        case looking
        /// Serving with a permit, since a time of ``MonotonicClock``.
        case serving(since: Int)
        /// Serving without a permit.
        case withoutPermit
    }

    private struct State: Sendable {
        var stages: [Stage] = []
        /// Resting threads. The last one to rest is called first, because its memory is still in
        /// the caches.
        var resting: [Worker] = []
        /// Connections for the next thread that looks for requests.
        var handedOver: [ClientConnection] = []
        var watching = 0
        /// Number of threads that look for requests or serve.
        var permitted = 0
        var finished = 0
        /// Whether a call of `reassignPermits` is scheduled for when the first permit has been held
        /// for too long.
        var isTimerRunning = false
        var isClosed = false
    }

    /// The next step of a thread.
    enum NextStep: Sendable {
        /// Serve a connection left by another thread.
        case serve(ClientConnection)
        /// Look for requests: for several if no other thread would take them.
        case look(forSeveral: Bool)
        case end
    }

    private let size: Int
    private let permits: Int
    private let permitTimeout: Int
    /// Number of busy threads that is enough to keep the processors busy. It is half the number of
    /// processors, because while a thread waits, the database that it waits for uses a processor.
    /// It is 0 in a pool of one thread.
    private let spareThreads: Int
    private let onAllPermitsTaken: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - size: Number of threads.
    ///   - onAllPermitsTaken: Called when all permits are taken while threads rest;
    ///     `reassignPermits` must be called then.
    init(
        size: Int, processors: Int, permitTimeoutSeconds: Double,
        onAllPermitsTaken: @escaping @Sendable () -> Void
    ) {
        self.size = size
        permits = min(size, processors + 1)
        permitTimeout = Int(min(permitTimeoutSeconds, 1e9) * 1e9)
        spareThreads = min(size - 1, max(1, processors / 2))
        self.onAllPermitsTaken = onAllPermitsTaken
    }

    /// Adds the calling thread, without a permit.
    func join() -> Worker {
        state.withLock { state in
            state.stages.append(.withoutPermit)
            return Worker(number: state.stages.count - 1)
        }
    }

    /// Returns a thread's next step, after it has served this many connections; waits for a permit.
    /// The thread must call `begin` before it serves.
    func next(_ worker: Worker, after served: Int) -> NextStep {
        let step: NextStep? = change { state in
            state.finished += served
            if state.isClosed { return .end }
            if case .serving = state.stages[worker.number] {
                return nextStep(of: worker, in: &state)
            }
            if state.watching + state.permitted < permits {
                state.permitted += 1
                return nextStep(of: worker, in: &state)
            }
            state.stages[worker.number] = .resting
            state.resting.append(worker)
            return nil
        }
        if let step { return step }
        // The thread that calls this one has given it a permit.
        _ = worker.call.wait { isCalled in
            defer { isCalled = false }
            return (isCalled ? true : nil, .never)
        }
        return state.withLock { nextStep(of: worker, in: &$0) }
    }

    /// Records that a thread found no requests and waits for them, unless a connection was left for
    /// it.
    func watch(_ worker: Worker) -> ClientConnection? {
        state.withLock { state in
            if !state.handedOver.isEmpty { return takeHandedOver(&state) }
            state.stages[worker.number] = .watching
            state.permitted -= 1
            state.watching += 1
            return nil
        }
    }

    /// Records that a thread is about to serve. Returns whether it may take several requests,
    /// because leaving requests to others gains nothing: all threads, or all processors, are busy.
    func begin(_ worker: Worker) -> Bool {
        let now = MonotonicClock.nanoseconds()
        return change { state in
            if case .watching = state.stages[worker.number] {
                state.watching -= 1
                state.permitted += 1
            }
            state.stages[worker.number] = .serving(since: now)
            return isShortOfThreads(state)
        }
    }

    /// Gives up a thread's permit before work that may take long.
    func releasePermit(_ worker: Worker) {
        change { state in
            guard case .serving = state.stages[worker.number] else { return }
            state.stages[worker.number] = .withoutPermit
            state.permitted -= 1
        }
    }

    /// Leaves a connection to the next thread that looks for requests. Returns false if the
    /// connection must be armed instead, for a thread that waits for requests.
    func handOver(_ connection: ClientConnection) -> Bool {
        connection.release()
        return change { state in
            if state.watching > 0 { return false }
            state.handedOver.append(connection)
            return true
        }
    }

    /// Moves permits that have been held for too long to resting threads.
    ///
    /// - Returns: Time of the next call; nil if none is needed before
    ///   `onAllPermitsTaken` is called.
    func reassignPermits() -> Deadline? {
        let now = MonotonicClock.nanoseconds()
        return change { state in
            guard allPermitsTaken(state) else {
                state.isTimerRunning = false
                return nil
            }
            var first = now
            for (number, stage) in state.stages.enumerated() {
                guard case .serving(let since) = stage else { continue }
                if now - since >= permitTimeout {
                    state.stages[number] = .withoutPermit
                    state.permitted -= 1
                } else {
                    first = min(first, since)
                }
            }
            return .after(seconds: Double(first + permitTimeout - now) / 1e9)
        }
    }

    /// Ends the pool: resting threads end at once, others after their current work.
    func close() {
        let workers = state.withLock { state in
            state.isClosed = true
            defer { state.resting = [] }
            return state.resting
        }
        for worker in workers { worker.call.change { $0 = true } }
    }

    /// Number of served connections.
    var finishedCount: Int { state.withLock { $0.finished } }

    /// Whether all threads are busy and have served less than one connection each since `count`,
    /// which means that they are blocked by something other than the processor.
    func isStuck(since count: Int) -> Bool {
        state.withLock { state in
            state.resting.isEmpty && state.watching == 0 && state.finished - count < size
        }
    }

    /// Number of threads in each state.
    var strength: (resting: Int, watching: Int, permitted: Int) {
        let state = state.withLock { $0 }
        return (state.resting.count, state.watching, state.permitted)
    }

    /// Changes the state, and then calls a resting thread if a permit is free and no other thread
    /// waits for requests.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, called, needsTimer) = state.withLock { state in
            let result = body(&state)
            var called: Worker?
            if state.watching == 0, state.permitted < permits { called = state.resting.popLast() }
            if let called {
                state.stages[called.number] = .looking
                state.permitted += 1
            }
            let needsTimer = !state.isTimerRunning && allPermitsTaken(state)
            if needsTimer { state.isTimerRunning = true }
            return (result, called, needsTimer)
        }
        called?.call.change { $0 = true }
        if needsTimer { onAllPermitsTaken() }
        return result
    }

    /// Returns the next step of a thread that has a permit.
    private func nextStep(of worker: Worker, in state: inout State) -> NextStep {
        if state.isClosed { return .end }
        state.stages[worker.number] = .looking
        return state.handedOver.isEmpty
            ? .look(forSeveral: isShortOfThreads(state)) : .serve(takeHandedOver(&state))
    }

    private func takeHandedOver(_ state: inout State) -> ClientConnection {
        let connection = state.handedOver.removeFirst()
        connection.acquire()
        return connection
    }

    /// Whether all permits are held by serving threads, while others rest.
    private func allPermitsTaken(_ state: State) -> Bool {
        state.watching == 0 && state.permitted >= permits && !state.resting.isEmpty
    }

    private func isShortOfThreads(_ state: State) -> Bool {
        size - state.resting.count - state.watching - 1 >= spareThreads
    }
}
