import Crypto
import JSON
import PasskeySupport
import Postgres
import TestSupport
import Testing

@Suite("Passkeys on pages")
struct PasskeyPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func enter(_ browser: PageBrowser, _ email: String) throws -> BrowserPage {
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        return try browser.press(
            "verify", on: page, ["code": browser.site.mailed(to: email).code])
    }

    /// Options for a new passkey, which the page's script reads.
    private func options(of page: BrowserPage) throws -> JSONField {
        let found = try #require(page.text.firstMatch(of: /data-options="([^"]*)"/), "\(page)")
        let text = found.1.replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        return try JSONField(JSONValue(parsing: Array(text.utf8)))["publicKey"]
    }

    private func challenge(_ options: JSONField) throws -> [UInt8] {
        try #require(Base64URL.decode(try options["challenge"].string()))
    }

    /// Returns a browser signed in to a new account with a passkey, the passkey, and the page after
    /// adding it.
    private func owner() throws -> (PageBrowser, PasskeyClient, BrowserPage) {
        let browser = PageBrowser(try site)
        let page = try enter(browser, Site.address())
        var passkey = try PasskeyClient(site)
        let options = try self.options(of: page)
        passkey.passkey.userHandle = Base64URL.decode(try options["user"]["id"].string())
        let made = try passkey.passkey.registration(challenge(options))
        let added = try browser.press(
            "add-passkey", on: page, ["credential": made.text()])
        return (browser, passkey, added)
    }

    /// The answer to a new challenge, as the script sends it.
    private func credential(_ passkey: inout PasskeyClient) throws -> String {
        passkey.passkey.counter += 1
        let challenge = try PasskeyClient.options(site, "assert").challenge
        return try passkey.passkey.assertion(challenge).text()
    }

    @Test("a passkey added on the account page signs in and leads to the requested page")
    func wholeWay() throws {
        let (browser, owned, added) = try owner()
        var passkey = owned
        #expect(added.status == 200 && added.says("Your passkey was added."), "\(added)")
        #expect(added.says("Firefox, Linux"))
        let page = try browser.press("sign-out", on: added)
        #expect(page.heading == "Sign in" && page.says("data-passkey=\"get\""))
        #expect(page.header("Content-Security-Policy") == BrowserPage.policy)
        let back = try browser.open("/sign-in?return=/join%3Ftoken%3Dabc")
        let entered = try browser.pressOnly(
            "passkey", on: back, ["credential": credential(&passkey)])
        #expect(entered.status == 303 && entered.header("Location") == "join?token=abc")
        #expect(browser.cookie?.hasPrefix("s") == true)
        let account = try browser.open("/account")
        #expect(account.heading == "Your account" && account.says("account?remove="))
    }

    @Test("a passkey response is accepted once; a foreign, wrong or missing one shows a message")
    func refused() throws {
        let (browser, owned, added) = try owner()
        var passkey = owned
        let page = try browser.press("sign-out", on: added)
        let answer = try credential(&passkey)
        #expect(
            try browser.press("passkey", on: page, ["credential": answer]).heading
                == "Your account")
        let other = try PageBrowser(site)
        let form = try other.open("/sign-in")
        let repeated = try other.press("passkey", on: form, ["credential": answer])
        #expect(repeated.status == 410 && repeated.heading == "Sign in")
        var stranger = try PasskeyClient(site)
        stranger.passkey.userHandle = passkey.passkey.userHandle
        let unknown = try other.press(
            "passkey", on: form, ["credential": credential(&stranger)])
        #expect(unknown.status == 401 && unknown.alert != nil && unknown.heading == "Sign in")
        for nothing in ["", "{}", "[", "\"><b>"] {
            let empty = try other.press("passkey", on: form, ["credential": nothing])
            #expect(empty.status == 400 && empty.alert != nil && !empty.says("<b>"))
        }
        #expect(other.cookie?.hasPrefix("v") == true)
    }

    @Test("a passkey has the name that its owner gives it; a name that is too long is refused")
    func named() throws {
        let site = try site
        let browser = PageBrowser(site)
        let page = try enter(browser, Site.address())
        #expect(page.says("name=\"label\"") && page.says("value=\"Firefox, Linux\""))
        var client = try PasskeyClient(site)
        let options = try self.options(of: page)
        client.passkey.userHandle = Base64URL.decode(try options["user"]["id"].string())
        let made = try client.passkey.registration(challenge(options)).text()
        let long = try browser.press(
            "add-passkey", on: page,
            ["credential": made, "label": String(repeating: "x", count: 81)])
        #expect(long.status == 400 && long.says("aria-invalid=\"true\""), "\(long)")
        let added = try browser.press(
            "add-passkey", on: page, ["credential": made, "label": "Blue key"])
        #expect(added.status == 200 && added.says("<bdi>Blue key</bdi>"), "\(added)")
    }

    @Test("the page of an invitation offers a passkey, which leads back to the invitation")
    func atAnInvitation() throws {
        let (browser, owned, added) = try owner()
        var passkey = owned
        _ = try browser.press("sign-out", on: added)
        let (_, token) = try site.home().link()
        let page = try browser.open("/join?token=\(token)")
        #expect(page.says("data-passkey=\"get\"") && page.says("pages.js"))
        #expect(page.says("autocomplete=\"username webauthn\""))
        let entered = try browser.pressOnly(
            "passkey", on: page, ["credential": credential(&passkey)])
        #expect(entered.status == 303 && entered.header("Location") == "join?token=\(token)")
    }

    @Test("a form from another site adds no passkey and signs nobody in")
    func otherSites() throws {
        let (browser, owned, added) = try owner()
        var passkey = owned
        let options = try self.options(of: added)
        let second = try PasskeyClient(site)
        let registration = try second.passkey.registration(challenge(options)).text()
        browser.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
        let refused = try browser.press("add-passkey", on: added, ["credential": registration])
        #expect(refused.status == 403)
        let other = try PageBrowser(site)
        other.formHeaders = browser.formHeaders
        let entered = try other.press(
            "passkey", on: other.open("/sign-in"), ["credential": credential(&passkey)])
        #expect(entered.status == 403 && other.cookie?.hasPrefix("s") != true)
        let id = PostgresBytes(second.passkey.id)
        let count = try Connection(try site.test.settings()).query(
            "SELECT count(*) FROM app.passkeys WHERE credential_id = \(id)"
        ).scalar(Int.self)
        #expect(count == 0)
        browser.formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
        let mine = try browser.press("add-passkey", on: added, ["credential": registration])
        #expect(mine.status == 200 && mine.says("Your passkey was added."), "\(mine)")
    }

    @Test("while passkeys are disabled, pages have no form, and responses are refused")
    func switchedOff() throws {
        let site = try Site(signIn: SigningFile.services([.email]), trustsLocalProxy: true)
        let browser = PageBrowser(site)
        let page = try browser.open("/sign-in")
        #expect(!page.says("data-passkey"))
        let token = try page.form(withAction: "code").fields["form_token"] ?? ""
        let answer = try browser.post(
            "/sign-in", ["form_token": token, "action": "passkey", "credential": "{}"])
        #expect(answer.status == 404)
        let account = try enter(browser, Site.address())
        #expect(!account.says("data-passkey"))
    }
}
