import API
import HTTPServer
import Identity
import Postgres
import Service
import UseCases

/// The wiring of `hearth-api`: settings to database, identity, HTTP.
struct APIServer {
    static let settings: [any DeclaredSetting] = [
        HearthSettings.databaseURL, HearthSettings.listen, HearthSettings.metricsListen,
        HearthSettings.httpThreads, HearthSettings.databasePool,
        HearthSettings.preparedStatements, HearthSettings.issuersFile, HearthSettings.secretKeys,
        HearthSettings.publicURL, HearthSettings.corsOrigins, HearthSettings.appleAppIDs,
        HearthSettings.logLevel,
    ]

    /// Seconds that requests under way are given at the end.
    private static let drainSeconds = 30.0

    private let settings: Settings
    private let log: Log
    private let services: Services

    /// Reads what the settings name, and connects to nothing yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        log = Log(level: settings[HearthSettings.logLevel])
        let issuers = try IssuersFile(path: settings[HearthSettings.issuersFile]).issuers
        var connection = try ConnectionSettings(url: settings[HearthSettings.databaseURL])
        connection.applicationName = "hearth-api"
        connection.preparesStatements = settings[HearthSettings.preparedStatements]
        connection.plansOnce = true
        connection.statementTimeoutSeconds = 10
        var pool = Pool.Settings()
        pool.size = settings[HearthSettings.databasePool]
        let metrics = Metrics()
        metrics.addProcess()
        services = Services(
            database: Database(Pool(connection, pool)), verifier: TokenVerifier(issuers),
            site: PublicSite(
                baseURL: settings[HearthSettings.publicURL],
                corsOrigins: Set(settings[HearthSettings.corsOrigins] ?? []),
                appleAppIDs: settings[HearthSettings.appleAppIDs] ?? []),
            invitationKeys: try Self.invitationKeys(settings), log: log, metrics: metrics)
    }

    private static func invitationKeys(_ settings: Settings) throws -> InvitationKeys {
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try InvitationKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: a key is too short"])
        }
        return keys
    }

    /// Serves until a signal comes. Answers the exit code.
    func run() throws -> Int32 {
        let signals = ShutdownSignals()
        let handler = RequestHandler(services)
        let server = try listen(on: settings[HearthSettings.listen], handler)
        let metricsServer = try settings[HearthSettings.metricsListen].map {
            try listen(on: $0, handler)
        }
        let signal = signals.wait()
        services.beginDraining()
        log.info("draining", signal.map { [.signal($0)] } ?? [])
        let isDrained = server.drain(deadlineSeconds: Self.drainSeconds)
        services.database.pool.close()
        metricsServer?.stop()
        log.info(isDrained ? "ended" : "ended with requests under way")
        return isDrained ? ExitCode.success : ExitCode.failure
    }

    private func listen(
        on address: ListenAddress, _ handler: RequestHandler
    ) throws -> Server {
        var http = ServerSettings()
        http.host = address.host
        http.port = address.port
        http.threads = settings[HearthSettings.httpThreads]
        let log = log
        let server = try Server(
            http,
            onFault: { handler.respond(to: $0, in: $1) },
            onTrouble: { log.error("the HTTP server is in trouble", [.error($0)]) },
            handler: { handler.respond(to: $0) })
        log.info("listening", [.listen(address.with(port: server.port))])
        return server
    }
}
