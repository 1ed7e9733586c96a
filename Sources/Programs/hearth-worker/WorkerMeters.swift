import Jobs
import Mail
import Telemetry
import UseCases
import Webhooks

/// Logs and metrics of the worker.
struct WorkerMeters: Sendable {
    private let log: Log
    private let jobs: MetricFamily<Counter>
    private let durations: MetricFamily<Histogram>
    private let mails: MetricFamily<Counter>
    private let webhooks: MetricFamily<Counter>
    private let removals: MetricFamily<Counter>
    private let stale: Counter
    private let reclaimed: Counter
    private let leasesLost: Counter
    private let isListening: Gauge

    private static let kinds =
        MailJob.kinds + WebhookJob.kinds + [RevokeProviderToken.kind] + UpkeepJobs.kindNames

    init(_ metrics: Metrics, _ log: Log) {
        self.log = log
        let kind = MetricLabel("kind", Self.kinds)
        let outcomes = ["done", "cancelled", "expired", "retry", "dead", "paused", "handed_back"]
        jobs = metrics.counters(
            "hearth_jobs_ended_total", "Job runs of this worker, by outcome.",
            [kind, MetricLabel("outcome", outcomes)],
            shown: Self.kinds.flatMap { kind in outcomes.map { [kind, $0] } })
        durations = metrics.histograms(
            "hearth_job_duration_seconds", "Duration of job runs.", [kind])
        mails = metrics.counters(
            "hearth_mails_total", "Messages, by outcome.",
            [MetricLabel("outcome", Delivery.names)])
        webhooks = metrics.counters(
            "hearth_webhooks_total", "Attempts to deliver webhooks, by outcome.",
            [MetricLabel("outcome", WebhookSender.Attempt.allCases.map(\.rawValue))])
        removals = metrics.counters(
            "hearth_purged_total", "Rows and partitions that were expired or purged.",
            [MetricLabel("object", ExpireAndPurge.Object.allCases.map(\.rawValue))])
        stale = metrics.counter(
            "hearth_jobs_stale_results_total", "Job results ignored because the lease was lost.")
        reclaimed = metrics.counter(
            "hearth_jobs_reclaimed_total", "Jobs reclaimed from lost workers.")
        leasesLost = metrics.counter(
            "hearth_worker_leases_lost_total", "Leases that this worker lost.")
        isListening = metrics.gauge(
            "hearth_worker_listening", "Whether the worker is listening for new jobs.")
    }

    func count(_ delivery: Delivery) { if let name = delivery.name { mails[name].add() } }

    func count(_ attempt: WebhookSender.Attempt) {
        webhooks[attempt.rawValue].add()
        switch attempt {
        case .delivered, .failed: break
        case .discarded:
            log.warning(
                "a webhook event was discarded after three days; see 'hearth-admin webhook list'")
        case .paused:
            log.error("a webhook endpoint was paused; see 'hearth-admin webhook list'")
        }
    }

    func removed(_ object: ExpireAndPurge.Object, _ count: Int) {
        removals[object.rawValue].add(count)
        log.info("old data was expired or purged", [.name(object.literal), .count(count)])
    }

    /// Logs the result of a daily examination.
    func examined(_ findings: Int) {
        if findings == 0 { return log.info("the daily examination found no faults") }
        log.warning(
            "the daily examination found faults; see 'hearth-admin doctor'", [.count(findings)])
    }

    func record(_ event: WorkerEvent) {
        switch event {
        case .leaseAcquired(let worker, let isNew):
            log.info(
                isNew
                    ? "lease acquired: this worker claims jobs"
                    : "lease taken over on a new connection: this worker keeps its jobs",
                [.worker(Int(worker))])
        case .leaseLost:
            leasesLost.add()
            log.warning("the lease was lost; other workers take over its jobs")
        case .databaseUnreachable(let error):
            log.warning("the database is unreachable", [.error(error)])
        case .statementFailed(let error):
            log.error("a statement on the job queue failed", [.error(error)])
        case .listening(let listens):
            isListening.set(listens ? 1 : 0)
            log.info(
                listens
                    ? "notifications of new jobs arrive"
                    : "no notifications of new jobs arrive: polling the queue")
        case .claimed: break
        case .expired(let kind, let id, let attempt):
            jobs[kind, "expired"].add()
            log.warning(
                "job expired before it was completed",
                [.kind(kind), .job(Int(id)), .attempt(attempt)])
        case .ended(let kind, let id, let outcome, let attempt, let nanoseconds):
            ended(kind, id, outcome, attempt, nanoseconds)
        case .stale(let count):
            stale.add(count)
            log.warning(
                "stale job results were ignored: this worker no longer held the jobs",
                [.count(count)])
        case .reclaimed(let count):
            reclaimed.add(count)
            log.warning("jobs of workers whose leases expired are ready again", [.count(count)])
        case .paused(let queue, let reason):
            log.error(
                "queue paused: a job failed in a way that affects the whole queue",
                [.queue(queue), .failure(reason)])
        }
    }

    private func ended(
        _ kind: String, _ id: Int64, _ outcome: JobOutcome, _ attempt: Int, _ nanoseconds: Int
    ) {
        durations[kind].observe(nanoseconds: nanoseconds)
        let fields: [LogField] = [.kind(kind), .job(Int(id)), .attempt(attempt)]
        switch outcome {
        case .done, .doneWithMore:
            jobs[kind, "done"].add()
            log.debug("job completed", fields + [.duration(microseconds: nanoseconds / 1000)])
        case .cancelled:
            jobs[kind, "cancelled"].add()
            log.info("job cancelled: no longer needed", fields)
        case .retry(let reason, let isLogged), .postpone(let reason, let isLogged):
            jobs[kind, "retry"].add()
            let all = fields + [.failure(reason)]
            if isLogged {
                log.warning("job failed; it will be retried", all)
            } else {
                log.debug("job postponed", all)
            }
        case .dead(let reason):
            jobs[kind, "dead"].add()
            log.error("job discarded; it will not be retried", fields + [.failure(reason)])
        case .pauseQueue(let reason):
            jobs[kind, "paused"].add()
            log.warning("job paused its queue", fields + [.failure(reason)])
        case .snooze(let seconds):
            jobs[kind, "handed_back"].add()
            log.info("job postponed; no attempt was counted", fields + [.seconds(seconds)])
        case .pauseProcess(let reason):
            jobs[kind, "handed_back"].add()
            log.error(
                "this process can't run the queue's jobs; it starts none for thirty seconds",
                fields + [.failure(reason)])
        case .release:
            jobs[kind, "handed_back"].add()
            log.info("job returned to the queue for another worker", fields)
        }
    }
}

extension ExpireAndPurge.Object {
    fileprivate var literal: StaticString {
        switch self {
        case .expiredInvitations: "expired_invitations"
        case .expiredCodes: "expired_codes"
        case .closedInvitations: "closed_invitations"
        case .retiredCodes: "retired_codes"
        case .codeUsageLog: "code_usage_log"
        case .rateLimits: "rate_limits"
        case .codeLookups: "code_lookups"
        case .idempotencyKeys: "idempotency_keys"
        case .removedMembers: "removed_members"
        case .emptyFamilies: "empty_families"
        case .endedSessions: "ended_sessions"
        case .signInsLog: "sign_ins_log"
        case .emailTokens: "mailed_tickets"
        case .familyChanges: "family_changes"
        case .userChanges: "user_changes"
        case .answeredChallenges: "answered_challenges"
        case .wrongCodes: "wrong_codes"
        case .jobHistoryDays: "job_history_days"
        case .auditMonths, .unexportedAuditMonths: "audit_months"
        case .auditEntries, .unexportedAuditEntries: "audit_entries"
        }
    }
}
