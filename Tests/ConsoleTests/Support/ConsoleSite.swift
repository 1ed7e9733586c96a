import API
import Basics
import Configuration
import Console
import Credentials
import Doctor
import Foundation
import HTTPServer
import Identity
import Mail
import Postgres
import Synchronization
import Telemetry
import TestSupport
import Testing
import UseCases

/// A running console with its own port and its own migrated database, which contains a few people
/// and a family.
final class ConsoleSite: Sendable {
    let test: TestDatabase
    let server: Server
    let services: ConsoleServices
    private let admin, viewer: Pool
    /// The keys of codes and links.
    let keys: SignInKeys
    /// Lines that the console has logged.
    let logged = LoggedLines()

    /// URL of the console in browsers.
    static let address = "https://console.test"

    /// The setting HEARTH_SECRET_KEY.
    static let secret = String(repeating: "k", count: 40)
    /// The trusted proxy's header with the operator's address, its secret, and the address from
    /// which it connects.
    static let proxyHeader = "X-Auth-Request-Email"
    static let proxySecret = String(repeating: "s", count: 40)
    static let proxyAddress = "127.0.0.2"

    /// Ids of people who have signed in once. Root, Sue and Vic are operators with the roles admin,
    /// support and viewer.
    static let ann = "11111111-1111-4111-8111-111111111111"
    static let bo = "22222222-2222-4222-8222-222222222222"
    static let root = "77777777-7777-4777-8777-777777777777"
    static let sue = "88888888-8888-4888-8888-888888888888"
    static let vic = "99999999-9999-4999-8999-999999999999"

    /// - Parameters:
    ///   - sessionCheckSeconds: Seconds between two checks of the session of a renewed page.
    ///   - hasProxy: Whether there is a trusted proxy.
    ///   - hasCodes: Whether operators may sign in with a mailed code.
    ///   - mail: Settings of e-mail.
    ///   - exportSeconds: Seconds until the export of a person is cancelled.
    ///   - mayLog: Whether lines in the log are expected, as with a proxy.
    ///   - tracer: Chooses the requests that are traced; nil for none.
    init(
        address: String = ConsoleSite.address, system: ConsoleSystem? = nil,
        snapshotSeconds: Double = 2, sessionCheckSeconds: Double = 25, hasProxy: Bool = false,
        hasCodes: Bool = false, mail: [String: String] = [:], exportSeconds: Double = 60,
        mayLog: Bool = false, tracer: Tracer? = nil
    ) throws {
        test = try TestDatabase(.migrated)
        var bounds = Pool.Settings()
        bounds.size = 4
        bounds.leaseTimeoutSeconds = 60
        admin = Pool(test.settings(as: "hearth_admin"), bounds)
        viewer = Pool(test.settings(as: "hearth_viewer"), bounds)
        let secret = [Array(Self.secret.utf8)]
        keys = try SignInKeys(secret)
        let webhookKeys = try WebhookKeys(secret)
        let setup = try MailSetup(
            SettingsReader(
                environment: mail, knownSettings: MailSetup.settings, configPath: nil
            ).read(MailSetup.settings))
        let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        let log = Log(level: .warning, format: .json) { [logged] line in
            let text = String(decoding: line, as: UTF8.self)
            logged.add(text)
            if !hasProxy, !mayLog { Issue.record("the console logged: \(text)") }
        }
        let proxy = ConsoleProxy(
            header: Self.proxyHeader, secret: Array(Self.proxySecret.utf8),
            addresses: [try #require(AddressRange(Self.proxyAddress))], log: log)
        let services = ConsoleServices(
            admin: admin, viewer: viewer,
            signIn: ConsoleSignIn(
                admin, keys, RelyingParty(baseURL: address), sessionHours: 12),
            site: PublicSite(baseURL: address),
            invitationKeys: try #require(try InvitationKeys(secret)), signInKeys: keys,
            webhookKeys: webhookKeys,
            doctor: DoctorRuns(test.settings(as: "hearth_admin"), now: now) {
                DoctorExpectations(
                    rightsFile: SourceTree.root.appendingPathComponent("sql/rights.txt").path,
                    issuers: nil, codeLength: nil, wrongCodesPerMinute: nil,
                    webhookKeys: webhookKeys)
            },
            system: system
                ?? ConsoleSystem(
                    settings: ["HEARTH_LOG_LEVEL=info"],
                    settingsWithoutPaths: ["HEARTH_LOG_LEVEL=info"], secretKeyCount: 1,
                    configuredIssuers: { _ in nil }, issuers: [],
                    publicURL: "https://family.test"),
            mail: TestMail(setup, publicURL: "https://family.test"), metrics: Metrics(), log: log,
            proxy: hasProxy ? proxy : nil, hasMailedCodes: hasCodes, tracer: tracer, now: now,
            snapshotSeconds: snapshotSeconds, sessionCheckSeconds: sessionCheckSeconds,
            exportSeconds: exportSeconds)
        self.services = services
        var http = ServerSettings()
        http.port = 0
        http.threads = 8
        http.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
        server = try Server(http, handler: ConsoleHandler(services)) { _ in }
        try addPeople()
    }

    deinit {
        services.beginDraining()
        server.stop()
        admin.close()
        viewer.close()
        // If this fails, the database is removed together with its temporary cluster.
        try? test.drop()
    }

    private func addPeople() throws {
        try asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role) VALUES
                ('\(Self.ann)', 'ann.fisher@example.com', true, 'Ann Fisher', 'parent'),
                ('\(Self.bo)', 'bo@example.com', true, 'Bo Tern', 'parent'),
                ('\(Self.root)', 'root@example.com', true, 'Root Admin', 'parent'),
                ('\(Self.sue)', 'sue@example.com', true, 'Sue Support', 'parent'),
                ('\(Self.vic)', 'vic@example.com', true, 'Vic Viewer', 'parent');
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                SELECT 'https://issuer.test', sha256(convert_to(u.id::text, 'UTF8')), u.id, 0
                FROM app.users AS u;
            INSERT INTO app.operators (user_id, role, added_by) VALUES
                ('\(Self.root)', 'admin', 'operator:jo'),
                ('\(Self.sue)', 'support', 'operator:jo'),
                ('\(Self.vic)', 'viewer', 'operator:jo');
            """)
    }

    /// Creates a family of Ann (Parent Admin) and Bo, with a child of Ann, and returns its id.
    func makeFamily(named name: String = "The Terns") throws -> String {
        try asOperator { session in
            let owner = try session.user(Self.ann)
            let family = try session.createFamily(owner: owner.id, name: .init(name), role: nil)
            _ = try session.addMember(
                session.user(Self.bo).id, to: family.id, role: nil, householdRole: nil)
            let guardian = try session.member(Self.ann, of: family.id)
            _ = try session.addManagedMember(
                guardian: guardian.id, name: try #require(.init("Nemo Little Fisher")),
                avatarKey: nil)
            return family.id.description
        }
    }

    /// Runs `body` as an operator at the command line.
    func asOperator<Value>(_ body: (OperatorSession) throws -> Value) throws -> Value {
        try body(OperatorSession(test.settings(as: "hearth_admin"), operatorName: "jo"))
    }

    /// Runs a script as the owner of the tables.
    func asOwner(_ script: String) throws {
        try Connection(test.settings()).execute(script: "SET ROLE hearth_owner; " + script)
    }

    /// Returns the number of rows that statements have read so far.
    ///
    /// - Parameters:
    ///   - connection: Connection whose own statements are counted up to this one.
    ///   - tables: Regular expression of the tables' names with their schemas.
    func rowsRead(on connection: Connection, _ tables: String) throws -> Int64 {
        try connection.execute(script: "SELECT pg_stat_force_next_flush()")
        return try connection.query(
            """
            SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
            FROM pg_stat_user_tables WHERE schemaname || '.' || relname ~ \(tables)
            """
        ).scalar(Int64.self)
    }

    /// Returns the reports of a process of the API that signs with these keys.
    func reports(of keys: SigningKeys, through pool: Pool) -> ProcessReports {
        ProcessReports(
            pool, .init(name: "hearth-api", version: "1.0", revision: ""), counters: [],
            metrics: { "" }, signingKeys: { keys.publishedWithTimes },
            onFailure: { Issue.record($0) })
    }

    /// Blocks an account as if it had been blocked before it got an operator role.
    func block(_ account: String) throws {
        try asOwner("ALTER TABLE app.users DISABLE TRIGGER USER")
        try asOwner(
            """
            UPDATE app.users SET blocked_at = now(), blocked_by = 'operator:jo',
                blocked_reason = 'test' WHERE id = '\(account)'
            """)
        try asOwner("ALTER TABLE app.users ENABLE TRIGGER USER")
    }

    /// The path of a built program, in the folder of the test program.
    static func program(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name).path
    }

    func scalar<Value: PostgresDecodable>(_ sql: SQL) throws -> Value {
        try Connection(test.settings()).query(sql).scalar(Value.self)
    }

    /// Creates a one-time link for an operator, and returns its path.
    func link(for operator: String) throws -> String {
        try asOperator { session in
            let user = try session.user(`operator`)
            let token = try session.makeConsoleLink(for: user.id, minutes: 60)
            return "/link?token=\(token.text)"
        }
    }

    /// Returns a browser in which an operator has signed in with a link.
    func browser(of operator: String) throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(self)
        let page = try browser.open(link(for: `operator`))
        let entered = try browser.send("/link", from: page)
        try #require(entered.status == 303, "\(entered.text)")
        return browser
    }

    /// Returns a browser in which an operator has just signed in by a new passkey, so that the
    /// operator's proof is fresh and strong.
    func provenBrowser(of operator: String) throws -> ConsoleBrowser {
        let first = try browser(of: `operator`)
        var device = try ConsoleSignInTests.Device()
        try #require(try device.enrol(first).status == 303)
        let second = ConsoleBrowser(self)
        try #require(try device.signIn(second).status == 303)
        return second
    }

    /// Returns the actions in the audit log with their labels, the oldest first.
    func audit() throws -> [String] {
        try Connection(test.settings()).query(
            """
            SELECT action || ' ' || coalesce(actor_label, '-') FROM app.audit_log
            WHERE actor_label <> 'operator:jo' ORDER BY at, id
            """
        ).decode(as: Scalar<String>.self).map(\.value)
    }
}

/// The lines of a log.
final class LoggedLines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ text: String) {
        lines.withLock { $0 += text.split(separator: "\n").map { String($0) } }
    }

    var all: [String] { lines.withLock { $0 } }
}
