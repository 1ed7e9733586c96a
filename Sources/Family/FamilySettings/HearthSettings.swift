package import Telemetry
package import Configuration

/// The settings that Hearth's executables share. With one table, one file can serve all
/// executables, and each can distinguish a misspelt name from another executable's setting.
package enum HearthSettings {
    /// Connection string of the database for the API.
    package static let databaseURL = Setting<String>.required(
        "HEARTH_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_api.")
    /// Connection string of the standbys that serve reads.
    package static let readDatabaseURL = Setting<String?>.optional(
        "HEARTH_READ_DATABASE_URL", .databaseURL, isSecret: true,
        "The standbys that reads go to, as the role hearth_api; several hosts are used in turn. "
            + "It must be the same for all processes of the API. Default: reads go to "
            + "HEARTH_DATABASE_URL.")
    /// Connection string of the database for the servers of apps.
    package static let serverDatabaseURL = Setting<String?>.optional(
        "HEARTH_SERVER_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_server, for requests with API "
            + "keys. Half as many connections as HEARTH_DATABASE_POOL are opened. Default: "
            + "/api/server does not exist.")
    /// Connection string of the database for migrations.
    package static let migrateDatabaseURL = Setting<String>.required(
        "HEARTH_MIGRATE_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_migrator.")
    /// Connection string of the database for operators.
    package static let adminDatabaseURL = Setting<String>.required(
        "HEARTH_ADMIN_DATABASE_URL", .databaseURL, isSecret: true,
        "The connection string of the database, as the role hearth_admin.")
    /// The operator's name.
    package static let operatorName = Setting<String?>.optional(
        "HEARTH_OPERATOR", .text,
        "The operator's name in the audit log. Default: the login name.")

    /// Passwords that `hearth-migrate bootstrap` assigns to the roles.
    package static let rolePasswords: [Setting<Secret?>] = [
        ("HEARTH_API_PASSWORD", "hearth_api"), ("HEARTH_WORKER_PASSWORD", "hearth_worker"),
        ("HEARTH_ADMIN_PASSWORD", "hearth_admin"), ("HEARTH_SERVER_PASSWORD", "hearth_server"),
        ("HEARTH_VIEWER_PASSWORD", "hearth_viewer"),
        ("HEARTH_MIGRATOR_PASSWORD", "hearth_migrator"),
        ("HEARTH_AUTHENTICATOR_PASSWORD", "authenticator"),
    ].map { name, role in
        .optional(
            name, .secret(), isSecret: true,
            "The password that 'hearth-migrate bootstrap' sets for the role \(role).")
    }

    /// Address at which the API listens.
    package static let listen = Setting<ListenAddress>.defaulted(
        "HEARTH_LISTEN", .listenAddress, default: "127.0.0.1:8080",
        "The address that the API listens on.")
    /// Address at which the API's metrics and readiness are served, apart from the API.
    package static let metricsListen = Setting<ListenAddress?>.optional(
        "HEARTH_METRICS_LISTEN", .listenAddress,
        "The address that serves /metrics and /readyz, and also /healthz. Default: the API's "
            + "address.")
    /// Number of threads that handle requests.
    package static let httpThreads = Setting<Int?>.optional(
        "HEARTH_HTTP_THREADS", .integer(1...1024),
        "The maximum number of threads that handle requests. Set it a little higher than "
            + "HEARTH_DATABASE_POOL. While the processors are busy, only as many threads as "
            + "processors, plus one, take requests. Default: HEARTH_DATABASE_POOL and two "
            + "more.")
    /// Proxies whose forwarded client addresses are trusted.
    package static let trustedProxies = Setting<[String]?>.optional(
        "HEARTH_TRUSTED_PROXIES", .addresses,
        "The proxies whose X-Forwarded-For is trusted. Default: none.")
    /// Maximum number of client connections.
    package static let connections = Setting<Int>.defaulted(
        "HEARTH_CONNECTIONS", .integer(16...100_000), default: "1024",
        "The maximum number of client connections, including streams of changes. Each is an open "
            + "file; the process needs 256 more, and one for each connection to the database.")
    /// Maximum number of connections from one address.
    package static let connectionsPerAddress = Setting<Int>.defaulted(
        "HEARTH_CONNECTIONS_PER_ADDRESS", .integer(1...100_000), default: "256",
        "The maximum number of connections from one address. Trusted proxies have no limit.")
    /// Seconds between announcing the shutdown and stopping.
    package static let shutdownDelay = Setting<Double>.defaulted(
        "HEARTH_SHUTDOWN_DELAY", .seconds(0...300), default: "0",
        "The time for which requests are still accepted after SIGTERM. /readyz already returns "
            + "503, so that load balancers stop sending requests.")
    /// Number of database connections.
    package static let databasePool = Setting<Int?>.optional(
        "HEARTH_DATABASE_POOL", .integer(1...1000),
        "The maximum number of connections to the database, without a quarter as many more for "
            + "sign-ins. Default: the number of processors that the process may use, at least 8 "
            + "and at most 32.")
    /// Memory for responses to reads.
    package static let readCache = Setting<Int>.defaulted(
        "HEARTH_READ_CACHE", .integer(0...1_099_511_627_776), default: "33554432",
        "The memory for responses to earlier reads, in bytes. A response is sent again only after "
            + "the database has confirmed that it is current and that the caller may see it. "
            + "0 caches none.")
    /// Whether statements are prepared.
    package static let preparedStatements = Setting<Bool>.defaulted(
        "HEARTH_PREPARED_STATEMENTS", .toggle, default: "on",
        "Whether each statement is prepared once per connection. Set it to off behind a pooler "
            + "that shares connections between sessions.")
    /// Advice for when PgBouncer refuses a startup parameter.
    package static let poolerAdvice =
        "behind PgBouncer in transaction mode, set \(preparedStatements.declaration.name)=off"
    /// Keys that Hearth's own tokens and cursors are derived from.
    package static let secretKeys = Setting<[Secret]>.required(
        "HEARTH_SECRET_KEY", .secrets(minimumBytes: 32), isSecret: true,
        "The key for links, codes, sessions, cursors, webhook secrets and stored tokens of "
            + "identity providers. With several keys, the first is used for new values, and values "
            + "made with the others are still accepted, which allows key rotation.")
    /// File with the trusted identity providers.
    package static let issuersFile = Setting<String>.required(
        "HEARTH_ISSUERS_FILE", .file, "The identity providers whose tokens are accepted, in JSON.")
    /// File with the trusted identity providers, optional for the API: it needs none if people can
    /// sign in to Hearth itself.
    package static let issuersFileOfAPI = issuersFile.orNone
    /// Base URL of links.
    package static let publicURL = Setting<String>.required(
        "HEARTH_PUBLIC_URL", .baseURL, "The base URL of links, such as https://family.example.org.")
    /// Web apps that may call the API from a browser.
    package static let corsOrigins = Setting<[String]?>.optional(
        "HEARTH_CORS_ORIGINS", .origins,
        "The web apps that may call the API from a browser. Default: none.")
    /// The PostgREST that `/rest/v1` is forwarded to.
    package static let postgrestURL = Setting<String?>.optional(
        "HEARTH_POSTGREST_URL", .baseURL,
        "The PostgREST server that /rest/v1 is forwarded to, such as http://127.0.0.1:3000. It "
            + "must be on this machine or in a private network. Default: /rest/v1 is not served.")
    /// iOS apps that open invitation links.
    package static let appleAppIDs = Setting<[String]?>.optional(
        "HEARTH_APPLE_APP_IDS", .appleAppIDs,
        "The iOS apps that open links to /join. Default: none; links open in the browser.")
    /// File with the consents that guardians are asked for.
    package static let consentsFile = Setting<String?>.optional(
        "HEARTH_CONSENTS_FILE", .file,
        "The purposes for which guardians are asked to consent for children without an account, "
            + "in JSON. Default: none.")
    /// The lowest level that is logged.
    package static let logLevel = Setting<LogLevel>.defaulted(
        "HEARTH_LOG_LEVEL", .oneOf, default: "info", "The lowest level to log.")

    /// All settings.
    package static let all: [any DeclaredSetting] =
        [
            databaseURL, readDatabaseURL, serverDatabaseURL, migrateDatabaseURL, adminDatabaseURL,
            operatorName,
            listen, metricsListen,
            httpThreads, databasePool, readCache, preparedStatements, secretKeys, issuersFile,
            publicURL,
            corsOrigins, appleAppIDs, postgrestURL, consentsFile, logLevel, trustedProxies,
            connections,
            connectionsPerAddress,
            shutdownDelay,
        ] + rolePasswords + codes + signIn + app + pages + [workerDatabaseURL] + mail + webhooks
        + retention + console + tracing
}
