import Postgres
import Basics

/// The only thread of a worker that talks to the database.
final class Dispatcher {
    /// Seconds between heartbeats.
    private static let heartbeatSeconds = 5.0
    private static let shortestHeartbeatSeconds = 1.0
    /// Seconds between polls, with and without working notifications.
    private static let pollSeconds = (listening: 5.0, alone: 1.0)
    /// Timeout of a round trip in seconds. It is shorter than a lease, so a worker leaves a hanging
    /// server before its lease expires.
    private static let roundTripSeconds = 10.0

    let state: Monitor<WorkerState>
    let lease: Lease
    let observe: WorkerObserver
    private let session: WorkerSession
    private let queueNames: [String]
    private let kindNames: [[String]]
    /// Kinds whose start is recorded, for each queue.
    private let recordedKindNames: [[String]]
    private let echoSeconds: Double
    private var bounds: [ClaimBounds]
    private var nextHeartbeat = Deadline.after(seconds: 0)
    private var nextPoll = Deadline.after(seconds: 0)
    /// Next poll of the queues for which no notifications are sent.
    private var nextUnnotifiedPoll: Deadline
    private var nextEcho = Deadline.after(seconds: 0)
    /// Time at which the next job without a notification is due.
    private var nextDue = Deadline.never
    private var wasListening = false

    init(
        _ state: Monitor<WorkerState>, _ lease: Lease, _ session: WorkerSession,
        _ queues: [QueueConfiguration],
        observe: @escaping WorkerObserver
    ) {
        self.state = state
        self.lease = lease
        self.session = session
        self.observe = observe
        echoSeconds = state.withLock { $0.echoSeconds }
        queueNames = queues.map(\.name)
        kindNames = queues.map { $0.kinds.map(\.name) }
        recordedKindNames = queues.map { $0.kinds.filter(\.recordsStart).map(\.name) }
        bounds = queues.map { _ in ClaimBounds() }
        nextUnnotifiedPoll = queues.allSatisfy(\.isNotified) ? .never : .after(seconds: 0)
    }

    /// Runs until the worker is stopped.
    func run() {
        while !lease.isStopping {
            lease.recordTurn()
            let moment = min(nextPoll, nextUnnotifiedPoll, nextHeartbeat, nextDue)
            _ = state.wait { $0.dispatch(nextPoll: moment) }
            if lease.isStopping { break }
            if !roundTrip(mayClaim: true) { rest(seconds: session.pauseSeconds) }
        }
    }

    /// Waits for running jobs to end, hands all other jobs back and releases the lease. Returns
    /// whether all running jobs ended in time.
    func drain(until deadline: Deadline) -> Bool {
        release { $0.removeWaiting() }
        while !state.withLock({ $0.isIdle }), !deadline.hasPassed {
            _ = state.wait { state in
                (state.ended.isEmpty && !state.isIdle ? nil : true, deadline)
            }
            if !roundTrip(mayClaim: false) { rest(seconds: min(0.5, deadline.remainingSeconds)) }
        }
        let isDrained = state.withLock { $0.isIdle }
        release { $0.removeRunning() }
        _ = roundTrip(mayClaim: false)
        session.releaseLease()
        return isDrained
    }

    private func release(_ take: (inout QueueState) -> [HeldJob]) {
        state.withLock { state in
            for index in state.queues.indices {
                let jobs = take(&state.queues[index])
                state.putBack(jobs.map { EndedJob($0, .ended(.release)) })
            }
        }
    }

    private func rest(seconds: Double) {
        let deadline = Deadline.after(seconds: seconds)
        _ = state.wait { ($0.isStopping && !self.lease.isStopping ? true : nil, deadline) }
    }

    /// Makes one round trip; returns false if it failed.
    private func roundTrip(mayClaim: Bool) -> Bool {
        let isPoll = nextPoll.hasPassed || nextHeartbeat.hasPassed || nextDue.hasPassed
        let isUnnotifiedPoll = nextUnnotifiedPoll.hasPassed
        if isUnnotifiedPoll {
            nextUnnotifiedPoll = .after(seconds: Self.pollSeconds.alone * .random(in: 0.9...1.1))
        }
        if nextDue.hasPassed { nextDue = .never }
        let isHeartbeat = nextHeartbeat.hasPassed
        let roundTrip = state.withLock { state in
            for index in state.queues.indices
            where isPoll || isUnnotifiedPoll && !state.queues[index].configuration.isNotified {
                state.queues[index].mayHaveMore = true
            }
            return RoundTrip(
                &state, isHeartbeat: isHeartbeat, claims: mayClaim, epoch: lease.current)
        }
        if roundTrip.stale > 0 { observe(.stale(count: roundTrip.stale)) }
        do throws(PostgresError) {
            try session.connect(state, lease, ended: roundTrip.ended)
            if !roundTrip.isEmpty, try !send(roundTrip) {
                handleFailure(roundTrip, nil)
                return false
            }
            planPoll(isPoll: isPoll)
            return true
        } catch {
            handleFailure(roundTrip, error.constraint == WorkerSession.leaseLostName ? nil : error)
            return false
        }
    }

    /// Sends a round trip's statements; returns false if the lease is lost.
    private func send(_ roundTrip: RoundTrip) throws(PostgresError) -> Bool {
        let worker = session.worker
        var batch = Batch()
        let sendsEcho = roundTrip.isFirstHeartbeat || nextEcho.hasPassed
        let heartbeat =
            roundTrip.isHeartbeat
            ? batch.add(Queue.heartbeat, worker, queueNames, sendsEcho ? session.ownChannel : nil)
            : nil
        let readReports = addReports(roundTrip, in: &batch)
        let startingJobs = roundTrip.starts.flatMap(\.jobs).map(\.job)
        let startKey =
            startingJobs.isEmpty
            ? nil : batch.add(Queue.start, startingJobs.map(\.id), startingJobs.map(\.token))
        let claimKeys = roundTrip.claims.map { queueIndex, limit, starting in
            let from = bounds[queueIndex].next()
            return batch.add(
                Queue.claim, worker, queueNames[queueIndex], kindNames[queueIndex], Int32(limit),
                from.at, from.id,
                Int32(starting), recordedKindNames[queueIndex])
        }
        let sent = MonotonicClock.nanoseconds()
        let results = try session.send(batch, seconds: Self.roundTripSeconds)
        let seconds = MonotonicClock.seconds(since: sent)
        if let heartbeat {
            if !handle(try results.row(heartbeat), sent) { return false }
            // Slightly earlier than the next heartbeat, so that this heartbeat sends the echo.
            if sendsEcho { nextEcho = .after(seconds: echoSeconds - 1) }
        }
        try readReports(results)
        if let startKey {
            let ids = Set(try results.rows(startKey).map(\.value))
            if ids.count < startingJobs.count {
                observe(.stale(count: startingJobs.count - ids.count))
            }
            state.update { state in
                for (queueIndex, _) in roundTrip.starts {
                    state.queues[queueIndex].startsRecorded(ids)
                }
                return true
            }
        }
        for (claim, key) in zip(roundTrip.claims, claimKeys) {
            receive(try results.rows(key), claim.queueIndex, claim.limit, seconds)
        }
        return true
    }

    /// Adds the ended jobs to a batch. The returned closure reads the results and counts the
    /// reports that came too late.
    private func addReports(
        _ roundTrip: RoundTrip, in batch: inout Batch
    ) -> (BatchResults) throws(PostgresError) -> Void {
        let done = roundTrip.done
        let unfinished = roundTrip.storedOutcomes { .random(in: 0...1) }
        let completeKey =
            done.isEmpty
            ? nil
            : batch.add(
                Queue.complete, done.map(\.id), done.map(\.token), done.map(\.milliseconds))
        let finishKey =
            unfinished.isEmpty
            ? nil
            : batch.add(
                Queue.finish, unfinished.map(\.id), unfinished.map(\.token),
                unfinished.map(\.outcome),
                unfinished.map(\.delayMilliseconds), unfinished.map(\.error),
                unfinished.map(\.milliseconds))
        let retried = roundTrip.retried
        let discardedKey = retried.isEmpty ? nil : batch.add(Queue.discarded, retried.map(\.job.id))
        let pauses = roundTrip.pauses
        let pauseKeys = pauses.map { batch.add(Queue.pause, $0.queue, $0.reason) }
        let shortestDelay = unfinished.filter(\.isRetried).map(\.delayMilliseconds).min()
        return { (results) throws(PostgresError) in
            var count = 0
            if let completeKey { count += Int(try results.row(completeKey).value) }
            if let finishKey { count += Int(try results.row(finishKey).value) }
            let late = done.count + unfinished.count - count
            if late > 0 { self.observe(.stale(count: late)) }
            for (pause, key) in zip(pauses, pauseKeys) where try results.row(key).value {
                self.observe(.paused(queue: pause.queue, reason: pause.reason))
            }
            if let discardedKey {
                let dead = Set(try results.rows(discardedKey).map(\.value))
                for (job, reason, isLogged) in retried {
                    let isDead = dead.contains(job.id)
                    self.observe(
                        job.event(isDead ? .dead(reason) : .retry(reason, isLogged: isLogged)))
                }
            }
            if let shortestDelay {
                self.nextHeartbeat = min(
                    self.nextHeartbeat, .after(seconds: Double(shortestDelay) / 1000))
            }
        }
    }

    private func handle(_ heartbeat: Heartbeat, _ sent: Int) -> Bool {
        guard heartbeat.isHeld else { return false }
        lease.renew(sentAt: sent)
        if heartbeat.reclaimed > 0 {
            observe(.reclaimed(count: heartbeat.reclaimed))
            for index in bounds.indices { bounds[index].reset() }
            state.withLock { state in
                for index in state.queues.indices { state.queues[index].mayHaveMore = true }
            }
        }
        plan(dueSeconds: heartbeat.waitSeconds)
        return true
    }

    /// Schedules the next heartbeat for the time at which something is due.
    ///
    /// In a steady stream the next job is always due at once, and claiming it needs no heartbeat.
    /// An overdue job waits for something that this worker can't influence.
    private func plan(dueSeconds: Double?) {
        guard let due = dueSeconds else {
            nextHeartbeat = .after(seconds: Self.heartbeatSeconds)
            return
        }
        if due > 0, due < Self.shortestHeartbeatSeconds { nextDue = .after(seconds: due) }
        nextHeartbeat = .after(
            seconds: min(Self.heartbeatSeconds, max(due, Self.shortestHeartbeatSeconds)))
    }

    private func receive(_ jobs: [Job], _ queueIndex: Int, _ limit: Int, _ seconds: Double) {
        bounds[queueIndex].advance(past: jobs, afterSeconds: seconds)
        for job in jobs where job.isExpired {
            observe(.expired(kind: job.kind, id: job.id, attempt: Int(job.attempt)))
        }
        if !jobs.isEmpty {
            observe(.claimed(queue: queueNames[queueIndex], count: jobs.count, seconds: seconds))
        }
        let epoch = lease.current
        state.update { state in
            var ended: [EndedJob] = []
            state.queues[queueIndex].add(jobs, limit: limit, epoch: epoch, ended: &ended)
            state.putBack(ended)
            return !jobs.isEmpty
        }
    }

    private func planPoll(isPoll: Bool) {
        let isListening = state.withLock { $0.checkListening() }
        if isListening != wasListening {
            wasListening = isListening
            observe(.listening(isListening))
        } else if !isPoll {
            return
        }
        let seconds = isListening ? Self.pollSeconds.listening : Self.pollSeconds.alone
        nextPoll = .after(seconds: seconds * .random(in: 0.9...1.1))
        // Poll and heartbeat share one transaction.
        if isListening { nextPoll = max(nextPoll, nextHeartbeat) }
    }

    /// Handles a failed round trip.
    ///
    /// - Parameter error: The error; nil if the lease is lost.
    private func handleFailure(_ roundTrip: RoundTrip, _ error: PostgresError?) {
        let stale = state.withLock { state in
            for index in state.queues.indices { state.queues[index].mayHaveMore = true }
            if error == nil { return state.loseAll() }
            state.putBack(roundTrip.ended)
            for index in state.queues.indices { state.queues[index].recordingFailed() }
            return 0
        }
        if stale > 0 { observe(.stale(count: stale)) }
        if let error {
            if error.breaksConnection { state.withLock { $0.wantsNewListener = true } }
            // A standby that has not been promoted yet refuses writes: the database is still away.
            let isAway = error.breaksConnection || error.sqlState == .readOnlyTransaction
            observe(isAway ? .databaseUnreachable(error) : .statementFailed(error))
        } else {
            lease.lose()
            observe(.leaseLost)
        }
        for index in bounds.indices { bounds[index].reset() }
        nextHeartbeat = .after(seconds: 0)
        nextEcho = .after(seconds: 0)
        session.failed(error)
    }
}
