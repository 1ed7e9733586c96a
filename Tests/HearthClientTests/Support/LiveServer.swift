import Foundation
import Glibc
import HearthClient
import Identity
import MailSupport
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import API

/// A hearth-api process on a loopback port, with its own migrated database.
final class LiveServer: Sendable {
    let port: Int
    let test: TestDatabase
    private let folder: URL
    private let process: Mutex<ChildProgram>
    private let environment: [String: String]
    private let issuer: Issuer

    var url: URL { URL(fileURLWithPath: "/").httpLoopback(port) }

    /// Returns the server that tests share. It ends with the test process.
    static func shared() throws -> LiveServer { try running.get() }

    private static let running = Result {
        let server = try LiveServer()
        atexit { try? LiveServer.shared().end() }
        return server
    }

    /// Returns the server that tests share which asks for consents.
    static func asking() throws -> LiveServer { try runningAndAsking.get() }

    private static let runningAndAsking = Result {
        let server = try askingAnew(isRequired: true)
        atexit { try? LiveServer.asking().end() }
        return server
    }

    /// Starts a server that asks guardians for the consent `profile` and accounts for `terms`.
    ///
    /// - Parameter isRequired: Whether children's preferences can be written only with the consent.
    static func askingAnew(isRequired: Bool = false) throws -> LiveServer {
        let consents = """
            [{"purpose": "profile", "version": "1", "required": \(isRequired), "title": "Profile",
              "text": "We store it."},
             {"purpose": "terms", "version": "1", "required": true, "for": "account",
              "title": "Terms", "text": "Ours."}]
            """
        return try LiveServer(consents: consents)
    }

    /// Starts the server and waits until it listens.
    ///
    /// - Parameter consents: Content of the file of consents; nil for none.
    init(_ more: [String: String] = [:], consents: String? = nil) throws {
        test = try TestDatabase(.migrated)
        folder = try TemporaryFolder.make()
        try String(repeating: "s", count: 40).write(
            to: folder.appendingPathComponent("secret"), atomically: false, encoding: .utf8)
        let issuers = folder.appendingPathComponent("issuers.json")
        try """
        [{"issuer": "https://issuer.test", "kind": "supabase", "audiences": ["authenticated"],
          "primary": true, "emailsConfirmed": true, "hs256SecretFile": "secret"}]
        """.write(to: issuers, atomically: false, encoding: .utf8)
        issuer = try #require(try IssuersFile(path: issuers.path).issuers.first)
        port = try FreePort.find()
        var files: [String: String] = [:]
        if let consents {
            let file = folder.appendingPathComponent("consents.json")
            try consents.write(to: file, atomically: false, encoding: .utf8)
            files["HEARTH_CONSENTS_FILE"] = file.path
        }
        environment = [
            "HEARTH_DATABASE_URL": test.url(as: "hearth_api"),
            "HEARTH_LISTEN": "127.0.0.1:\(port)", "HEARTH_PUBLIC_URL": "http://127.0.0.1:\(port)",
            "HEARTH_SECRET_KEY": String(repeating: "k", count: 40),
            "HEARTH_ISSUERS_FILE": issuers.path,
        ].merging(more) { $1 }.merging(files) { $1 }.merging(try Self.signing(folder)) { $1 }
        let program = try Self.start(environment, logging: folder)
        process = Mutex(program)
        try FreePort.awaitListener(on: port, by: program)
    }

    /// Returns whether this revision has a route.
    static func serves(_ path: String) -> Bool {
        Routes.table.contains { "\($0.pattern)" == path }
    }

    /// Creates a key with which the server signs its own tokens, if it supports sessions.
    private static func signing(_ folder: URL) throws -> [String: String] {
        if !serves("/api/auth/exchange") { return [:] }
        let path = folder.appendingPathComponent("signing-keys.pem").path
        let openssl = try Subprocess(
            "/usr/bin/env",
            [
                "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-out", path,
            ], output: .null, errors: .null)
        try openssl.wait()
        try #require(openssl.result == .exit(0))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return ["HEARTH_SIGNING_KEYS_FILE": path]
    }

    private static func start(
        _ environment: [String: String], logging folder: URL
    ) throws -> ChildProgram {
        let log = folder.appendingPathComponent("log")
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let file = try FileHandle(forWritingTo: log)
        try file.seekToEnd()
        return try ChildProgram(
            BuiltProgram.path("hearth-api"), [], environment: environment, errors: file)
    }

    /// Kills the process at once, like a crash.
    func kill() { process.withLock { $0.kill() } }

    /// Starts the process again at the same port, which stays reserved meanwhile.
    func restart() throws {
        let program = try Self.start(environment, logging: folder)
        process.withLock { $0 = program }
        try FreePort.awaitListener(on: port, by: program)
    }

    deinit { end() }

    private func end() {
        process.withLock { $0.kill() }
        try? test.drop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns a token of a person who signed up at the issuer.
    func token(
        id: UUID, email: String, name: String?, role: MemberRole, lifetimeSeconds: Int64 = 3600
    ) throws -> String {
        var draft = TokenDraft(subject: id.uuidString.lowercased())
        draft.email = email
        draft.fullName = name
        draft.role = role.rawValue
        draft.lifetimeSeconds = lifetimeSeconds
        return try issuer.mint(draft, now: Int64(Date().timeIntervalSince1970))
    }

    /// Changes the database directly, without the server.
    func execute(_ script: String) throws {
        try Connection(test.settings()).execute(
            script: "SET session_replication_role = replica; \(script)")
    }

    func log() throws -> String {
        try String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
    }
}

/// Programs that were built with the tests.
enum BuiltProgram {
    /// Returns the path of a program, next to the test executable.
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }
}

extension URL {
    /// Returns the URL of a server on this machine.
    fileprivate func httpLoopback(_ port: Int) -> URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = "127.0.0.1"
        parts.port = port
        return parts.url ?? self
    }
}
