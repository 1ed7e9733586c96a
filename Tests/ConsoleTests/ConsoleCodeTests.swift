import Crypto
import Domain
import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("Signing in to the console with a mailed code")
struct ConsoleCodeTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite(hasCodes: true) }

    private static let path = "/sign-in/code"
    private static let checkPath = "/sign-in/code/check"
    private static let cookie = "__Host-hearth-console-code"

    /// Asks for a code, and returns the page on which it is entered.
    private func ask(_ email: String, with browser: ConsoleBrowser) throws -> ConsolePage {
        let sent = try browser.send(
            Self.path, from: browser.open("/sign-in"), ["email": email])
        try #require(sent.status == 303 && sent.location?.hasPrefix(Self.path) == true, "\(sent)")
        let page = try browser.open(try #require(sent.location))
        try #require(page.status == 200)
        return page
    }

    /// The code that a browser has most recently asked for, as the worker computes it.
    private func code(of browser: ConsoleBrowser) throws -> String {
        let hash = PostgresBytes(
            SHA256Digest(of: try #require(browser.cookies[Self.cookie])).bytes)
        let id: String = try site.scalar(
            "SELECT id::text FROM app.email_tokens WHERE ticket_hash = \(hash)")
        let link: PostgresBytes = try site.scalar(
            "SELECT link_hash FROM app.email_tokens WHERE ticket_hash = \(hash)")
        let token = try #require(EmailTokenID(id))
        return try #require(try site.keys.secrets(of: token, havingLinkHash: link.bytes)).code
    }

    private func enter(
        _ code: String, on page: ConsolePage, with browser: ConsoleBrowser
    ) throws -> ConsolePage {
        try browser.send(Self.checkPath, from: page, ["code": code])
    }

    private func tokens() throws -> Int {
        try site.scalar("SELECT count(*)::integer FROM app.email_tokens")
    }

    private func sessions() throws -> Int {
        try site.scalar("SELECT count(*)::integer FROM app.console_sessions")
    }

    /// A code other than the given one.
    private func wrong(_ code: String) -> String { code == "123456" ? "654321" : "123456" }

    @Test("the right code signs in once, and leads back to the requested page")
    func enters() throws {
        let browser = ConsoleBrowser(site)
        let first = try browser.open("/audit?action=user.block")
        let form = try browser.open(try #require(first.location))
        let sent = try browser.send(Self.path, from: form, ["email": " Sue@Example.com "])
        #expect(sent.status == 303)
        let cookie = try #require(sent.header("Set-Cookie"))
        for word in [Self.cookie, "HttpOnly", "Secure", "SameSite=Strict", "Max-Age=600"] {
            #expect(cookie.contains(word), "\(word)")
        }
        let page = try browser.open(try #require(sent.location))
        let (code, asked) = (try code(of: browser), browser.cookies)
        let entered = try enter(code, on: page, with: browser)
        #expect(entered.status == 303 && entered.location == "/audit?action=user.block")
        #expect(browser.cookies[Self.cookie] == nil)
        #expect(try browser.open("/").says("sue@example.com"))
        #expect(try site.audit() == ["operator.sign_in operator:sue@example.com"])
        let method: String = try site.scalar(
            "SELECT details ->> 'method' FROM app.audit_log WHERE action = 'operator.sign_in'")
        #expect(method == "code")
        // The code is used up, even for the browser that asked for it.
        let again = ConsoleBrowser(site)
        again.cookies = asked
        let refused = try enter(code, on: page, with: again)
        #expect(refused.status == 403 && refused.alert?.contains("was used") == true)
        #expect(try sessions() == 1)
    }

    @Test("a code ends after five wrong ones; a text that is not six digits does not count")
    func wrongCodes() throws {
        let browser = ConsoleBrowser(site)
        let page = try ask("sue@example.com", with: browser)
        let code = try code(of: browser)
        for text in ["", "12345", "abcdef"] {
            let refused = try enter(text, on: page, with: browser)
            #expect(refused.status == 403 && refused.alert == "A code has six digits.")
        }
        for _ in 0..<5 {
            let refused = try enter(wrong(code), on: page, with: browser)
            #expect(refused.status == 403 && refused.alert == "This code is not right.")
        }
        let late = try enter(code, on: page, with: browser)
        #expect(late.status == 403 && late.alert?.contains("too many wrong ones") == true)
        #expect(try sessions() == 0 && site.audit().isEmpty)
    }

    @Test("a code is accepted only in the browser that asked for it")
    func otherBrowser() throws {
        let browser = ConsoleBrowser(site)
        let page = try ask("sue@example.com", with: browser)
        let code = try code(of: browser)
        let other = ConsoleBrowser(site)
        let without = try enter(code, on: page, with: other)
        #expect(without.status == 403 && without.says("not asked for in this browser"))
        let own = try ask("sue@example.com", with: other)
        #expect(try enter(code, on: page, with: other).status == 403)
        if try self.code(of: other) != code {
            let refused = try enter(code, on: own, with: other)
            #expect(refused.status == 403 && refused.alert == "This code is not right.")
        }
        #expect(try sessions() == 0)
        #expect(try enter(code, on: page, with: browser).status == 303)
    }

    @Test("forms from other sites neither send a code nor sign in")
    func foreignForms() throws {
        let browser = ConsoleBrowser(site)
        let page = try ask("sue@example.com", with: browser)
        let code = try code(of: browser)
        browser.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://other.example"]
        let sent = try browser.post(Self.path, ["email": "root@example.com"])
        #expect(sent.status == 403)
        #expect(try enter(code, on: page, with: browser).status == 403)
        #expect(try tokens() == 1 && sessions() == 0)
    }

    @Test("a code that has expired, or was sent for something else, does not sign in")
    func expired() throws {
        for change in ["expires_at = now() - interval '1 second'", "purpose = 'sign_in'"] {
            let browser = ConsoleBrowser(site)
            let page = try ask("sue@example.com", with: browser)
            let code = try code(of: browser)
            try site.asOwner("UPDATE app.email_tokens SET \(change)")
            let refused = try enter(code, on: page, with: browser)
            #expect(refused.status == 403 && refused.alert?.contains("has expired") == true)
        }
        #expect(try sessions() == 0)
    }

    @Test("a code of an operator who was removed or blocked meanwhile does not sign in")
    func formerOperators() throws {
        let (sue, vic) = (ConsoleBrowser(site), ConsoleBrowser(site))
        let pages = [
            try ask("sue@example.com", with: sue), try ask("vic@example.com", with: vic),
        ]
        let codes = [try code(of: sue), try code(of: vic)]
        try site.block(ConsoleSite.sue)
        try site.asOperator { try $0.removeOperator($0.user("vic@example.com").id) }
        #expect(try enter(codes[0], on: pages[0], with: sue).status == 403)
        #expect(try enter(codes[1], on: pages[1], with: vic).status == 403)
        #expect(try sessions() == 0 && site.audit().isEmpty)
    }

    @Test("a session opened with a code does not suffice for operations that need a passkey")
    func notFresh() throws {
        let browser = ConsoleBrowser(site)
        let page = try ask("root@example.com", with: browser)
        #expect(try enter(code(of: browser), on: page, with: browser).status == 303)
        let path = "/people/\(ConsoleSite.bo)/erase"
        let asked = try browser.open(path)
        #expect(asked.status == 303 && asked.location?.hasPrefix("/confirm") == true)
        let fields = ["form_token": try browser.formToken(), "id": ConsoleSite.bo]
        #expect(try browser.post(path, fields).location?.hasPrefix("/confirm") == true)
        let confirmation = try browser.open("/confirm")
        #expect(confirmation.status == 403 && confirmation.says("one-time link"))
        // Nor can the session add a passkey, which would suffice.
        #expect(try !browser.open("/passkeys").says("data-passkey=\"create\""))
        let erased: Int = try site.scalar(
            "SELECT count(*)::integer FROM app.users WHERE deleted_at IS NOT NULL")
        #expect(erased == 0)
    }

    @Test("codes are off unless the setting allows them")
    func off() throws {
        let plain = try ConsoleSite()
        let browser = ConsoleBrowser(plain)
        let page = try browser.open("/sign-in")
        #expect(page.status == 200 && !page.targets.contains(Self.path))
        let sent = try browser.post(Self.path, ["email": "sue@example.com"])
        #expect(sent.status == 403 && sent.says("off"))
        browser.cookies[Self.cookie] = try ConsoleToken.random().text
        #expect(try browser.open(Self.path).status == 403)
        #expect(try browser.post(Self.checkPath, ["code": "123456"]).status == 403)
        let tokens: Int = try plain.scalar("SELECT count(*)::integer FROM app.email_tokens")
        #expect(tokens == 0)
    }

    @Test("an address that is no operator's gets the same response, and the same limit")
    func sameResponse() throws {
        func responses(_ email: String) throws -> [String] {
            let browser = ConsoleBrowser(site)
            var seen: [String] = []
            for _ in 0..<6 {
                let sent = try browser.send(
                    Self.path, from: browser.open("/sign-in"), ["email": email])
                seen.append("\(sent.status) \(sent.location ?? "") \(sent.alert ?? "")")
                guard sent.status == 303 else { continue }
                let page = try browser.open(try #require(sent.location))
                seen.append(page.text.replacing(/name="code_token" value="[^"]*"/, with: ""))
                seen.append(try enter("000000", on: page, with: browser).alert ?? "")
            }
            return seen
        }
        let known = try responses("sue@example.com")
        #expect(known.last?.contains("Too many codes") == true, "\(known)")
        for email in ["ann.fisher@example.com", "no@example.com"] {
            #expect(try responses(email) == known, "\(email)")
        }
        let bad = try ConsoleBrowser(site).send(
            Self.path, from: ConsoleBrowser(site).open("/sign-in"), ["email": "nobody"])
        #expect(bad.status == 403 && bad.alert == "Enter an e-mail address.")
    }

    @Test("the worker mails a code only to an operator, and that code signs in")
    func mailed() throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appendingPathComponent("log")
        try Data().write(to: log)
        let browser = ConsoleBrowser(site)
        for email in ["ann.fisher@example.com", "no@example.com", "sue@example.com"] {
            _ = try ask(email, with: browser)
        }
        let page = try browser.open(Self.path)
        let outbox = folder.appendingPathComponent("outbox")
        let worker = try ChildProgram(
            ConsoleSite.program("hearth-worker"), [],
            environment: [
                "HEARTH_WORKER_DATABASE_URL": site.test.url(as: "hearth_worker"),
                "HEARTH_SECRET_KEY": ConsoleSite.secret,
                "HEARTH_PUBLIC_URL": "https://family.example.org",
                "HEARTH_OUTBOX_DIR": outbox.path,
            ], errors: try FileHandle(forWritingTo: log))
        defer { worker.kill() }
        try eventually {
            let waiting: Int = try site.scalar(
                "SELECT count(*)::integer FROM jobs.live WHERE queue = 'mail'")
            return waiting == 0
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: outbox.path)
            .filter { $0.hasSuffix(".eml") }
        #expect(files.count == 1)
        let mail = try ReadMessage(
            Data(contentsOf: outbox.appendingPathComponent(try #require(files.first))))
        #expect(mail.to == "sue@example.com" && mail.defects.isEmpty)
        #expect(!mail.text.contains("token="))
        let subject = try #require(
            mail.subject.firstMatch(of: /^([0-9]{6}) is your code for the console of Hearth$/))
        #expect(try enter(String(subject.1), on: page, with: browser).status == 303)
        #expect(try browser.open("/").says("sue@example.com"))
    }
}
