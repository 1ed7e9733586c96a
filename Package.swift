// swift-tools-version: 6.2
import PackageDescription

// Arrows only go down: a target may depend on what stands above it in this file, never the reverse.

/// Every Swift target: language mode 6, and no warning lives on.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The revision that is built, as `HEARTH_REVISION` tells it, such as a commit: for the metric
/// hearth_build_info. A literal of C.
let revision: String? = Context.environment["HEARTH_REVISION"].flatMap { word in
    if word.isEmpty { return nil }
    guard word.count <= 64, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
        fatalError("HEARTH_REVISION: expected up to 64 letters and digits, such as a commit")
    }
    return "\"\(word)\""
}

func module(_ name: String, over dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func executable(_ name: String, over dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
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
    targets: [
        // System C libraries.
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLinux"),
        // What is known of the build.
        .target(name: "CBuild", cSettings: revision.map { [.define("HEARTH_REVISION", to: $0)] }),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPgQuery", providers: [.apt(["libpg-query-dev"])]),

        // What knows nothing of families.
        module("Threads", over: ["CLinux"]),
        module("JSON"),
        module("Crypto", over: ["COpenSSL"]),
        module("Postgres", over: ["Threads", "CPostgres"]),
        module("Jobs", over: ["Threads", "Postgres"]),
        module("HTTPServer", over: ["Threads", "CLinux"]),
        module("QRCode", over: ["CQREncode", "CZlib"]),
        module("Compression", over: ["CZlib"]),
        module("Service", over: ["Threads", "JSON", "CLinux", "CBuild"]),
        module("Fetching", over: ["CCurl"]),
        module("Identity", over: ["Threads", "Crypto", "JSON", "Fetching"]),
        module("Definitions", over: ["Postgres"]),
        module(
            "Migrations",
            over: ["Definitions", "Threads", "Postgres", "Crypto", "JSON", "CPgQuery"]),

        // The family.
        module("Domain"),
        module("Policy", over: ["Domain"]),
        module("Repositories", over: ["Domain", "Postgres"]),
        module(
            "UseCases",
            over: ["Definitions", "Threads", "Policy", "Repositories", "Crypto", "Jobs", "JSON"]),
        module(
            "Monitoring",
            over: ["Threads", "UseCases", "Repositories", "Jobs", "Postgres", "Service"]),
        module(
            "API",
            over: [
                "Threads", "UseCases", "Monitoring", "Identity", "HTTPServer", "Service", "QRCode",
                "Compression", "JSON", "Crypto",
            ]),

        module("Mail", over: ["Threads", "UseCases", "Repositories", "Jobs", "Crypto", "CCurl"]),

        // What is run: settings, wiring, run.
        executable("hearth-api", over: ["API", "Service", "Threads"]),
        executable(
            "hearth-worker",
            over: ["Mail", "Jobs", "UseCases", "Monitoring", "HTTPServer", "Service"]),
        executable(
            "hearth-admin",
            over: ["Definitions", "UseCases", "Identity", "Service", "QRCode", "JSON"]),
        executable(
            "hearth-migrate", over: ["Migrations", "Postgres", "Service", "JSON", "Threads"]),

        // Tests.
        .systemLibrary(name: "CTestSupport", path: "Tests/CTestSupport"),
        .target(
            name: "TestSupport", dependencies: ["Threads", "Postgres", "CTestSupport"],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "MailSupport", dependencies: ["TestSupport"], path: "Tests/MailSupport",
            exclude: ["smtp_server.py", "read_message.py"], swiftSettings: strict),
        .executableTarget(
            name: "benchmarks",
            dependencies: ["Threads", "Policy", "Postgres", "Jobs", "TestSupport"],
            path: "Tests/Benchmarks", swiftSettings: strict),
        tests("ThreadsTests", of: ["Threads"]),
        tests("JSONTests", of: ["JSON"]),
        tests("CryptoTests", of: ["Crypto"]),
        tests("PostgresTests", of: ["Postgres", "Threads"]),
        tests("HTTPServerTests", of: ["HTTPServer", "Threads"]),
        tests("QRCodeTests", of: ["QRCode"]),
        tests("CompressionTests", of: ["Compression"]),
        tests("ServiceTests", of: ["Service"]),
        tests("FetchingTests", of: ["Fetching", "HTTPServer"]),
        tests("IdentityTests", of: ["Identity", "Threads", "Fetching", "HTTPServer"]),
        tests(
            "MigrationsTests", of: ["Migrations", "Definitions", "Postgres", "CPgQuery"],
            besides: ["Fixtures"]),
        tests("DomainTests", of: ["Domain"]),
        tests("PolicyTests", of: ["Policy"]),
        tests("SchemaTests", of: ["Domain", "Postgres"]),
        tests("UseCasesTests", of: ["UseCases"]),
        tests("AgreementTests", of: ["Policy", "Postgres"]),
        tests("AdminTests", of: ["Postgres", "Threads", "JSON", "Service", "QRCode"]),
        tests("MonitoringTests", of: ["Monitoring", "Postgres", "Threads", "Service"]),
        tests("APITests", of: ["API"]),
        tests("JobsTests", of: ["Jobs", "Postgres", "Threads"]),
        tests("MailTests", of: ["Mail", "MailSupport"]),
        tests(
            "WorkerTests",
            of: [
                "Mail", "UseCases", "Identity", "Crypto", "MailSupport", "hearth-api",
                "hearth-worker",
            ]),
    ]
)
