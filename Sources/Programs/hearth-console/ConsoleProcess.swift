import API
import Basics
import CommandLine
import Configuration
import Console
import Credentials
import FamilySettings
import Glibc
import HTTPServer
import Postgres
import Telemetry
import UseCases

/// The wiring of `hearth-console`: settings to database, sign-in and HTTP.
struct ConsoleProcess {
    static let settings: [any DeclaredSetting] =
        [
            HearthSettings.adminDatabaseURL, HearthSettings.secretKeys,
            HearthSettings.trustedProxies, HearthSettings.logLevel,
            HearthSettings.preparedStatements,
        ] + HearthSettings.console

    static let checks = [
        SettingCheck(HearthSettings.adminDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.viewerDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.trustedProxies) { words in
            (words ?? []).filter { AddressRange($0) == nil }
                .map { "'\($0)' is neither an address nor a block of addresses" }
        },
        SettingCheck(HearthSettings.consoleProxyAddresses) { words in
            (words ?? []).filter { AddressRange($0) == nil }
                .map { "'\($0)' is neither an address nor a block of addresses" }
        },
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
    /// Seconds until a statement is cancelled: a page that takes longer helps nobody.
    private static let statementSeconds = 10.0

    private let settings: Settings
    private let log: Log
    private let admin, viewer: Pool
    private let services: ConsoleServices

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
        services = ConsoleServices(
            admin: admin, viewer: viewer,
            signIn: ConsoleSignIn(
                admin, signInKeys, RelyingParty(baseURL: address),
                sessionHours: settings[HearthSettings.consoleSessionHours]),
            site: PublicSite(baseURL: address), invitationKeys: invitationKeys,
            signInKeys: signInKeys, log: log, proxy: Self.proxy(settings, log),
            hasMailedCodes: settings[HearthSettings.consoleMailedCodes],
            now: { Int64(time(nil)) })
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
        let log = log
        let server = try Server(http, handler: ConsoleHandler(services)) {
            log.error("the HTTP server reported an error", [.error($0)])
        }
        log.info("serving the console", [.listen(address.with(port: server.port))])
        let notifier = ServiceNotifier.start(log) {
            nil
        } isAlive: {
            true
        }
        let signal = signals.wait()
        notifier?.beginStopping()
        log.info("shutting down", signal.map { [.signal($0.name)] } ?? [])
        let isDrained = server.drain(deadlineSeconds: Self.drainSeconds)
        log.flush()
        return isDrained ? ExitCode.success : ExitCode.failure
    }

    private static func pool(_ url: String, _ settings: Settings) throws -> Pool {
        var connection = try ConnectionSettings(url: url)
        connection.applicationName = "hearth-console"
        connection.statementTimeoutSeconds = statementSeconds
        connection.preparesStatements = settings[HearthSettings.preparedStatements]
        connection.poolerAdvice = HearthSettings.poolerAdvice
        var bounds = Pool.Settings()
        bounds.size = connections
        return Pool(connection, bounds)
    }
}
