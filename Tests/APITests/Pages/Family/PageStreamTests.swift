import TestSupport
import UseCases
import Testing

@testable import API

@Suite("Streams of pages")
struct PageStreamTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func rename(_ home: FamilyFixture<Site>, _ name: String) throws {
        let answer = try home.admin.patch(
            "/api/family/\(home.id)", #"{"familyName": "\#(name)"}"#)
        try #require(answer.status == 200)
    }

    /// Reads the head of a stream, and the version with which it begins.
    private func begin(_ stream: EventStream) throws -> String {
        let head = try #require(try stream.next())
        try #require(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        return try version(of: stream)
    }

    /// The version in the next event.
    private func version(of stream: EventStream) throws -> String {
        let event = try #require(try stream.next())
        let data = event.split(separator: "\n").first { $0.hasPrefix("data: ") }
        try #require(event.contains("event: change\n"), "\(event)")
        return String(try #require(data).dropFirst(6))
    }

    private func version(of page: BrowserPage) throws -> String {
        String(try #require(page.text.firstMatch(of: /<main data-live="([^"]*)"/)).1)
    }

    @Test("a stream begins with the version of the opened page and reports only changes")
    func changes() throws {
        let home = try site.home()
        let browser = PageBrowser(try site)
        let page = try browser.enter(as: home.adult)
        let stream = try EventStream(browser)
        let before = try begin(stream)
        #expect(try before == version(of: page))
        try rename(home, "Skuas")
        let after = try version(of: stream)
        #expect(after != before && !after.contains(home.id))
        let renewed = try browser.open("/family")
        #expect(try version(of: renewed) == after && renewed.heading == "Skuas")
        for path in ["/family/invite", "/family/child"] {
            let live = try browser.open(path).says("data-live")
            #expect(live == (path == "/family/invite"), "a form for a child has nothing to renew")
        }
    }

    @Test("a consent that a guardian gives or withdraws renews the page of the other guardian")
    func consents() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "1", "title": "Store data", "text": "Read this."}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let guardian = try home.adult.post(
            "/api/family/managed/\(child)/guardians",
            #"{"memberId": "\#(home.member(home.admin))"}"#)
        try #require(guardian.status / 100 == 2, "\(guardian)")
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        let path = "/family/child?id=" + child.replacing("managed_", with: "")
        #expect(try browser.open(path).says("Not given"))
        let stream = try EventStream(browser)
        let consent = "/api/family/managed/\(child)/consents/data"
        var seen = try begin(stream)
        for (isGiven, words) in [(true, "Given on"), (false, "Not given")] {
            let changed =
                isGiven
                ? try home.adult.put(consent, #"{"version": "1", "method": "signed_in"}"#)
                : try home.adult.delete(consent)
            try #require(changed.status / 100 == 2, "\(changed)")
            let next = try version(of: stream)
            let page = try browser.open(path)
            #expect(next != seen && page.says(words))
            #expect(try version(of: page) == next)
            seen = next
        }
    }

    @Test("a stream accepts a session's cookie only from the site's own pages")
    func whoMay() throws {
        let home = try site.home()
        let browser = PageBrowser(try site)
        let visitor = try EventStream(browser)
        #expect(try visitor.next()?.hasPrefix("HTTP/1.1 401") == true)
        try browser.enter(as: home.adult)
        for sender in ["cross-site", "same-site", "none"] {
            let stream = try EventStream(browser, from: sender)
            #expect(try stream.next()?.hasPrefix("HTTP/1.1 401") == true, "\(sender)")
        }
        _ = try begin(EventStream(browser, from: nil))
        let byToken = try site.exchange(
            "GET", "/family/live", headers: ["Authorization": "Bearer \(home.adult.token)"])
        #expect(byToken.status == 401, "a token is for the API")
    }

    @Test("a stream ends with its session, and the session's cookie opens no other stream")
    func ended() throws {
        let home = try site.home()
        let browser = PageBrowser(try site)
        let page = try browser.enter(as: home.adult)
        let stream = try EventStream(browser)
        _ = try begin(stream)
        let cookie = try #require(browser.cookie)
        _ = try browser.press("sign-out", on: browser.open("/account"))
        #expect(page.status == 200)
        #expect(try stream.next()?.contains("event: expired") == true)
        #expect(try stream.next() == nil)
        browser.set(cookie)
        #expect(try EventStream(browser).next()?.hasPrefix("HTTP/1.1 401") == true)
    }

    @Test("ten streams of pages are counted apart from an app's; an eleventh displaces the oldest")
    func bounded() throws {
        let home = try site.home()
        let browser = PageBrowser(try site)
        try browser.enter(as: home.adult)
        let app = try EventStream(home.adult)
        _ = try app.begin()
        let oldest = try EventStream(browser)
        _ = try begin(oldest)
        let others = try (0..<LiveRegistry.streamsPerAccount).map { _ in
            let stream = try EventStream(browser)
            _ = try begin(stream)
            return stream
        }
        #expect(try oldest.next()?.contains("event: displaced") == true)
        #expect(try oldest.next() == nil)
        try rename(home, "Still here")
        #expect(try app.next()?.contains(home.id) == true)
        let versions = try others.map { try version(of: $0) }
        #expect(Set(versions).count == 1)
    }

    @Test("the script has no comments, is small, and is served with all pages")
    func script() throws {
        let script = PageScript.source
        #expect(script.utf8.count < PageScript.sizeLimit, "\(script.utf8.count) bytes")
        #expect(!script.contains("\n//") && !script.contains("innerHTML ="))
        for path in ["/", "/sign-in", "/join", "/family/join", "/reset-password", "/nothing"] {
            let page = try PageBrowser(try site).open(path)
            #expect(page.says("pages.js\" defer></script>"), "\(path)")
            #expect(page.header("Content-Security-Policy") == BrowserPage.policy, "\(path)")
        }
    }
}
