import Console
import Foundation
import Identity
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("Signing keys in the console")
final class ConsoleKeyTests {
    private static let issuer = "https://family.test"
    private let site: ConsoleSite
    private let pool: Pool
    private let folder: URL
    private let keys: SigningKeys

    init() throws {
        site = try ConsoleSite(
            system: ConsoleSystem(
                settings: [], settingsWithoutPaths: [], secretKeyCount: 1,
                configuredIssuers: { _ in nil }, issuers: [], publicURL: Self.issuer))
        pool = Pool(site.test.settings(as: "hearth_api"))
        folder = try TemporaryFolder.make()
        keys = try Self.makeKeys(folder.appendingPathComponent("keys.pem").path)
    }

    deinit {
        pool.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func makeKeys(_ path: String) throws -> SigningKeys {
        try SigningKeys.create(path)
        return try SigningKeys(path: path)
    }

    /// The ids of the keys; the first one signs.
    private func ids() throws -> [String] {
        try JSONWebKeySet(parsing: keys.published).keys.compactMap(\.id)
    }

    @Test("the system screen shows the ages of the keys that the API's processes have reported")
    func ages() throws {
        let browser = try site.browser(of: "vic@example.com")
        #expect(try browser.open("/system").says("has reported a key that signs tokens"))
        let reports = site.reports(of: keys, through: pool)
        let first = try ids()[0]
        try reports.report()
        let page = try browser.open("/system")
        #expect(page.says(">\(first)</code>") && page.says("less than a minute ago"))
        let createdAt = Int(Date().timeIntervalSince1970) - 3 * 86_400
        _ = try SigningKeys.rotate(keys.path, keeping: 2, now: createdAt)
        keys.reload()
        try reports.report()
        let rotated = try browser.open("/system")
        let all = try ids()
        #expect(all.count == 2 && all[1] == first)
        #expect(all.allSatisfy { rotated.says(">\($0)</code>") } && rotated.says("3 days ago"))
        #expect(rotated.text.matches(of: /<span class="badge good">signs<\/span>/).count == 1)
        try site.asOwner("UPDATE app.processes SET seen_at = now() - interval '6 minutes'")
        #expect(try !browser.open("/system").says(first))
    }

    @Test(
        "a key with an invalid reported time of creation is shown with an unknown age",
        arguments: [
            "\"yesterday\"", "true", "null", "{}", "-1", "1e400", "1e300", "99999999999999999999",
        ])
    func oddAges(createdAt: String) throws {
        try site.reports(of: keys, through: pool).report()
        try site.asOwner(
            """
            UPDATE app.processes
                SET signing_keys = jsonb_set(signing_keys, '{keys,0,createdAt}', '\(createdAt)')
            """)
        let page = try site.browser(of: "vic@example.com").open("/system")
        let id = try ids()[0]
        #expect(page.status == 200 && page.says(">\(id)</code>"), "\(page)")
        #expect(page.says("<td>unknown</td>"), "\(page)")
    }

    @Test("a pasted token is verified with the public keys that the API's processes have reported")
    func token() throws {
        let browser = try site.browser(of: "root@example.com")
        let draft = AccessTokens.Draft(
            subject: ConsoleSite.ann, session: ConsoleSite.bo,
            signedInAt: Int64(Date().timeIntervalSince1970), methods: ["otp"])
        func check(_ keys: SigningKeys) throws -> ConsolePage {
            let token = try AccessTokens(issuer: Self.issuer, keys: keys).token(
                draft, now: Int64(Date().timeIntervalSince1970))
            return try browser.send(
                "/system/token", from: browser.open("/system/token"), ["token": token])
        }
        #expect(try check(keys).status == 400)
        try site.reports(of: keys, through: pool).report()
        let accepted = try check(keys)
        #expect(accepted.says("The API accepts this token"), "\(accepted)")
        let others = try Self.makeKeys(folder.appendingPathComponent("others.pem").path)
        let refused = try check(others)
        #expect(refused.alert?.contains("has no key with this id") == true, "\(refused)")
    }

    @Test("only the API reports keys, and only as a key set")
    func reporters() throws {
        try site.reports(of: keys, through: pool).report()
        for role in ["hearth_worker", "hearth_admin", "hearth_viewer", "hearth_server"] {
            let connection = try Connection(site.test.settings(as: role))
            #expect(throws: PostgresError.self, "\(role)") {
                _ = try connection.query("SELECT app.report_signing_keys(gen_random_uuid(), NULL)")
            }
        }
        for text in ["{}", "[]", "1", "\"keys\"", "{\"keys\": 1}"] {
            #expect(throws: PostgresError.self, "\(text)") {
                try site.asOwner("UPDATE app.processes SET signing_keys = '\(text)'")
            }
        }
        try site.asOwner("UPDATE app.processes SET signing_keys = NULL")
    }

    @Test("the console has no setting for a file of private signing keys")
    func noSetting() throws {
        let program = try ChildProgram(
            ConsoleSite.program("hearth-console"), ["--help"], environment: [:])
        let help = String(decoding: try program.wholeOutput(), as: UTF8.self)
        #expect(program.exitCode == 0 && help.contains("HEARTH_CONSOLE_LISTEN"))
        #expect(!help.contains("HEARTH_SIGNING_KEYS_FILE"))
    }
}
