import API
import Basics
import CommandLine
import Configuration
import Console
import Credentials
import Doctor
import FamilySettings
import Glibc
import HTTPServer
import Identity
import Mail
import Monitoring
import Postgres
import Telemetry
import Tracing
import UseCases

/// The wiring of `hearth-console`: settings to database, sign-in and HTTP.
struct ConsoleProcess {
    static let settings: [any DeclaredSetting] =
        [
            HearthSettings.adminDatabaseURL, HearthSettings.secretKeys,
            HearthSettings.trustedProxies, HearthSettings.logLevel,
            HearthSettings.preparedStatements, HearthSettings.workerMetricsListen,
            HearthSettings.issuersFileOfAPI, publicURL, codeLength, wrongCodes,
        ] + MailSetup.settings + HearthSettings.console + HearthSettings.tracing

    // As far as they are given, doctor compares the database with them.
    private static let publicURL = HearthSettings.publicURL.orNone
    private static let codeLength = HearthSettings.codeLength.orNone
    private static let wrongCodes = HearthSettings.wrongCodesPerMinute.orNone

    /// The release's list of roles and rights, in the folder in which the programs run.
    private static let rightsFile = "sql/rights.txt"

    static let checks = ownChecks + MailSetup.deliveryChecks + TraceParts.checks

    private static let ownChecks = [
        SettingCheck(HearthSettings.adminDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.viewerDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.trustedProxies) { AddressRange.problems($0 ?? []) },
        SettingCheck(HearthSettings.issuersFileOfAPI) { $0.map(IssuersFile.problems) ?? [] },
        SettingCheck(HearthSettings.consoleProxyAddresses) { AddressRange.problems($0 ?? []) },
        SettingCheck(
            HearthSettings.consoleProxyAddresses, with: HearthSettings.consoleProxyHeader
        ) { words, header in
            words != nil && header == nil ? ["expected only with HEARTH_CONSOLE_PROXY_HEADER"] : []
        },
        SettingCheck(
            HearthSettings.consoleProxySecret, with: HearthSettings.consoleProxyHeader
        ) { secret, header in
            secret != nil && header == nil ? ["expected only with HEARTH_CONSOLE_PROXY_HEADER"] : []
        },
    ]

    /// Connections as each role, and threads: operators are few.
    private static let (connections, threads) = (4, 8)
    private static let connectionLimit = 256
    /// Seconds granted to requests in progress at shutdown.
    private static let drainSeconds = 10.0
    /// Seconds without a sweep of the HTTP server after which the process counts as hung.
    private static let hangSeconds = 10.0
    /// Seconds until a statement is cancelled: a page that takes longer helps nobody.
    private static let statementSeconds = 10.0

    private let settings: Settings
    private let log: Log
    private let admin, viewer: Pool
    private let services: ConsoleServices
    private let metrics = Metrics()
    private let traces: TraceParts?
    /// Issuers of tokens that an admin asks about.
    private let issuers: [Issuer]

    /// Connects to nothing yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        log = Log(level: settings[HearthSettings.logLevel])
        admin = try Self.pool(settings[HearthSettings.adminDatabaseURL], settings)
        viewer = try Self.pool(settings[HearthSettings.viewerDatabaseURL], settings)
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let invitationKeys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        let signInKeys = try SignInKeys(secrets)
        let address = settings[HearthSettings.consolePublicURL]
        let webhookKeys = try WebhookKeys(secrets)
        let now: @Sendable () -> Int64 = { Int64(time(nil)) }
        let configured = Self.configuredIssuers(settings)
        issuers =
            try settings[HearthSettings.issuersFileOfAPI].map {
                try IssuersFile(path: $0).issuers
            } ?? []
        let pool = admin
        metrics.addProcess()
        metrics.addBuild(version: HearthVersion.current)
        log.declareMetric(in: metrics)
        traces = TraceParts.make(settings, of: "hearth-console", metrics, log)
        services = ConsoleServices(
            admin: admin, viewer: viewer,
            signIn: ConsoleSignIn(
                admin, signInKeys, RelyingParty(baseURL: address),
                sessionHours: settings[HearthSettings.consoleSessionHours]),
            site: PublicSite(baseURL: address), invitationKeys: invitationKeys,
            signInKeys: signInKeys, webhookKeys: webhookKeys,
            doctor: DoctorRuns(admin.connectionSettings, now: now) {
                DoctorExpectations(
                    rightsFile: Self.rightsFile,
                    issuers: try configured(try Self.signsTokens(pool)),
                    codeLength: settings[Self.codeLength],
                    wrongCodesPerMinute: settings[Self.wrongCodes], webhookKeys: webhookKeys)
            },
            system: ConsoleSystem(
                settings: settings.shown, settingsWithoutPaths: settings.shownWithoutPaths,
                secretKeyCount: secrets.count, configuredIssuers: configured, issuers: issuers,
                publicURL: settings[Self.publicURL]),
            mail: TestMail(
                try MailSetup(settings, isAwaited: true), publicURL: settings[Self.publicURL]),
            metrics: metrics, log: log, proxy: Self.proxy(settings, log),
            hasMailedCodes: settings[HearthSettings.consoleMailedCodes], tracer: traces?.tracer,
            now: now)
    }

    /// Returns the function that reads the issuers of the settings, whose files may change. Whether
    /// Hearth itself is one of them is unknown without HEARTH_PUBLIC_URL.
    private static func configuredIssuers(
        _ settings: Settings
    ) -> @Sendable (_ signsTokens: Bool) throws -> ConfiguredIssuers? {
        { signsTokens in
            let name = settings[publicURL]
            return try ConfiguredIssuers(
                issuersFile: settings[HearthSettings.issuersFileOfAPI],
                signsTokens: signsTokens && name != nil, publicURL: name)
        }
    }

    /// Returns whether a running process of the API has reported keys that sign tokens.
    private static func signsTokens(_ pool: Pool) throws -> Bool {
        try pool.withConnection { try !ConsoleReader(on: $0).signingKeys().isEmpty }
    }

    /// The trusted proxy; nil unless its three settings are given.
    private static func proxy(_ settings: Settings, _ log: Log) -> ConsoleProxy? {
        guard let header = settings[HearthSettings.consoleProxyHeader],
            let secret = settings[HearthSettings.consoleProxySecret],
            let addresses = settings[HearthSettings.consoleProxyAddresses]
        else { return nil }
        // The check of this setting has established that each one is a valid range.
        return ConsoleProxy(
            header: header, secret: Array(secret.reveal().utf8),
            addresses: addresses.compactMap { AddressRange($0) }, log: log)
    }

    /// Serves until a signal arrives. Returns the exit code.
    func run() throws -> Int32 {
        log.takeLibraryOutput()
        let signals = ShutdownSignals()
        defer {
            admin.close()
            viewer.close()
        }
        let address = settings[HearthSettings.consoleListen]
        var http = ServerSettings()
        http.settingName = HearthSettings.consoleListen.declaration.name
        http.host = address.host
        http.port = address.port
        http.threads = Self.threads
        http.connectionLimit = Self.connectionLimit
        // The check of this setting has established that each one is a valid range.
        http.trustedProxies = (settings[HearthSettings.trustedProxies] ?? []).compactMap {
            AddressRange($0)
        }
        http.urgentPaths = ["/healthz"]
        let (log, services) = (log, services)
        traces?.start()
        let server = try Server(http, handler: ConsoleHandler(services)) {
            log.error("the HTTP server reported an error", [.error($0)])
        }
        log.info("serving the console", [.listen(address.with(port: server.port))])
        for issuer in issuers {
            issuer.keys.startFetching { event in
                if case .failed(let error) = event {
                    log.warning("could not fetch the keys of an issuer", [.error(error)])
                }
            }
        }
        let readiness = services.readiness
        let monitoring = try settings[HearthSettings.workerMetricsListen].map {
            try MonitoringServer($0, metrics, readiness, log)
        }
        let reports = processReports()
        if !reports.start() { log.error("could not start the thread for this process's reports") }
        defer { reports.stop() }
        let notifier = ServiceNotifier.start(log) {
            let state = readiness.check()
            return state == .ready ? nil : "\(state.reason)"
        } isAlive: {
            server.secondsSinceSweep < Self.hangSeconds
        }
        let signal = signals.wait()
        notifier?.beginStopping()
        log.info("shutting down", signal.map { [.signal($0.name)] } ?? [])
        monitoring?.beginDraining()
        services.beginDraining()
        let isDrained = server.drain(deadlineSeconds: Self.drainSeconds)
        traces?.stop()
        monitoring?.stop()
        log.flush()
        return isDrained ? ExitCode.success : ExitCode.failure
    }

    private func processReports() -> ProcessReports {
        let (metrics, log) = (metrics, log)
        return ProcessReports(
            admin,
            .init(
                name: "hearth-console", version: HearthVersion.current,
                revision: Metrics.buildRevision),
            counters: [
                "hearth_console_requests_total", "hearth_log_lines_dropped_total",
                "process_cpu_seconds_total", "process_resident_memory_bytes",
            ],
            metrics: { metrics.text() },
            onFailure: {
                log.warning(
                    "could not store this process's report; retrying in a minute", [.error($0)])
            })
    }

    private static func pool(_ url: String, _ settings: Settings) throws -> Pool {
        var connection = try ConnectionSettings(url: url)
        connection.applicationName = "hearth-console"
        connection.statementTimeoutSeconds = statementSeconds
        connection.preparesStatements = settings[HearthSettings.preparedStatements]
        connection.plans = .custom
        connection.compilesStatements = false
        connection.poolerAdvice = HearthSettings.poolerAdvice
        var bounds = Pool.Settings()
        bounds.size = connections
        return Pool(connection, bounds)
    }
}
