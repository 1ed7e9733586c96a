import Domain
import Foundation
import Testing

@testable import API

@Suite("The operator's look of pages, and the pages of a demonstration")
struct AppLookTests {
    private static let svg = #"<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>"#

    private static let site = Result {
        try Site(
            public: PublicSite(
                baseURL: Site.publicURL,
                app: AppListing(
                    name: "Gull's Nest",
                    look: AppLook(
                        accent: try AccentColors("#1d5f8a,#7cc0ea"),
                        logo: try AppLogo(Array(svg.utf8)),
                        links: [
                            "Privacy https://example.org/privacy?a=1&b=2",
                            "Terms <of> use https://example.org/terms",
                        ].compactMap { AppLink($0) }))), trustsLocalProxy: true)
    }

    @Test("pages have the operator's colours, logo and links")
    func look() throws {
        let browser = PageBrowser(try Self.site.get())
        let page = try browser.open("/sign-in")
        #expect(page.says(#"<img class="emblem logo" src="logo" alt="">"#) && !page.says("<svg"))
        #expect(page.says(#"<link rel="icon" href="logo">"#))
        #expect(page.says(#"<a href="https://example.org/privacy?a=1&amp;b=2">Privacy</a>"#))
        #expect(page.text.contains("Terms &lt;of&gt; use</a>"))
        let style = try text(of: "/pages.css", Self.site.get())
        #expect(style.contains(":root { --accent: #1d5f8a; --press: #1d5f8a;"))
        #expect(style.contains("(prefers-color-scheme: dark) { :root { --accent: #7cc0ea;"))
        #expect(try browser.open("/family/join").says(#"src="../logo""#))
    }

    private func text(of path: String, _ site: Site) throws -> String {
        String(decoding: try site.exchange("GET", path).body, as: UTF8.self)
    }

    @Test("the logo is served with its type, and an SVG can neither run nor load anything")
    func logo() throws {
        let logo = try Self.site.get().exchange("GET", "/logo")
        #expect(logo.status == 200 && logo.body == Array(Self.svg.utf8))
        #expect(logo.headers["content-type"] == "image/svg+xml")
        #expect(logo.headers["x-content-type-options"] == "nosniff")
        let policy = logo.headers["content-security-policy"]
        #expect(policy?.hasPrefix("default-src 'none'; ") == true)
        #expect(policy?.hasSuffix("; sandbox") == true)
        let plain = try Site(trustsLocalProxy: true)
        #expect(try plain.exchange("GET", "/logo").status == 404)
        let page = try PageBrowser(plain).open("/sign-in")
        #expect(page.says(#"<link rel="icon" href="favicon.ico">"#))
        #expect(try !text(of: "/pages.css", plain).contains("--press: #1d5f8a"))
    }

    @Test("logo and icon may be cached by everybody, and other responses by nobody")
    func caching() throws {
        let site = try Self.site.get()
        for (path, expected) in [
            ("/logo", "public, max-age=3600"), ("/favicon.ico", "public, max-age=86400"),
            ("/pages.css", "no-store"), ("/sign-in", "no-store"), ("/nowhere", "no-store"),
        ] {
            let text = try site.raw(
                "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Accept-Encoding: identity\r\n\r\n")
            let head = text.components(separatedBy: "\r\n\r\n").first ?? ""
            let lines = head.components(separatedBy: "\r\n").filter {
                $0.lowercased().hasPrefix("cache-control:")
            }
            #expect(lines == ["Cache-Control: " + expected], "\(path)")
        }
    }

    private static let key = "abcdefghijklmnopqrstuvwxyz012345"

    private func demonstration(_ baseURL: String, _ token: String) throws -> Site {
        let line = "\(Self.key)\t\(token)\tMother North\n"
        return try Site(
            public: PublicSite(baseURL: baseURL, demo: DemoLinks { line }),
            signIn: SigningFile.services(), trustsLocalProxy: true)
    }

    @Test("a demonstration link asks first, and its button signs in any number of times")
    func demo() throws {
        let minting = try Self.site.get()
        let token = try minting.person(.parent, name: "Mother North").token
        let site = try demonstration("http://localhost:8080", token)
        let browser = PageBrowser(site)
        for _ in 1...3 {
            let page = try browser.open("/demo?key=\(Self.key)")
            #expect(page.heading == "Continue as Mother North?", "\(page)")
            let entered = try browser.pressOnly("continue", on: page)
            #expect(entered.status == 303 && entered.header("Location") == "family")
            #expect(try browser.open("/account").says("<bdi>Mother North</bdi>"))
        }
        let other = PageBrowser(site)
        for key in ["", "x", String(Self.key.dropLast()), Self.key + "6", "%09", token] {
            #expect(try other.open("/demo?key=\(key)").status == 404, "\(key)")
        }
        #expect(try other.open("/demo").status == 404)
        other.formHeaders = ["Sec-Fetch-Site": "cross-site"]
        #expect(try other.post("/demo", ["link": Self.key]).status == 403)
    }

    @Test("demonstration links answer 404 on a site that is not on this machine")
    func demoElsewhere() throws {
        let token = try Self.site.get().person(.parent).token
        for address in [Site.publicURL, "https://localhost.family.test"] {
            let browser = PageBrowser(try demonstration(address, token))
            #expect(try browser.open("/demo?key=\(Self.key)").status == 404)
            let page = try browser.open("/sign-in")
            let form = try page.form(withAction: "code").fields["form_token"] ?? ""
            let pressed = try browser.post(
                "/demo", ["action": "continue", "link": Self.key, "form_token": form])
            #expect(pressed.status == 404)
        }
        #expect(try PageBrowser(Self.site.get()).open("/demo?key=\(Self.key)").status == 404)
    }
}
