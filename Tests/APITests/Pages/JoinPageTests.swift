import API
import Domain
import JSON
import Testing

@Suite("The page of a link or code")
struct JoinPageTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func text(_ answer: Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test("an invitation's page names inviter and family, and can be opened repeatedly")
    func invitation() throws {
        let site = try site
        let home = try site.home("Gulls & <b>Terns</b>")
        let (_, token) = try home.link(role: .player)
        for _ in 0..<2 {
            let page = try site.exchange("GET", "/join?token=\(token)")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(text(page).contains("Gulls &amp; &lt;b&gt;Terns&lt;/b&gt;"))
            #expect(text(page).contains("<bdi>Ada</bdi> invites you"))
            #expect(text(page).contains("as a player"))
        }
        let guest = try site.person(.player)
        #expect(try guest.post("/api/family/invite/\(token)/accept").status == 200)
    }

    @Test("an e-mailed invitation's page shows the address masked")
    func masked() throws {
        let site = try site
        let home = try site.home()
        let token = try site.token(ofInvitation: home.invite("guest@example.com"))
        let page = try text(site.exchange("GET", "/join?token=\(token)"))
        #expect(page.contains("g***@example.com") && !page.contains("guest@example.com"))
    }

    @Test("a code's page shows the code without looking it up")
    func code() throws {
        let site = try site
        let page = try site.exchange("GET", "/join?code=fam-abcdef")
        #expect(page.status == 200 && text(page).contains("<code>FAM-ABCDEF</code>"))
        #expect(text(page).contains("Enter the code") && !text(page).contains("Open this link"))
        #expect(try site.exchange("GET", "/join?code=gibberish").status == 400)
        let incomplete = try site.exchange("GET", "/join")
        #expect(incomplete.status == 400)
        #expect(text(incomplete).contains("<a href=\"family/join\">enter the family’s code</a>"))
        #expect(try site.exchange("GET", "/join?token=a&token=b").status == 400)
    }

    @Test("an unknown, expired or answered invitation has its own page")
    func failures() throws {
        let site = try site
        let home = try site.home()
        let never = String(repeating: "A", count: 43)
        let unknown = try site.exchange("GET", "/join?token=\(never)")
        #expect(unknown.status == 404 && text(unknown).contains("This link doesn’t work"))
        #expect(text(unknown).contains("class=\"button\" href=\"sign-in\""), "the way on")
        let (id, token) = try home.link()
        try site.execute(
            "UPDATE app.family_invitations SET expires_at = now() WHERE id = '\(id)'")
        let expired = try site.exchange("GET", "/join?token=\(token)")
        #expect(expired.status == 410 && text(expired).contains("has expired"))
        let (used, usedToken) = try home.link()
        _ = try site.person(.parent).post("/api/family/invite/\(usedToken)/accept")
        let answered = try site.exchange("GET", "/join?token=\(usedToken)")
        #expect(answered.status == 409 && text(answered).contains("was already answered"))
        #expect(text(answered).contains("<a href=\"sign-in?return=/family\">sign in</a>"))
        let (revoked, revokedToken) = try home.link()
        _ = try home.admin.delete("/api/family/invitations/\(revoked)")
        let gone = try site.exchange("GET", "/join?token=\(revokedToken)")
        #expect(gone.status == 404 && text(gone) == text(unknown))
        for page in [unknown, expired, answered, gone] {
            #expect(!text(page).contains("Gulls") && !text(page).contains(used))
        }
    }

    @Test("pages run only Hearth's own script, load nothing from elsewhere and send no referrer")
    func policy() throws {
        let site = try site
        for path in ["/join?code=FAM-ABCDEF", "/join", "/join?token=x"] {
            let page = try site.exchange("GET", path)
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy == BrowserPage.policy)
            #expect(page.headers["referrer-policy"] == "no-referrer")
            #expect(page.headers["cache-control"] == "no-store")
            for part in ["<script", "style=", "<style", "onclick", "http:", "https:", "src="] {
                let body = text(page).replacing("http://www.w3.org/2000/svg", with: "")
                    .replacing("<script src=\"pages.js\" defer></script>", with: "")
                #expect(!body.contains(part), "\(path): \(part)")
            }
            #expect(text(page).contains(#"<html lang="en">"#))
            #expect(text(page).contains("<h1>") && text(page).contains("<main>"))
        }
        let style = try site.exchange("GET", "/pages.css")
        #expect(style.status == 200 && style.headers["content-type"] == "text/css; charset=utf-8")
        #expect(!text(style).contains("url(") && !text(style).contains("@import"))
    }

    @Test("the page reports that the database is unreachable")
    func away() throws {
        let site = try Site(databaseURL: "host=127.0.0.1 port=1 user=nobody")
        let page = try site.exchange("GET", "/join?token=\(String(repeating: "A", count: 43))")
        #expect(page.status == 503 && page.headers["retry-after"] != nil)
        #expect(text(page).contains("Your invitation hasn’t changed"))
    }

    @Test("apple-app-site-association names the configured apps; without any, it answers 404")
    func universalLinks() throws {
        let path = "/.well-known/apple-app-site-association"
        #expect(try site.send("GET", path).says(404, "not_found"))
        let site = try Site(
            public: PublicSite(
                baseURL: "https://family.test/hearth",
                appleAppIDs: ["ABCDE12345.test.family"]))
        let answer = try site.send("GET", path)
        #expect(answer.headers["content-type"] == "application/json")
        let details = try #require(
            try answer.json["applinks"]["details"].elements().first)
        #expect(try details["appIDs"].elements().first?.string() == "ABCDE12345.test.family")
        #expect(
            try details["components"].elements().first?["/"].string() == "/hearth/join")
    }

    @Test("assetlinks.json lists Android apps with their certificates")
    func assetLinks() throws {
        let path = "/.well-known/assetlinks.json"
        #expect(try site.send("GET", path).says(404, "not_found"))
        let print = Array(repeating: "0A", count: 32).joined(separator: ":")
        let other = Array(repeating: "0B", count: 32).joined(separator: ":")
        let apps = AndroidApp.all(of: [
            "test.family:\(print.lowercased())", "test.other:\(print)", "test.family:\(other)",
        ])
        let site = try Site(
            public: PublicSite(baseURL: "https://family.test", androidApps: apps))
        let links = try site.send("GET", path).json.elements()
        let target = try #require(
            try links.first { try $0["target"]["package_name"].string() == "test.family" })[
                "target"]
        #expect(links.count == 2)
        #expect(try target["namespace"].string() == "android_app")
        let prints = try target["sha256_cert_fingerprints"].elements().map { try $0.string() }
        #expect(Set(prints) == [print, other])
    }
}
