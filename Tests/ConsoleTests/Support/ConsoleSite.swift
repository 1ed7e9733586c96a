import API
import Console
import Credentials
import Doctor
import Foundation
import HTTPServer
import Mail
import Postgres
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

    /// URL of the console in browsers.
    static let address = "https://console.test"

    /// Ids of people who have signed in once. Root, Sue and Vic are operators with the roles admin,
    /// support and viewer.
    static let ann = "11111111-1111-4111-8111-111111111111"
    static let bo = "22222222-2222-4222-8222-222222222222"
    static let root = "77777777-7777-4777-8777-777777777777"
    static let sue = "88888888-8888-4888-8888-888888888888"
    static let vic = "99999999-9999-4999-8999-999999999999"

    init(
        address: String = ConsoleSite.address, system: ConsoleSystem? = nil,
        snapshotSeconds: Double = 2
    ) throws {
        test = try TestDatabase(.migrated)
        var bounds = Pool.Settings()
        bounds.size = 4
        bounds.leaseTimeoutSeconds = 60
        admin = Pool(test.settings(as: "hearth_admin"), bounds)
        viewer = Pool(test.settings(as: "hearth_viewer"), bounds)
        let secret = [[UInt8](repeating: 9, count: 32)]
        let keys = try SignInKeys(secret)
        let webhookKeys = try WebhookKeys(secret)
        let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        let log = Log(level: .error, format: .json) { line in
            Issue.record("the console logged: \(String(decoding: line, as: UTF8.self))")
        }
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
                    settings: ["HEARTH_LOG_LEVEL=info"], secretKeyCount: 1,
                    signingKeyCreatedAt: { nil }, configuredIssuers: { nil }, verifier: nil),
            mailTexts: MailTexts(), metrics: Metrics(), log: log, now: now,
            snapshotSeconds: snapshotSeconds)
        self.services = services
        var http = ServerSettings()
        http.port = 0
        http.threads = 8
        http.trustedProxies = [try #require(AddressRange("127.0.0.1"))]
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

    /// Returns a browser in which an operator has signed in by a link.
    func browser(of operator: String) throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(self)
        let page = try browser.open(link(for: `operator`))
        let entered = try browser.send("/link", from: page)
        try #require(entered.status == 303, "\(entered.text)")
        return browser
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
