package import Postgres
package import Basics

/// A worker process: threads that run jobs, one that talks to the database and one that listens.
///
/// Jobs run at least once. They are fenced: once the lease is lost, nothing that the worker reports
/// about them has any effect. A kill at any instant loses nothing.
package final class Worker: Sendable {
    private let state: Monitor<WorkerState>
    private let lease: Lease
    private let outcome = Monitor<Bool?>(nil)

    /// Connects and starts to work.
    ///
    /// - Parameters:
    ///   - settings: Connection settings for the role hearth_worker.
    ///   - label: Name of the process for operators; visible ASCII without blanks.
    ///   - listens: False if notifications can't arrive anyway; otherwise the worker finds out.
    ///   - echoSeconds: Interval for checking that notifications arrive, with the next heartbeat
    ///     (at least every five seconds). If two in a row are missing, the worker assumes that none
    ///     arrive.
    ///   - tracer: Chooses the jobs that are traced; nil for none.
    /// - Throws: `PostgresError` with code `settings` if the system can't create another thread.
    ///   The worker waits for a database that can't be reached.
    package init(
        _ settings: ConnectionSettings, queues: [QueueConfiguration], schedules: [Schedule] = [],
        label: String,
        listens: Bool = true, echoSeconds: Double = 15, tracer: Tracer? = nil,
        observe: @escaping WorkerObserver
    ) throws(PostgresError) {
        precondition(Set(queues.map(\.name)).count == queues.count, "a queue is configured twice")
        let state = Monitor(WorkerState(queues, echoSeconds: echoSeconds))
        let lease = Lease()
        let outcome = outcome
        self.state = state
        self.lease = lease
        let channel = listens ? "hearth_echo_\(UInt64.random(in: 0...UInt64.max))" : nil
        if let channel {
            try Self.start { NotificationListener(settings, channel, state, lease).run() }
        }
        for (index, queue) in queues.enumerated() {
            for _ in 1...queue.threads {
                try Self.start {
                    JobRunner(
                        state: state, lease: lease, queue: index, tracer: tracer, observe: observe
                    ).run()
                }
            }
        }
        try Self.start {
            let session = WorkerSession(
                settings, label: label, threads: queues.reduce(0) { $0 + $1.threads },
                queues: queues.map(\.name), schedules: schedules, ownChannel: channel,
                observe: observe)
            let dispatcher = Dispatcher(state, lease, session, queues, observe: observe)
            dispatcher.run()
            let isDrained = dispatcher.drain(until: lease.stopDeadline)
            outcome.update {
                $0 = isDrained
                return true
            }
        }
    }

    deinit { end(by: .after(seconds: 0)) }

    /// Starts no more jobs, waits for running ones and hands the rest back without counting an
    /// attempt.
    ///
    /// - Returns: Whether all running jobs ended in time. The others are handed back as well; their
    ///   threads continue until they check ``JobContext/shouldStop``.
    package func stop(deadlineSeconds: Double) -> Bool {
        let deadline = Deadline.after(seconds: deadlineSeconds)
        end(by: deadline)
        // Database calls have their own deadlines beyond that.
        let timeout = Deadline.after(seconds: deadlineSeconds + 30)
        return outcome.wait { ($0, timeout) } ?? false
    }

    /// Seconds since the thread that talks to the database began its last turn. A turn takes at
    /// most the sum of the deadlines of its wait, its connection and its statements: less than a
    /// minute, whether the database answers or not.
    package var secondsSinceTurn: Double { lease.secondsSinceTurn }

    /// Whether notifications reach this worker.
    package var isListening: Bool { state.withLock { $0.isListening } }

    private func end(by deadline: Deadline) {
        lease.stop(by: deadline)
        state.update {
            $0.isStopping = true
            return true
        }
    }

    private static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(PostgresError) {
        guard SystemThread.startDetached(body) else {
            throw PostgresError(.settings, "no thread could be started")
        }
    }
}
