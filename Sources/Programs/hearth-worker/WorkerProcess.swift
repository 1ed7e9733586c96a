import Glibc
import Jobs
import Mail
import Monitoring
import Postgres
import CommandLine
import Configuration
import FamilySettings
import Identity
import Telemetry
import Tracing
import UseCases
import Webhooks

/// The wiring of `hearth-worker`: settings to database, mail and job queues.
struct WorkerProcess {
    static let settings: [any DeclaredSetting] =
        [
            HearthSettings.workerDatabaseURL, HearthSettings.secretKeys, HearthSettings.publicURL,
            HearthSettings.workerMetricsListen, HearthSettings.preparedStatements,
            HearthSettings.logLevel, HearthSettings.issuersFileOfAPI,
        ] + HearthSettings.app + HearthSettings.mail + HearthSettings.webhooks
        + HearthSettings.retention + HearthSettings.tracing

    static let checks =
        [
            SettingCheck(HearthSettings.workerDatabaseURL, ConnectionSettings.problems),
            SettingCheck(HearthSettings.issuersFileOfAPI) {
                $0.map(IssuersFile.problems) ?? []
            },
        ]
        + MailSetup.checks + WebhookParts.checks + TraceParts.checks

    /// Seconds granted to running jobs at shutdown.
    private static let drainSeconds = 25.0
    /// Statement timeouts in seconds: the mail queue's statements find rows by index, those of
    /// upkeep change up to a thousand rows.
    private static let (mailSeconds, upkeepSeconds) = (10.0, 30.0)
    private static let upkeepThreads = 2
    /// Seconds without a turn of the worker's dispatcher after which the process counts as hung.
    private static let hangSeconds = 60.0

    private let settings: Settings
    private let log: Log
    private let connection: ConnectionSettings
    private let mail: MailParts
    private let webhooks: WebhookParts

    /// Reads the files that the settings name; connects to nothing yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        log = Log(level: settings[HearthSettings.logLevel])
        var connection = try ConnectionSettings(url: settings[HearthSettings.workerDatabaseURL])
        connection.applicationName = "hearth-worker"
        connection.preparesStatements = settings[HearthSettings.preparedStatements]
        connection.poolerAdvice = HearthSettings.poolerAdvice
        self.connection = connection
        mail = try MailParts(settings)
        webhooks = try WebhookParts(settings)
    }

    /// Works until a signal arrives. Returns the exit code.
    func run() throws -> Int32 {
        log.takeLibraryOutput()
        let signals = ShutdownSignals()
        let metrics = Metrics()
        metrics.addProcess()
        metrics.addBuild(version: HearthVersion.current)
        log.declareMetric(in: metrics)
        // One connection for each thread that sends mail; one for webhooks and providers, whose
        // threads mostly wait for other servers; one for metrics; and one for readiness.
        let pool = makePool(
            size: settings[HearthSettings.mailThreads] + 3, statementSeconds: Self.mailSeconds)
        let upkeepPool = makePool(
            size: Self.upkeepThreads, statementSeconds: Self.upkeepSeconds)
        defer {
            pool.close()
            upkeepPool.close()
        }
        let meters = WorkerMeters(metrics, log)
        let traces = TraceParts.make(settings, of: "hearth-worker", metrics, log)
        traces?.start()
        defer { traces?.stop() }
        let databaseMeters = DatabaseMeters(metrics, pool, log)
        defer { databaseMeters.stop() }
        let mailer = Mailer(pool, mail.transport, mail.keys, mail.signInKeys, mail.message) {
            meters.count($0)
        }
        let sender = WebhookSender(
            pool, webhooks.client, webhooks.keys, linkKeys: mail.keys,
            keptDays: webhooks.keptDays
        ) { meters.count($0) }
        let providers = try ProviderJobs(settings, pool, mail.signInKeys)
        let upkeep = UpkeepJobs(
            ExpireAndPurge(upkeepPool, Retention(settings)), ExamineDatabase(upkeepPool), meters)
        let worker = try Worker(
            connection,
            queues: [
                QueueConfiguration(
                    name: MailJob.queue, kinds: mailer.kinds,
                    threads: settings[HearthSettings.mailThreads]),
                QueueConfiguration(
                    name: WebhookJob.queue, kinds: sender.kinds, threads: WebhookParts.threads,
                    isNotified: false),
                QueueConfiguration(
                    name: ProviderJobs.queue, kinds: providers.kinds, threads: 1),
                QueueConfiguration(
                    name: UpkeepJobs.queue, kinds: upkeep.kinds, threads: Self.upkeepThreads),
            ],
            schedules: UpkeepJobs.schedules + WebhookSender.schedules, label: Self.label,
            tracer: traces?.tracer,
            observe: { event in
                meters.record(event)
                // The pools' idle connections lead to the server that did not respond to the
                // worker.
                if case .databaseUnreachable = event {
                    pool.discardIdle()
                    upkeepPool.discardIdle()
                }
            })
        let readiness = CheckReadiness(pool, mail.keys, checksStatements: false)
        let server = try settings[HearthSettings.workerMetricsListen].map {
            try MonitoringServer($0, metrics, readiness, log)
        }
        // If there is no address, nobody can read the metrics.
        if server != nil { databaseMeters.start() }
        let reports = ProcessReports(
            pool,
            .init(
                name: "hearth-worker", version: HearthVersion.current,
                revision: Metrics.buildRevision),
            counters: [
                "hearth_jobs_ended_total", "hearth_jobs_stale_results_total",
                "hearth_jobs_reclaimed_total", "hearth_worker_leases_lost_total",
                "hearth_mails_total", #"hearth_mails_total{outcome="refused"}"#,
                #"hearth_mails_total{outcome="rejected"}"#, "hearth_webhooks_total",
                "hearth_log_lines_dropped_total",
                "process_cpu_seconds_total", "process_resident_memory_bytes",
            ],
            metrics: { metrics.text() },
            onFailure: { [log] in
                log.warning(
                    "could not store this process's report; retrying in a minute", [.error($0)])
            })
        if !reports.start() { log.error("could not start the thread for this process's reports") }
        defer { reports.stop() }
        log.info("worker started")
        let notifier = ServiceNotifier.start(log) {
            let state = readiness.check()
            return state == .ready ? nil : "\(state.reason)"
        } isAlive: {
            worker.secondsSinceTurn < Self.hangSeconds
        }
        let signal = signals.wait()
        notifier?.beginStopping()
        log.info(
            "shutting down: running jobs are finished, and no others are started",
            signal.map { [.signal($0.name)] } ?? [])
        server?.beginDraining()
        let isDrained = worker.stop(deadlineSeconds: Self.drainSeconds)
        server?.stop()
        log.info(
            isDrained
                ? "stopped: all running jobs were finished"
                : "stopped: the time ran out before all running jobs were finished")
        log.flush()
        return isDrained ? ExitCode.success : ExitCode.failure
    }

    private func makePool(size: Int, statementSeconds: Double) -> Pool {
        var (connection, bounds) = (connection, Pool.Settings())
        connection.statementTimeoutSeconds = statementSeconds
        bounds.size = size
        return Pool(connection, bounds)
    }

    /// Host name, up to its first character that is not visible ASCII, and process id.
    private static var label: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = name.prefix { $0 > 0x20 && $0 < 0x7F }.map { UInt8($0) }
        return String(decoding: host.prefix(150), as: UTF8.self) + ":\(getpid())"
    }
}
