import Jobs
package import Postgres
import Repositories
package import Telemetry
import Basics
import UseCases

/// Metrics of the connection pool, the database and its queues.
///
/// A scrape never waits for the database. A thread reads the figures every ten seconds, for at most
/// six seconds, and pauses at least twenty times as long as the read took, because counting a long
/// queue takes the database's time. Figures older than a minute are omitted.
package final class DatabaseMeters: Sendable {
    private static let intervalSeconds = 10.0
    private static let restFactor = 20.0
    private static let lifetimeSeconds = 60.0

    private struct State {
        var statistics: ReadStatistics.Statistics?
        var lastsUntil = Deadline.after(seconds: 0)
        var isReachable: Bool?
        var isStarted = false
        var isStopped = false
    }

    private let state = Monitor(State())
    private let pool: Pool
    private let log: Log

    /// Declares the metrics; does not use the database before ``start()``.
    ///
    /// - Parameter second: A further pool of the process, whose connections count as well.
    package init(
        _ metrics: Metrics, _ pool: Pool, _ log: Log, alsoCounting second: Pool? = nil
    ) {
        self.pool = pool
        self.log = log
        metrics.gauge("hearth_pool_in_use", "Leased database connections.") {
            Double(pool.statistics.inUse + (second?.statistics.inUse ?? 0))
        }
        metrics.gauge("hearth_pool_waiting", "Threads waiting for a database connection.") {
            Double(pool.statistics.waiting + (second?.statistics.waiting ?? 0))
        }
        declare(in: metrics)
    }

    deinit { stop() }

    /// Starts a thread that reads the figures until ``stop()``.
    package func start() {
        var isFirst = false
        state.update { state in
            isFirst = !state.isStarted
            state.isStarted = true
            return false
        }
        guard isFirst else { return }
        let (state, read, log) = (state, ReadStatistics(pool), log)
        let isStarted = SystemThread.startDetached {
            while true {
                let began = MonotonicClock.nanoseconds()
                Self.ask(read, state, log)
                let took = MonotonicClock.seconds(since: began)
                let next = max(Self.intervalSeconds, took * Self.restFactor)
                guard Self.rests(until: .after(seconds: next), state) else { return }
            }
        }
        if !isStarted { log.error("could not start the thread for database metrics") }
    }

    /// Stops the thread.
    package func stop() {
        state.update { state in
            state.isStopped = true
            return true
        }
    }

    private func declare(in metrics: Metrics) {
        let latest: @Sendable () -> ReadStatistics.Statistics? = { [state] in
            state.withLock { $0.lastsUntil.hasPassed ? nil : $0.statistics }
        }
        metrics.gauge(
            "hearth_database_reachable", "Whether the last query of the database succeeded."
        ) { [state] in state.withLock { $0.isReachable }.map { $0 ? 1 : 0 } }
        metrics.gauges(
            "hearth_jobs", "Jobs, by state: ready (now or later), running, dead (discarded).",
            ["queue", "state"]
        ) {
            Self.all(latest()).flatMap { queue in
                [
                    ([queue.name, "ready"], Double(queue.statistics?.ready ?? 0)),
                    ([queue.name, "running"], Double(queue.statistics?.running ?? 0)),
                    ([queue.name, "dead"], Double(queue.statistics?.dead ?? 0)),
                ]
            }
        }
        metrics.gauges(
            "hearth_jobs_oldest_ready_seconds",
            "Seconds since the oldest due job was enqueued; 0 if none is due.", ["queue"]
        ) {
            Self.all(latest()).map { ([$0.name], $0.statistics?.oldestReadySeconds ?? 0) }
        }
        metrics.gauges(
            "hearth_queue_paused",
            "Whether the queue is paused, by an operator or after a failure that affects all jobs.",
            ["queue"]
        ) { Self.all(latest()).map { ([$0.name], $0.statistics?.pause == nil ? 0 : 1) } }
        metrics.gauges(
            "hearth_queue_paused_seconds",
            "Seconds since the queue was paused; 0 if it is not paused.", ["queue"]
        ) { Self.all(latest()).map { ([$0.name], $0.statistics?.pause?.seconds ?? 0) } }
        metrics.gauges(
            "hearth_queue_failing",
            "Whether jobs of the queue wait to be tried again, and none succeeds.", ["queue"]
        ) { Self.all(latest()).map { ([$0.name], $0.statistics?.isFailing == true ? 1 : 0) } }
        metrics.gauge(
            "hearth_oldest_transaction_seconds",
            "Age of the database's oldest open transaction, in seconds."
        ) { latest()?.oldestTransactionSeconds }
        metrics.gauges(
            "hearth_webhook_endpoints", "Webhooks, by state: working, failing, paused.",
            ["state"]
        ) {
            guard let webhooks = latest()?.webhooks else { return [] }
            return [
                (["working"], Double(webhooks.working)), (["failing"], Double(webhooks.failing)),
                (["paused"], Double(webhooks.paused)),
            ]
        }
        metrics.gauge(
            "hearth_webhook_deliveries_pending", "Webhook events that are not delivered yet."
        ) { (latest()?.webhooks.pending).map(Double.init) }
        metrics.gauge(
            "hearth_automatic_approval",
            "Whether every family requires approval because of many wrong codes."
        ) { (latest()?.guessing.isApprovalAutomatic).map { $0 ? 1 : 0 } }
        metrics.gauge(
            "hearth_wrong_codes", "Wrong family codes in the last minute, in all processes."
        ) { (latest()?.guessing.wrongCodes).map(Double.init) }
        metrics.gauge(
            "hearth_wrong_codes_usual",
            "Usual number of wrong family codes a minute at this time of day."
        ) { (latest()?.guessing.usual).map(Double.init) }
        declareDoctor(in: metrics) { latest()?.doctor }
    }

    /// - Parameter latest: Returns the latest results; nil while they are unknown.
    private func declareDoctor(
        in metrics: Metrics, _ latest: @escaping @Sendable () -> [DoctorResult]?
    ) {
        metrics.gauges(
            "hearth_doctor_findings",
            "Findings of the latest examination by doctor; 0 in an area never examined.", ["area"]
        ) {
            guard let results = latest() else { return [] }
            return DoctorArea.allCases.map { area in
                let result = results.first { $0.area == area.rawValue }
                return ([area.rawValue], Double(result?.findings ?? 0))
            }
        }
        metrics.gauge(
            "hearth_doctor_age_seconds",
            "Seconds since the last examination of the daily area that was examined longest ago."
        ) {
            latest()?.filter { DoctorArea(rawValue: $0.area)?.isExaminedDaily == true }
                .map(\.ageSeconds).max()
        }
    }

    /// Returns the permanent queues, then others with jobs or a pause; none while the figures are
    /// unknown.
    private static func all(
        _ statistics: ReadStatistics.Statistics?
    ) -> [(name: String, statistics: QueueStatistics?)] {
        guard let queues = statistics?.queues else { return [] }
        let usual = [
            MailJob.queue, WebhookJob.queue, RevokeProviderToken.queue, ExpireAndPurge.queue,
        ]
        return usual.map { name in (name, queues.first { $0.queue == name }) }
            + queues.filter { !usual.contains($0.queue) }.map { ($0.queue, $0) }
    }

    /// Waits until the next read; false if the meters were stopped.
    private static func rests(until next: Deadline, _ state: Monitor<State>) -> Bool {
        state.wait { state in (state.isStopped ? true : nil, next) } == nil
    }

    private static func ask(_ read: ReadStatistics, _ state: Monitor<State>, _ log: Log) {
        let result = Result { try read() }
        var wasReachable: Bool?
        var wasAutomatic = false
        var wasPaused: Set<String> = []
        state.update { state in
            wasReachable = state.isReachable
            wasAutomatic = state.statistics?.guessing.isApprovalAutomatic ?? false
            wasPaused = Self.paused(state.statistics)
            switch result {
            case .success(let statistics):
                state.statistics = statistics
                state.lastsUntil = .after(seconds: lifetimeSeconds)
                state.isReachable = true
            case .failure: state.isReachable = false
            }
            return false
        }
        if case .success(let statistics) = result {
            logApproval(statistics.guessing, wasAutomatic, log)
            logPauses(statistics, wasPaused, log)
        }
        // Log once per outage.
        if case .failure(let error) = result, wasReachable != false {
            log.warning("could not read the database metrics", [.error(error)])
        }
    }

    /// Returns the names of the paused queues.
    private static func paused(_ statistics: ReadStatistics.Statistics?) -> Set<String> {
        Set(statistics?.queues.filter { $0.pause != nil }.map(\.queue) ?? [])
    }

    /// Logs the beginning and the end of each queue's pause once.
    private static func logPauses(
        _ statistics: ReadStatistics.Statistics, _ wasPaused: Set<String>, _ log: Log
    ) {
        for queue in statistics.queues where !wasPaused.contains(queue.queue) {
            guard let pause = queue.pause else { continue }
            log.warning(
                "a queue is paused",
                [.queue(queue.queue), .since(pause.since.description), .failure(pause.reason)])
        }
        for name in wasPaused.subtracting(paused(statistics)).sorted() {
            log.info("a queue has resumed", [.queue(name)])
        }
    }

    /// Logs once that wrong codes make approval required, and once that they no longer do.
    private static func logApproval(_ guessing: GuessingState, _ wasAutomatic: Bool, _ log: Log) {
        guard guessing.isApprovalAutomatic != wasAutomatic else { return }
        let fields: [LogField] = [
            .count(guessing.wrongCodes), .limit(guessing.usual + guessing.rate),
        ]
        if guessing.isApprovalAutomatic {
            log.warning(
                "wrong codes make every family require approval of people who join by a code",
                fields)
        } else {
            log.warning(
                "wrong codes no longer make approval necessary for people who join by a code",
                fields)
        }
    }
}
