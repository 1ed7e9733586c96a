import API
import Domain
import HTTPServer
import Identity
import Mail
import Monitoring
import Postgres
import CommandLine
import Configuration
import FamilySettings
import Telemetry
import Tracing
import Basics
import UseCases

/// The wiring of `hearth-api`: settings to database, identity, HTTP.
struct APIServer {
    static let settings: [any DeclaredSetting] =
        [
            HearthSettings.databaseURL, HearthSettings.readDatabaseURL,
            HearthSettings.serverDatabaseURL, HearthSettings.listen, HearthSettings.metricsListen,
            HearthSettings.httpThreads, HearthSettings.databasePool,
            HearthSettings.readCache,
            HearthSettings.preparedStatements, HearthSettings.issuersFileOfAPI,
            HearthSettings.secretKeys,
            HearthSettings.publicURL, HearthSettings.corsOrigins, HearthSettings.appleAppIDs,
            HearthSettings.postgrestURL, HearthSettings.consentsFile,
            HearthSettings.logLevel, HearthSettings.trustedProxies,
            HearthSettings.connections, HearthSettings.connectionsPerAddress,
            HearthSettings.shutdownDelay,
        ] + HearthSettings.codes + HearthSettings.signIn
        + HearthSettings.app + HearthSettings.pages + HearthSettings.tracing

    static let checks =
        [
            SettingCheck(HearthSettings.databaseURL, ConnectionSettings.problems),
            SettingCheck(HearthSettings.readDatabaseURL) {
                $0.map(ConnectionSettings.problems) ?? []
            },
            SettingCheck(HearthSettings.serverDatabaseURL) {
                $0.map(ConnectionSettings.problems) ?? []
            },
            SettingCheck(HearthSettings.issuersFileOfAPI) { $0.map(IssuersFile.problems) ?? [] },
            SettingCheck(HearthSettings.signingKeysFile) { $0.map(SigningKeys.problems) ?? [] },
            SettingCheck(HearthSettings.consentsFile) { $0.map(ConsentPurposes.problems) ?? [] },
            SettingCheck(HearthSettings.mailTemplates) { $0.map(MailTexts.problems) ?? [] },
            SettingCheck(HearthSettings.appAccent) { $0.map(AccentColors.problems) ?? [] },
            SettingCheck(HearthSettings.appLogoFile) { $0.map(AppLogo.problems) ?? [] },
            SettingCheck(HearthSettings.demoLinksFile, with: HearthSettings.publicURL) {
                $0 == nil ? [] : DemoLinks.problems(on: PublicSite(baseURL: $1))
            },
            SettingCheck(HearthSettings.trustedProxies) { AddressRange.problems($0 ?? []) },
        ] + TraceParts.checks

    /// Seconds granted to requests in progress at shutdown.
    private static let drainSeconds = 30.0
    /// Number of threads for the operators' address. A readiness check can wait two seconds for the
    /// database; two of them can run at once.
    private static let operatorThreads = 2
    private static let operatorConnections = 64

    /// Seconds without a sweep of the server's connections after which the process counts as hung.
    private static let hangSeconds = 10.0

    private static let demoLinksBytes = 64 * 1_024

    private let settings: Settings
    private let log: Log
    private let services: Services
    private let signInPool: Pool
    private let traces: TraceParts?
    private let trustedProxies: [AddressRange]
    private let capacity: Capacity

    /// Reads the files that the settings name; connects to nothing yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        let capacity = Capacity(settings)
        self.capacity = capacity
        log = Log(level: settings[HearthSettings.logLevel])
        // The check of this setting has established that each one is a valid range.
        trustedProxies = (settings[HearthSettings.trustedProxies] ?? []).compactMap {
            AddressRange($0)
        }
        let signIn = try SignInParts.make(settings)
        let issuers = try SignInParts.issuers(settings, signIn)
        var connection = try ConnectionSettings(url: settings[HearthSettings.databaseURL])
        connection.applicationName = "hearth-api"
        connection.preparesStatements = settings[HearthSettings.preparedStatements]
        connection.poolerAdvice = HearthSettings.poolerAdvice
        connection.plans = .generic
        connection.statementTimeoutSeconds = 10
        var pool = Pool.Settings()
        pool.size = capacity.connections
        let metrics = Metrics()
        metrics.addProcess()
        metrics.addBuild(version: HearthVersion.current)
        traces = TraceParts.make(settings, of: "hearth-api", metrics, log)
        let database = Database(Pool(connection, pool))
        var ownPool = pool
        ownPool.size = capacity.signInConnections
        signInPool = Pool(connection, ownPool)
        services = Services(
            database: database,
            // A quarter of the threads may wait for issuers' keys.
            verifier: TokenVerifier(
                issuers, waiterLimit: max(1, capacity.threads / 4)),
            site: PublicSite(
                baseURL: settings[HearthSettings.publicURL],
                corsOrigins: Set(settings[HearthSettings.corsOrigins] ?? []),
                appleAppIDs: settings[HearthSettings.appleAppIDs] ?? [],
                androidApps: AndroidApp.all(of: settings[HearthSettings.androidApps] ?? []),
                app: try AppListing(settings),
                languages: try MailLanguages.supported(settings),
                demo: settings[HearthSettings.demoLinksFile].map { path in
                    DemoLinks { try TextFile.read(path, limitBytes: Self.demoLinksBytes) }
                }),
            invitationKeys: try Self.invitationKeys(settings),
            consents: try settings[HearthSettings.consentsFile].map { path throws(SettingsError) in
                try ConsentPurposes(path: path)
            } ?? ConsentPurposes(),
            codes: CodeSettings(
                length: settings[HearthSettings.codeLength],
                wrongPerMinute: settings[HearthSettings.wrongCodesPerMinute]),
            // The other half of the threads serves the API's own requests.
            rest: settings[HearthSettings.postgrestURL].map {
                RestForwarder(base: $0, limit: max(1, capacity.threads / 2))
            }, signIn: signIn,
            reads: try Self.reads(settings, database, connection, pool, log),
            readCacheBytes: settings[HearthSettings.readCache],
            signInPool: signInPool,
            servers: try Self.servers(settings, connection, pool), log: log, metrics: metrics,
            tracer: traces?.tracer)
    }

    /// Returns the router that sends reads to the standbys of the settings, or to the primary if
    /// the settings name none.
    private static func reads(
        _ settings: Settings, _ database: Database, _ primary: ConnectionSettings,
        _ pool: Pool.Settings, _ log: Log
    ) throws -> any ReadRouter {
        guard let url = settings[HearthSettings.readDatabaseURL] else {
            return PrimaryReads(database)
        }
        var standbys = try ConnectionSettings(url: url)
        standbys.applicationName = primary.applicationName
        standbys.preparesStatements = primary.preparesStatements
        standbys.poolerAdvice = primary.poolerAdvice
        standbys.plans = .generic
        return StandbyReads(database, primary: primary, standbys: standbys, pool) { event in
            switch event {
            case .serves(let address): log.info("a standby now serves reads", [.server(address)])
            case .doesNotServe(let address, let error):
                log.warning(
                    "a standby no longer serves reads; other servers do",
                    [.server(address)] + (error.map { [.error($0)] } ?? []))
            case .notRenewed(let error):
                log.warning(
                    "could not renew this process's row in app.standby_readers; retrying",
                    [.error(error)])
            }
        }
    }

    /// Returns the connections for requests with API keys; nil if the settings name none.
    private static func servers(
        _ settings: Settings, _ primary: ConnectionSettings, _ pool: Pool.Settings
    ) throws -> Pool? {
        guard let url = settings[HearthSettings.serverDatabaseURL] else { return nil }
        var connection = try ConnectionSettings(url: url)
        connection.applicationName = primary.applicationName
        connection.preparesStatements = primary.preparesStatements
        connection.poolerAdvice = primary.poolerAdvice
        connection.plans = .generic
        connection.statementTimeoutSeconds = primary.statementTimeoutSeconds
        var pool = pool
        pool.size = max(1, pool.size / 2)
        return Pool(connection, pool)
    }

    private static func invitationKeys(_ settings: Settings) throws -> InvitationKeys {
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        return keys
    }

    /// Serves until a signal arrives. Returns the exit code.
    func run() throws -> Int32 {
        log.takeLibraryOutput()
        let signals = ShutdownSignals()
        for issuer in services.verifier.issuers { fetchKeys(of: issuer) }
        let signInMeters = services.signInMeters
        services.signIn?.tokens.keys.startWatching { signInMeters.note($0) }
        services.databaseMeters.start()
        if !services.reads.start() {
            log.error(
                "could not start the threads for reads from standbys; the primary serves all reads")
        }
        if services.serverAccess?.start() == false {
            log.error("could not start the thread that counts the requests of API keys")
        }
        services.storeSettings()
        traces?.start()
        log.info(
            "thread and connection limits determined",
            [
                .processors(Processors.usable), .threads(capacity.threads),
                .connections(capacity.connections),
            ])
        let reports = processReports()
        if !reports.start() { log.error("could not start the thread for this process's reports") }
        let handler = RequestHandler(services)
        let metricsListen = settings[HearthSettings.metricsListen]
        var http = ServerSettings()
        http.threads = capacity.threads
        http.trustedProxies = trustedProxies
        http.connectionLimit = settings[HearthSettings.connections]
        http.connectionsPerAddress = settings[HearthSettings.connectionsPerAddress]
        http.urgentPaths = ListenerScope.urgentPaths
        http.connectionLimit = connectionsWithinLimit(of: http.connectionLimit)
        let server = try listen(
            on: settings[HearthSettings.listen], HearthSettings.listen, http,
            handler.at(metricsListen == nil ? .whole : .clients))
        let metricsServer = try metricsListen.map { address in
            http.threads = Self.operatorThreads
            http.connectionLimit = Self.operatorConnections
            return try listen(
                on: address, HearthSettings.metricsListen, http, handler.at(.operators))
        }
        let notifier = ServiceNotifier.start(log) { [services] in
            let state = services.checkReadiness()
            return state == .ready ? nil : "\(state.reason)"
        } isAlive: {
            server.secondsSinceSweep < Self.hangSeconds
        }
        let signal = signals.wait()
        notifier?.beginStopping()
        services.beginDraining()
        log.info(
            "shutting down: /readyz returns 503, and requests in progress are finished",
            signal.map { [.signal($0.name)] } ?? [])
        MonotonicClock.pause(seconds: settings[HearthSettings.shutdownDelay])
        let isDrained = server.drain(deadlineSeconds: Self.drainSeconds)
        services.signInLog.stop(deadlineSeconds: 5)
        traces?.stop()
        reports.stop()
        services.databaseMeters.stop()
        services.reads.stop()
        services.serverAccess?.stop()
        services.database.pool.close()
        signInPool.close()
        metricsServer?.stop()
        log.info(
            isDrained
                ? "stopped: all requests were finished"
                : "stopped: the time ran out before all requests were finished")
        log.flush()
        return isDrained ? ExitCode.success : ExitCode.failure
    }

    private func processReports() -> ProcessReports {
        let (metrics, log, keys) = (services.metrics, log, services.signIn?.tokens.keys)
        return ProcessReports(
            services.database.pool,
            .init(
                name: "hearth-api", version: HearthVersion.current,
                revision: Metrics.buildRevision),
            counters: [
                "hearth_http_requests_total", #"hearth_http_responses_total{class="4xx"}"#,
                #"hearth_http_responses_total{class="5xx"}"#, "hearth_policy_refusals_total",
                "hearth_rate_limit_refusals_total", "hearth_pool_in_use", "hearth_pool_waiting",
                "hearth_log_lines_dropped_total", "process_cpu_seconds_total",
                "process_resident_memory_bytes",
            ],
            largest: ["hearth_jobs_oldest_ready_seconds"],
            distributions: ["hearth_http_request_duration_seconds"],
            metrics: { metrics.text() },
            signingKeys: keys.map { keys in
                { @Sendable () -> [UInt8] in keys.publishedWithTimes }
            },
            onFailure: {
                log.warning(
                    "could not store this process's report; retrying in a minute", [.error($0)])
            })
    }

    /// Returns the wanted number of connections, or as many as the limit of open files allows; logs
    /// a warning if that is fewer.
    private func connectionsWithinLimit(of wanted: Int) -> Int {
        // Descriptors for the database, other servers, the log and files.
        let others = capacity.connections + capacity.signInConnections + 256
        let descriptors = DescriptorLimit.raise(to: wanted + others)
        let possible = max(16, descriptors - others)
        if possible >= wanted { return wanted }
        log.warning(
            "serving fewer connections than HEARTH_CONNECTIONS: the limit on open files is too low",
            [.count(possible), .limit(descriptors)])
        return possible
    }

    private func fetchKeys(of issuer: Issuer) {
        let meters = services.issuerKeyMeters
        meters.record(ignored: issuer.keys.ignored)
        issuer.keys.startFetching { meters.record($0) }
        // Descriptions are needed only for the providers' buttons.
        if services.offersProviders { issuer.client?.metadata.start { meters.record($0) } }
    }

    /// Warnings about valid settings.
    var warnings: [String] {
        services.verifier.issuers.flatMap { issuer in
            issuer.keys.ignored.map {
                "HEARTH_ISSUERS_FILE: a key of \(issuer.name) is ignored: \($0)"
            }
                + (issuer.client == nil || services.offersProviders
                    ? []
                    : [
                        "HEARTH_ISSUERS_FILE: clientID of \(issuer.name) has no effect: it needs "
                            + "HEARTH_SIGNING_KEYS_FILE, and exchange in HEARTH_SIGN_IN"
                    ])
        }
    }

    private func listen(
        on address: ListenAddress, _ setting: Setting<some Sendable>, _ http: ServerSettings,
        _ handler: RequestHandler
    ) throws -> Server {
        var http = http
        http.settingName = setting.declaration.name
        http.host = address.host
        http.port = address.port
        let log = log
        let server = try Server(http, handler: handler) {
            log.error("the HTTP server reported an error", [.error($0)])
        }
        log.info("serving HTTP", [.listen(address.with(port: server.port))])
        return server
    }
}
