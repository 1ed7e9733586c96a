import TestSupport
import Testing

@Suite("The page for resetting a password")
struct ResetPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Creates an account with a password; returns a browser signed in to it.
    private func member(_ email: String) throws -> PageBrowser {
        let browser = try PageBrowser(site)
        let page = try browser.press(
            "sign-up", on: browser.open("/sign-in?new"),
            ["email": email, "name": "Cleo", "password": Site.password, "role": "parent"])
        _ = try browser.press("verify", on: page, ["code": site.mailed(to: email).code])
        return browser
    }

    @Test("a mailed link sets a new password once and ends all sessions")
    func reset() throws {
        let site = try site
        let email = Site.address()
        let member = try member(email)
        let browser = PageBrowser(site)
        let asked = try browser.press("", on: browser.open("/reset-password"), ["email": email])
        #expect(asked.status == 200 && asked.heading == "Check your email")
        let token = try site.mailed(to: email).linkToken
        let form = try browser.open("/reset-password?token=\(token)")
        #expect(form.heading == "Set a password")
        let weak = try browser.press("", on: form, ["password": "cleo1234"])
        #expect(weak.status == 400 && weak.alert != nil && weak.heading == "Set a password")
        let other = "terns circle the 9 grey piers"
        let done = try browser.press("", on: weak, ["password": other])
        #expect(done.status == 200 && done.heading == "Your password is set", "\(done)")
        #expect(try member.open("/account").heading == "Sign in")
        #expect(try site.signIn(email, other).status == 200)
        let again = try browser.press("", on: form, ["password": "another kettle 77 gull"])
        #expect(again.status == 410 && again.heading == "Forgot your password?")
        #expect(again.alert?.contains("we’ll send you a new one") == true)
        #expect(try again.form(withAction: "").fields["token"] == nil)
        let opened = try PageBrowser(site).open("/reset-password?token=\(token)")
        #expect(opened.status == 410 && opened.alert == again.alert, "\(opened)")
        #expect(try site.signIn(email, other).status == 200)
    }

    @Test("a reset on the way to an invitation leads back to the invitation")
    func onwards() throws {
        let site = try site
        let email = Site.address()
        _ = try member(email)
        let browser = PageBrowser(site)
        let asked = try browser.open("/reset-password?return=/join%3Ftoken%3Dabc")
        _ = try browser.press("", on: asked, ["email": email])
        #expect(try site.returnPath(mailedTo: email) == "/join?token=abc")
        let token = try site.mailed(to: email).linkToken
        let form = try browser.open(
            "/reset-password?token=\(token)&return=/join%3Ftoken%3Dabc")
        let done = try browser.press("", on: form, ["password": Site.password + " more"])
        #expect(done.says("href=\"sign-in?return=/join%3Ftoken%3Dabc\""), "\(done)")
    }

    @Test("an address without an account gets the same page as one with an account")
    func unknown() throws {
        let (known, unknown) = (Site.address(), Site.address())
        _ = try member(known)
        let pages = try [known, unknown].map { email in
            let browser = try PageBrowser(site)
            let page = try browser.press("", on: browser.open("/reset-password"), ["email": email])
            return "\(page)".replacing(email, with: "ADDRESS")
        }
        #expect(pages[0] == pages[1])
    }

    @Test("the Host headers of a request don't affect where its pages lead")
    func hosts() throws {
        let site = try site
        for header in ["Host: evil.example", "X-Forwarded-Host: evil.example"] {
            let host = header.hasPrefix("Host") ? "" : "Host: family.test\r\n"
            let answer = try site.raw(
                "GET /account HTTP/1.1\r\n\(host)\(header)\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 303") && !answer.contains("evil"))
        }
    }
}
