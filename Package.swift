// swift-tools-version: 6.2
import PackageDescription

// A target may depend on what stands above it in this file, never the reverse.

/// Settings of every Swift target: language mode 6, and each warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The revision that is built, such as a commit, from `HEARTH_REVISION`; a C string literal. The
/// metric hearth_build_info shows it.
let revision: String? = Context.environment["HEARTH_REVISION"].flatMap { word in
    if word.isEmpty { return nil }
    guard word.count <= 64, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
        fatalError("HEARTH_REVISION: expected up to 64 letters and digits, such as a commit")
    }
    return "\"\(word)\""
}

/// Test targets to build, separated by commas, as `HEARTH_TEST_TARGETS` names them; `nil` for all.
/// `scripts/test --filter` sets it, so that a run of one suite builds only what that suite needs.
let testTargets: Set<String>? = Context.environment["HEARTH_TEST_TARGETS"].flatMap { names in
    names.isEmpty ? nil : Set(names.split(separator: ",").map(String.init))
}

/// A folder of `Sources` that holds modules of one kind.
enum Floor: String {
    /// C libraries of the system.
    case system = "System"
    /// Modules that know nothing of families and could serve another product.
    case base = "Base"
    /// The modules of the family backend.
    case family = "Family"
    /// The executables.
    case programs = "Programs"
    /// Libraries for apps, which share only `DomainCore` and `Policy` with the server.
    case client = "Client"

    func folder(of module: String) -> String { "Sources/\(rawValue)/\(module)" }
}

func library(
    _ name: String, pkgConfig: String? = nil, package: String? = nil
) -> Target {
    .systemLibrary(
        name: name, path: Floor.system.folder(of: name), pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

func module(
    _ name: String, on floor: Floor, over dependencies: [Target.Dependency] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: floor.folder(of: name),
        swiftSettings: strict)
}

func program(_ name: String, over dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: Floor.programs.folder(of: name),
        swiftSettings: strict)
}

func tests(
    _ name: String, of dependencies: [Target.Dependency], besides data: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: data,
        swiftSettings: strict)
}

let package = Package(
    name: "hearth",
    // Of the client; the server runs on Linux.
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "HearthClient", targets: ["HearthClient"])],
    targets: [
        // Sources/System: C libraries of the system, and what is known of the build.
        library("CPostgres", pkgConfig: "libpq", package: "libpq-dev"),
        library("CLinux"),
        .target(
            name: "CBuild", path: Floor.system.folder(of: "CBuild"),
            cSettings: revision.map { [.define("HEARTH_REVISION", to: $0)] }),
        library("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
        library("CQREncode", pkgConfig: "libqrencode", package: "libqrencode-dev"),
        library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        library("CPgQuery", package: "libpg-query-dev"),
        library("CSodium", package: "libsodium-dev"),
        library("CZxcvbn", package: "libzxcvbn-dev"),
        library("CCbor", pkgConfig: "libcbor", package: "libcbor-dev"),
        library("CFido2", pkgConfig: "libfido2", package: "libfido2-dev"),
        library("CIdn2", pkgConfig: "libidn2", package: "libidn2-dev"),

        // Sources/Base: modules that know nothing of families.
        module("Basics", on: .base, over: ["CLinux", "CZlib"]),
        module("JSON", on: .base, over: ["Basics"]),
        module("Crypto", on: .base, over: ["COpenSSL"]),
        module("Configuration", on: .base),
        module(
            "Telemetry", on: .base,
            over: ["Basics", "CLinux", "CBuild", "Configuration"]),
        module(
            "CommandLine", on: .base,
            over: ["Basics", "Configuration", "Telemetry"]),
        module("Postgres", on: .base, over: ["Basics", "CPostgres"]),
        module("Jobs", on: .base, over: ["Basics", "Postgres"]),
        module("HTTPServer", on: .base, over: ["Basics", "CLinux"]),
        module("QRCode", on: .base, over: ["CQREncode", "CZlib"]),
        module("Fetching", on: .base, over: ["CCurl"]),
        module("Identity", on: .base, over: ["Basics", "Crypto", "JSON", "Fetching"]),
        module(
            "Credentials", on: .base,
            over: ["Basics", "Crypto", "JSON", "CSodium", "CZxcvbn", "CCbor", "CFido2"]),
        module("Definitions", on: .base, over: ["Postgres"]),
        module(
            "Tracing", on: .base, over: ["Basics", "Fetching", "JSON", "Telemetry"]),
        module(
            "Migrations", on: .base,
            over: [
                "Definitions", "Basics", "Postgres", "Crypto", "JSON", "Configuration", "CPgQuery",
            ]),

        // Sources/Family: the modules of the family backend.
        module("FamilySettings", on: .family, over: ["Configuration", "Telemetry"]),
        // Without a library of the system, for `HearthClient` as well.
        module("DomainCore", on: .family),
        module("Policy", on: .family, over: ["DomainCore"]),
        module("Domain", on: .family, over: ["DomainCore", "CIdn2"]),
        module("Repositories", on: .family, over: ["Domain", "Postgres"]),
        module(
            "UseCases", on: .family,
            over: [
                "Definitions", "Basics", "Policy", "Repositories", "FamilySettings", "Crypto",
                "Credentials", "Jobs", "JSON",
            ]),
        module(
            "Monitoring", on: .family,
            over: [
                "Basics", "Configuration", "FamilySettings", "HTTPServer", "JSON", "UseCases",
                "Repositories", "Jobs", "Postgres", "Telemetry", "Tracing",
            ]),
        module(
            "API", on: .family,
            over: [
                "Basics", "UseCases", "Monitoring", "Identity", "HTTPServer", "FamilySettings",
                "Telemetry", "QRCode", "JSON", "Crypto", "Fetching", "Credentials",
            ]),
        module(
            "Mail", on: .family,
            over: [
                "Basics", "UseCases", "Repositories", "Jobs", "Configuration", "FamilySettings",
                "CCurl", "Domain",
            ]),
        module(
            "Doctor", on: .family,
            over: [
                "Configuration", "Definitions", "FamilySettings", "Identity", "Postgres",
                "UseCases",
            ]),
        module(
            "Console", on: .family,
            over: [
                "Basics", "API", "Doctor", "Mail", "UseCases", "Monitoring", "HTTPServer",
                "FamilySettings", "Telemetry", "JSON", "Crypto", "Credentials", "Identity",
                "QRCode",
            ]),
        module(
            "Webhooks", on: .family,
            over: ["UseCases", "Repositories", "Jobs", "JSON", "Fetching"]),

        // Sources/Programs: the executables, which read settings, create services and run them.
        program(
            "hearth-api",
            over: [
                "API", "Mail", "Monitoring", "CommandLine", "FamilySettings", "Basics",
                "Credentials", "Tracing",
            ]),
        program(
            "hearth-worker",
            over: [
                "Mail", "Webhooks", "Jobs", "UseCases", "Monitoring", "HTTPServer", "CommandLine",
                "FamilySettings", "Fetching", "Identity", "JSON", "Tracing",
            ]),
        program(
            "hearth-admin",
            over: [
                "Definitions", "Doctor", "UseCases", "Mail", "Identity", "CommandLine",
                "FamilySettings", "QRCode", "JSON", "Fetching", "Basics",
            ]),
        program(
            "hearth-console",
            over: [
                "Console", "Doctor", "Mail", "Monitoring", "UseCases", "HTTPServer", "CommandLine",
                "FamilySettings", "Identity", "Basics", "Tracing",
            ]),
        program(
            "hearth-migrate",
            over: ["Migrations", "Postgres", "CommandLine", "FamilySettings", "JSON", "Basics"]),

        // Sources/Client: libraries for apps.
        library("CSQLite", package: "libsqlite3-dev"),
        module("HearthClient", on: .client, over: ["CSQLite", "DomainCore", "Policy"]),

        // Tests.
        .systemLibrary(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(name: "CCounters", path: "Tests/CCounters"),
        .target(
            name: "TestSupport",
            dependencies: ["Basics", "Postgres", "CTestSupport", "CCounters"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "MailSupport", dependencies: ["TestSupport"], path: "Tests/MailSupport",
            exclude: ["smtp_server.py", "read_message.py"], swiftSettings: strict),
        .target(
            name: "UseCaseSupport", dependencies: ["TestSupport", "UseCases"],
            path: "Tests/UseCaseSupport", swiftSettings: strict),
        .target(
            name: "PasskeySupport", dependencies: ["Credentials", "Crypto", "JSON", "COpenSSL"],
            path: "Tests/PasskeySupport", swiftSettings: strict),
        .target(
            name: "KeySupport", dependencies: ["Fetching", "HTTPServer", "Basics"],
            path: "Tests/KeySupport", swiftSettings: strict),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Basics", "Policy", "Postgres", "Jobs", "TestSupport", "HearthClient",
            ],
            path: "Tests/Benchmarks", swiftSettings: strict),
        tests("BasicsTests", of: ["Basics"]),
        tests("JSONTests", of: ["JSON"]),
        tests("CryptoTests", of: ["Crypto"]),
        tests(
            "CredentialsTests", of: ["Credentials", "Basics", "Crypto", "JSON", "PasskeySupport"]),
        tests("PostgresTests", of: ["Postgres", "Basics"]),
        tests("HTTPServerTests", of: ["HTTPServer", "Basics"]),
        tests("QRCodeTests", of: ["QRCode"]),
        tests("CommandLineTests", of: ["CommandLine", "FamilySettings", "Telemetry", "Basics"]),
        tests("ConfigurationTests", of: ["Configuration", "CommandLine", "FamilySettings"]),
        tests("TelemetryTests", of: ["Telemetry", "CommandLine"]),
        tests("FetchingTests", of: ["Fetching", "HTTPServer"]),
        tests("TracingTests", of: ["Tracing", "Telemetry", "Basics", "JSON", "Postgres"]),
        tests("IdentityTests", of: ["Identity", "Basics", "Fetching", "KeySupport"]),
        tests(
            "MigrationsTests", of: ["Migrations", "Definitions", "Postgres", "CPgQuery"],
            besides: ["Fixtures"]),
        tests("DomainTests", of: ["Domain"]),
        tests("PolicyTests", of: ["Domain", "Policy"]),
        tests("SchemaTests", of: ["Domain", "Postgres", "Repositories"]),
        tests(
            "UseCasesTests", of: ["UseCases", "UseCaseSupport", "Configuration", "FamilySettings"]),
        tests("AgreementTests", of: ["Policy", "Postgres", "Repositories"]),
        tests(
            "AdminTests",
            of: ["Postgres", "Basics", "JSON", "FamilySettings", "QRCode", "MailSupport"]),
        tests("MonitoringTests", of: ["Monitoring", "Postgres", "Basics", "Telemetry"]),
        tests("APITests", of: ["API", "KeySupport", "PasskeySupport"]),
        tests(
            "AppRequirementTests",
            of: [
                "Crypto", "Identity", "JSON", "Postgres", "MailSupport", "hearth-api",
                "hearth-worker", "hearth-admin",
            ]),
        tests(
            "ConsoleTests",
            of: [
                "Console", "API", "Doctor", "Mail", "UseCases", "Policy", "DomainCore", "Postgres",
                "Basics", "JSON", "HTTPServer", "Credentials", "Identity", "Telemetry",
                "PasskeySupport", "MailSupport", "hearth-console", "hearth-admin", "hearth-worker",
            ]),
        tests("JobsTests", of: ["Jobs", "Postgres", "Basics"]),
        tests("MailTests", of: ["Mail", "MailSupport"]),
        // The part of the example app that needs no SwiftUI; its views are checked by a test.
        .target(
            name: "FamilyApp", dependencies: ["HearthClient"], path: "Examples/FamilyApp/Model",
            swiftSettings: strict),
        .executableTarget(
            name: "client-device", dependencies: ["HearthClient"], path: "Tests/ClientDevice",
            swiftSettings: strict),
        tests(
            "HearthClientTests",
            of: [
                "HearthClient", "DomainCore", "Policy", "API", "MailSupport", "PasskeySupport",
                "FamilyApp", "hearth-api", "client-device",
            ]),
        tests(
            "WorkerTests",
            of: [
                "Mail", "UseCases", "UseCaseSupport", "Identity", "Crypto", "MailSupport",
                "PasskeySupport", "Fetching", "HTTPServer", "JSON", "hearth-api", "hearth-worker",
                "hearth-admin",
            ],
            besides: [
                "Webhooks/webhook_receiver.py", "Webhooks/verify_webhooks.py", "Webhooks/rebind.c",
            ]),
    ].filter { target in
        target.type != .test || testTargets?.contains(target.name) ?? true
    }
)
