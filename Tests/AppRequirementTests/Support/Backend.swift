import Crypto
import Foundation
import Identity
import MailSupport
import Postgres
import TestSupport
import Testing

/// hearth-api and hearth-worker in processes of their own, with a database of their own.
final class Backend: Sendable {
    /// The identity provider of an app's users.
    enum Provider: String, CaseIterable {
        /// The provider of Recruiting Compass's users.
        case supabase
        /// The provider of Family Movie Night's users.
        case cognito
        /// The provider of TribeBoard's users.
        case apple
    }

    /// The backend of the running tests.
    @TaskLocal static var current: Backend?

    static var running: Backend {
        get throws { try #require(current, "the suite has to have the trait .backend") }
    }

    let url: String
    let database: TestDatabase
    private let folder: URL
    private let issuers: [Issuer]
    private let programs: [ChildProgram]

    init() throws {
        database = try TestDatabase(.migrated)
        try Connection(database.settings()).query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, is_primary, emails_confirmed, audiences)
            VALUES (\(Person.issuer), 'supabase', true, true, '{authenticated}')
            """)
        folder = try TemporaryFolder.make()
        let issuersFile = try Self.writeIssuers(to: folder)
        issuers = try IssuersFile(path: issuersFile.path).issuers
        let port = try FreePort.find()
        url = "http://127.0.0.1:\(port)"
        let shared = [
            "HEARTH_PUBLIC_URL": url, "HEARTH_SECRET_KEY": String(repeating: "k", count: 40),
        ]
        let api = [
            "HEARTH_DATABASE_URL": database.url(as: "hearth_api"),
            "HEARTH_LISTEN": "127.0.0.1:\(port)", "HEARTH_ISSUERS_FILE": issuersFile.path,
            "HEARTH_TRUSTED_PROXIES": "127.0.0.1",
            "HEARTH_APPLE_APP_IDS": "ABCDE12345.com.example.app",
            "HEARTH_SIGNING_KEYS_FILE": try Self.createSigningKeys(in: folder),
        ]
        let worker = [
            "HEARTH_WORKER_DATABASE_URL": database.url(as: "hearth_worker"),
            "HEARTH_OUTBOX_DIR": folder.appendingPathComponent("outbox").path,
        ]
        programs = [
            try Self.start("hearth-api", in: folder, shared.merging(api) { $1 }),
            try Self.start("hearth-worker", in: folder, shared.merging(worker) { $1 }),
        ]
        try FreePort.awaitListener(on: port, by: programs[0])
    }

    /// Stops the programs and drops the database.
    func stop() throws {
        for program in programs { program.kill() }
        try database.drop()
        try FileManager.default.removeItem(at: folder)
    }

    private static func start(
        _ name: String, in folder: URL, _ environment: [String: String]
    ) throws -> ChildProgram {
        let log = folder.appendingPathComponent("\(name).log")
        try Data().write(to: log)
        return try ChildProgram(
            path(of: name), [], environment: environment, errors: try FileHandle(forWritingTo: log))
    }

    private static func createSigningKeys(in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("signing-keys.pem").path
        try Subprocess(path(of: "hearth-admin"), ["keys", "create", file], output: .null).wait()
        return file
    }

    /// The path of a built program, next to the tests' own.
    private static func path(of program: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(program).path
    }

    private static let secret = String(repeating: "s", count: 40)

    private static func writeIssuers(to folder: URL) throws -> URL {
        try secret.write(
            to: folder.appendingPathComponent("secret"), atomically: false, encoding: .utf8)
        let file = folder.appendingPathComponent("issuers.json")
        try """
        [{"issuer": "\(Person.issuer)", "kind": "supabase", "audiences": ["authenticated"],
          "primary": true, "emailsConfirmed": true, "hs256SecretFile": "secret"},
         {"issuer": "https://cognito.test/pool", "kind": "cognito", "audiences": ["app"],
          "primary": true, "tokenUse": "id", "hs256SecretFile": "secret"},
         {"issuer": "https://appleid.test", "kind": "apple", "audiences": ["com.example.app"],
          "hs256SecretFile": "secret"}]
        """.write(to: file, atomically: false, encoding: .utf8)
        return file
    }

    /// A token as the provider would issue it now, or would have issued it `ageSeconds` ago.
    func token(
        of person: Person, from provider: Provider, lifetimeSeconds: Int64 = 3_600,
        ageSeconds: Int64 = 0
    ) throws -> String {
        let issuer = try #require(issuers.first { "\($0.kind)" == provider.rawValue })
        var draft = TokenDraft(subject: person.subject)
        draft.email = person.email
        draft.fullName = person.name
        draft.role = person.role
        draft.lifetimeSeconds = lifetimeSeconds
        return try issuer.mint(draft, now: Int64(Date().timeIntervalSince1970) - ageSeconds)
    }

    /// A token of Supabase's with the metadata that an app sent at sign-up.
    func token(of person: Person, metadata: String) throws -> String {
        try sign(
            """
            {"iss": "\(Person.issuer)", "sub": "\(person.subject)", "aud": "authenticated",
             "role": "authenticated", "email": "\(person.email)", \(Self.lifetime),
             "user_metadata": \(metadata)}
            """)
    }

    /// A token of Apple's for another app.
    func appleToken(of person: Person, audience: String) throws -> String {
        try sign(
            """
            {"iss": "https://appleid.test", "sub": "\(person.subject)", "aud": "\(audience)",
             \(Self.lifetime)}
            """)
    }

    private static var lifetime: String {
        let now = Int(Date().timeIntervalSince1970)
        return #""iat": \#(now), "exp": \#(now + 600)"#
    }

    private func sign(_ claims: String) throws -> String {
        let signed =
            Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
            + Base64URL.text(Array(claims.utf8))
        let key = try HMACKey(Array(Self.secret.utf8))
        return signed + "." + Base64URL.text(try key.authenticate(Array(signed.utf8)))
    }

    /// The newest e-mail to an address whose subject contains a text; waits until the worker has
    /// sent it.
    func letter(to address: String, about text: String = "") throws -> ReadMessage {
        let outbox = folder.appendingPathComponent("outbox")
        var found: ReadMessage?
        try eventually {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox.path)) ?? []
            for name in names.filter({ $0.hasSuffix(".eml") }).sorted(by: >) {
                let bytes = try Data(contentsOf: outbox.appendingPathComponent(name))
                guard bytes.range(of: Data("To: \(address)".utf8)) != nil else { continue }
                let letter = try ReadMessage(bytes)
                if text.isEmpty || letter.subject.contains(text) {
                    found = letter
                    return true
                }
            }
            return false
        }
        return try #require(found)
    }

    /// Changes the database directly, for example to let time pass for stored rows.
    func rewrite(_ script: String) throws {
        try Connection(database.settings()).execute(
            script: "SET session_replication_role = replica; \(script)")
    }

    /// The constraint that refuses a change by any writer; nil if none does.
    func constraint(against change: String) throws -> String? {
        do throws(PostgresError) {
            try Connection(database.settings()).execute(script: change)
        } catch {
            guard let name = error.constraint else { throw error }
            return name
        }
        return nil
    }

    /// The number that a query returns.
    func count(_ sql: SQL) throws -> Int {
        try Connection(database.settings()).query(sql).scalar(Int.self)
    }

    /// Rows that a direct client reads, as PostgREST runs the query; `request` is its HTTP form.
    func rows<Row: Decodable>(
        _ query: DirectRequest, as: Row.Type, request: String
    ) throws -> [Row] {
        let text = try query.send(to: database)
        let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
        let answer = rows.isEmpty ? "200 no row" : "200 rows"
        Transcript.current?.add(request, answer)
        return rows
    }
}

/// Starts a backend before a suite's tests, and stops it afterwards.
struct BackendTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let backend = try Backend()
        do { try await Backend.$current.withValue(backend, operation: function) } catch {
            try backend.stop()
            throw error
        }
        try backend.stop()
    }
}

extension Trait where Self == BackendTrait {
    /// A running backend for all tests of the suite.
    static var backend: Self { Self() }
}
