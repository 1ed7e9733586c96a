import Domain
import Postgres
import TestSupport
import Testing

@testable import API

/// Sign-ins with a provider on pages, and the account that they lead to.
@Suite("Accounts of people who sign in with a provider on pages")
struct ProviderAccountTests {
    private func user(_ email: String, _ stage: ProviderStage) throws -> String {
        try Connection(stage.site.test.settings()).query(
            "SELECT id::text FROM app.users WHERE email = \(email) ORDER BY created_at LIMIT 1"
        ).scalar(String.self)
    }

    /// Signs in by a mailed code, and names the account.
    private func nameAccount(_ email: String, _ stage: ProviderStage) throws {
        let browser = PageBrowser(stage.site)
        try browser.enter(email)
        let page = try browser.press(
            "name", on: browser.open("/account"), ["name": "Ada Tern", "role": "parent"])
        try #require(page.says("<bdi>Ada Tern</bdi>"), "\(page)")
    }

    @Test("a sign-in opens the account that verified the same address, if the issuer links them")
    func linked() throws {
        let stage = try ProviderStage(StandInProvider(), linksAddresses: true)
        defer { stage.stop() }
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        try nameAccount(person.email, stage)
        #expect(try stage.enter(browser, as: person).status == 303)
        let account = try browser.open("/account")
        #expect(account.says("<bdi>Ada Tern</bdi>") && account.says("Codes by email"))
        #expect(account.says(ProviderStage.shownName) && !account.says("Some One"))
    }

    @Test("a sign-in opens an account of its own if the issuer links no addresses")
    func separate() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        try nameAccount(person.email, stage)
        #expect(try stage.enter(browser, as: person).status == 303)
        let account = try browser.open("/account")
        #expect(account.says("<bdi>Some One</bdi>") && !account.says("Ada Tern"))
    }

    @Test("a blocked account is not opened, and the page says that it is blocked")
    func blocked() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let person = StandInPerson()
        #expect(try stage.enter(PageBrowser(stage.site), as: person).status == 303)
        let user = try user(person.email, stage)
        let settings = stage.site.test.settings(as: "hearth_admin")
        let isBlocked = try Connection(settings).transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            return try transaction.query(
                "SELECT app.operator_block_user(\(user)::uuid, 'spam')"
            ).scalar(Bool.self)
        }
        try #require(isBlocked)
        let browser = PageBrowser(stage.site)
        let refused = try stage.enter(browser, as: person)
        #expect(refused.status == 403, "\(refused)")
        #expect(refused.says("This account is blocked, so you can’t sign in."), "\(refused)")
        #expect(browser.cookie?.hasPrefix("s") != true)
    }

    @Test("a sign-in is recorded with its way, the browser and the network")
    func recorded() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        #expect(try stage.enter(browser, as: person).status == 303)
        #expect(stage.site.services.signInLog.flush(timeoutSeconds: 60))
        let user = try user(person.email, stage)
        let rows = try Connection(stage.site.test.settings()).query(
            """
            SELECT concat_ws(' ', kind, way, browser, network) FROM app.sign_ins_log
            WHERE user_id = \(user)::uuid ORDER BY at, id
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let network = browser.address.split(separator: ".").dropLast().joined(separator: ".")
        #expect(rows == ["sign_in exchange Firefox, Linux \(network).0/24"])
    }
}
