import Basics
import Crypto
import Domain
import Foundation
import HTTPServer
import Identity
import JSON
import Postgres
import Telemetry
import TestSupport
import Testing
import UseCases

@testable import API

/// A site with providers, and browsers that sign in there.
struct ProviderStage: Sendable {
    let site: Site
    let provider: StandInProvider
    private let issuers: [Issuer]

    init(
        _ provider: StandInProvider, and other: StandInProvider? = nil,
        public publicSite: PublicSite = PublicSite(baseURL: Site.publicURL),
        signIn: SignInSetup? = try? SigningFile.services(), publishes: Bool = true,
        clock: WallClock = .system, isPrimary: Bool = false, linksAddresses: Bool = false
    ) throws {
        self.provider = provider
        var issuers = [
            try provider.issuer(
                named: "Gull & Co", isPrimary: isPrimary, linksAddresses: linksAddresses)
        ]
        if let other { issuers.append(try other.issuer(named: "Tern")) }
        self.issuers = issuers
        site = try Site(
            public: publicSite, signIn: signIn, trustsLocalProxy: true, clock: clock,
            others: issuers)
        if publishes {
            try provider.publish(issuers[0])
            if let other { try other.publish(issuers[1]) }
        }
    }

    func stop() {
        for issuer in issuers {
            issuer.keys.stopFetching()
            issuer.client?.metadata.stop()
        }
    }

    static let start = "/sign-in/with/Gull%20%26%20Co"
    static let callback = "/sign-in/callback/Gull%20%26%20Co"
    /// The provider's name among an account's ways to sign in.
    static let shownName = "<bdi>Gull &amp; Co</bdi>"

    /// Begins a sign-in, and returns the address at the provider.
    func begin(_ browser: PageBrowser, _ query: String = "", at path: String = start) throws
        -> String
    {
        let page = try browser.openOnly(path + query)
        try #require(page.status == 303, "\(page)")
        return try #require(page.header("Location"))
    }

    /// Opens the callback with the given parameters.
    func back(_ browser: PageBrowser, _ fields: [String: String]) throws -> BrowserPage {
        try browser.openOnly("\(ProviderStage.callback)?" + Self.query(fields))
    }

    static func query(_ fields: [String: String]) -> String {
        fields.map { name, value in
            let text = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            return "\(name)=\(text ?? "")"
        }.joined(separator: "&")
    }

    /// Signs in from the beginning to the end.
    func enter(
        _ browser: PageBrowser, as person: StandInPerson, _ query: String = ""
    ) throws -> BrowserPage {
        try back(browser, provider.authorize(begin(browser, query), as: person))
    }

    /// Sends the form of the provider's page: browsers add no cookie that is `SameSite=Lax`.
    func post(_ browser: PageBrowser, _ fields: [String: String]) throws -> BrowserPage {
        let foreign = PageBrowser(site)
        foreign.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": provider.issuerName]
        let pending = browser.cookies.filter { $0.key.contains("-oidc-") }
        for (name, value) in pending { foreign.set(value, named: name) }
        let page = try foreign.post(ProviderStage.callback, fields)
        for name in pending.keys { browser.cookies[name] = foreign.cookies[name] }
        return page
    }

    func count(_ table: String) throws -> Int {
        let connection = try Connection(site.test.settings())
        return try connection.query(SQL(unsafe: "SELECT count(*) FROM app.\(table)"))
            .scalar(Int.self)
    }
}

extension PageBrowser {
    /// Cookies of sign-ins that have begun.
    var pending: [String] { cookies.keys.filter { $0.contains("-oidc-") }.sorted() }
}

@Suite("Signing in with a provider on pages")
struct ProviderSignInTests {
    private static let shared = Result { try ProviderStage(StandInProvider()) }
    private var stage: ProviderStage { get throws { try Self.shared.get() } }

    // MARK: The whole way

    @Test("a sign-in leads to the provider and back, and starts a session of a new account")
    func wholeWay() throws {
        let stage = try stage
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        let begun = try browser.openOnly(ProviderStage.start)
        let cookie = try #require(begun.header("Set-Cookie"))
        #expect(cookie.hasPrefix("__Host-hearth-oidc-"))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=None; Secure; Max-Age=600"))
        #expect(begun.headers.filter { $0.name == "set-cookie" }.count == 1)
        let fields = try StandInProvider.request(begun.header("Location"))
        #expect(fields["redirect_uri"] == Site.publicURL + ProviderStage.callback)
        let response = try stage.provider.authorize(begun.header("Location"), as: person)
        let end = try stage.back(browser, response)
        #expect(end.status == 303 && end.header("Location") == "../../account")
        #expect(browser.pending.isEmpty && browser.cookie != nil)
        let page = try browser.open("/account")
        #expect(page.says("Some One") && page.says(person.email))
        #expect(page.says(ProviderStage.shownName) && !page.says("127.0.0.1"))
        let id = try #require(
            try browser.open("/account").text.firstMatch(of: /remove=([0-9a-f-]+)/))
        let second = PageBrowser(stage.site)
        #expect(try stage.enter(second, as: person).status == 303)
        #expect(try second.open("/account").says(String(id.1)))
    }

    @Test(
        "a sign-in with a provider returns to the page with the invitation or code",
        arguments: [
            "/join?code=FAM-ABC234", "/join?token=" + String(repeating: "A-_9", count: 11),
            "/family/invite?family=1",
        ])
    func returns(path: String) throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let escaped = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let end = try stage.enter(browser, as: StandInPerson(), "?return=" + escaped)
        #expect(end.header("Location") == "../.." + path)
    }

    @Test(
        "a return path to another site is ignored",
        arguments: [
            "https://evil.example", "//evil.example", "/\\evil.example", "/join/../../evil",
            "javascript:alert(1)", "/sign-in/with/Tern", "\r\nLocation: https://evil.example",
        ])
    func openRedirect(path: String) throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let escaped = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let response = try stage.provider.authorize(
            stage.begin(browser, "?return=" + escaped), as: StandInPerson())
        let end = try browser.openOnly(
            "\(ProviderStage.callback)?\(ProviderStage.query(response))&return=\(escaped)"
                + "&redirect_uri=\(escaped)")
        #expect(end.status == 303 && end.header("Location") == "../../account")
    }

    @Test("four tabs can sign in simultaneously, and a fifth replaces the oldest")
    func tabs() throws {
        let stage = try stage
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        let tabs = try (0..<5).map { _ in try stage.begin(browser) }
        #expect(browser.pending.count == 4)
        let states = try tabs.map { try StandInProvider.request($0)["state"] ?? "" }
        let known = states.filter { state in
            browser.pending.contains { $0.hasSuffix(state.prefix(8)) }
        }
        #expect(known.count == 4 && known.contains(states[4]))
        for tab in tabs where known.contains(try StandInProvider.request(tab)["state"] ?? "") {
            let end = try stage.back(browser, stage.provider.authorize(tab, as: person))
            #expect(end.status == 303)
        }
        #expect(browser.pending.isEmpty)
    }

    @Test("on this machine the cookie is Lax and has a plain name")
    func loopback() throws {
        let stage = try ProviderStage(
            StandInProvider(), public: PublicSite(baseURL: "http://127.0.0.1:8080"))
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let cookie = try browser.openOnly(ProviderStage.start).header("Set-Cookie") ?? ""
        #expect(cookie.hasPrefix("hearth-oidc-"))
        #expect(cookie.contains("SameSite=Lax") && !cookie.contains("Secure"))
    }

    @Test("a provider that accepts the client's secret only in forms gets it in the form")
    func secretInForm() throws {
        let stage = try ProviderStage(
            StandInProvider(namesIssuer: false, methods: ["client_secret_post"]))
        defer { stage.stop() }
        let end = try stage.enter(PageBrowser(stage.site), as: StandInPerson())
        #expect(end.status == 303)
    }

    // MARK: Attacks

    @Test("a response to another browser's sign-in is refused, and no code is exchanged")
    func otherBrowser() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let (attacker, victim) = (PageBrowser(stage.site), PageBrowser(stage.site))
        let response = try stage.provider.authorize(
            stage.begin(attacker), as: StandInPerson())
        _ = try stage.begin(victim)
        let page = try stage.back(victim, response)
        #expect(page.status == 400 && page.alert?.contains("another browser") == true)
        // The response is refused even with the attacker's cookie under the name of the victim's.
        let (own, stolen) = (try #require(victim.pending.first), attacker.pending[0])
        victim.set(attacker.cookies[stolen] ?? "", named: own)
        #expect(try stage.back(victim, response).status == 400)
        #expect(stage.provider.asked == 0 && victim.cookie == nil)
    }

    @Test("a callback opened again changes nothing and sends the provider no request")
    func twice() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let response = try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        let saved = browser.cookies
        #expect(try stage.back(browser, response).status == 303)
        let (cookie, sessions) = (browser.cookie, try stage.count("sessions"))
        let again = try stage.back(browser, response)
        #expect(again.status == 303 && again.header("Location") == "../../account")
        #expect(browser.cookie == cookie && stage.provider.asked == 1)
        // With a copy of the cookie the code reaches the provider, which has already redeemed it.
        let thief = PageBrowser(stage.site)
        for (name, value) in saved { thief.set(value, named: name) }
        #expect(try stage.back(thief, response).status == 400)
        #expect(try stage.count("sessions") == sessions && thief.cookie == nil)
    }

    @Test("a stolen code that is put into another browser's response is refused")
    func injectedCode() throws {
        let stage = try stage
        let (attacker, victim) = (PageBrowser(stage.site), PageBrowser(stage.site))
        let stolen = try stage.provider.authorize(stage.begin(victim), as: StandInPerson())
        var own = try stage.provider.authorize(stage.begin(attacker), as: StandInPerson())
        own["code"] = stolen["code"]
        let page = try stage.back(attacker, own)
        #expect(page.status == 400 && attacker.cookie == nil && attacker.pending.isEmpty)
    }

    @Test("a response that names another issuer or no issuer is refused")
    func mixedUp() throws {
        let other = try StandInProvider()
        let stage = try ProviderStage(StandInProvider(), and: other)
        defer { stage.stop() }
        for issuer in [other.issuerName, "", stage.provider.issuerName + "/", nil] {
            let browser = PageBrowser(stage.site)
            var response = try stage.provider.authorize(
                stage.begin(browser), as: StandInPerson())
            response["iss"] = issuer
            let page = try stage.back(browser, response)
            #expect(page.status == 400 && page.alert?.contains("doesn’t match") == true)
            #expect(browser.cookie == nil)
        }
        #expect(stage.provider.asked == 0 && other.asked == 0)
    }

    @Test(
        "no code reaches a provider that redirects to another's page, with or without an issuer name"
    )
    func crossed() throws {
        let malicious = try StandInProvider(namesIssuer: false)
        let stage = try ProviderStage(StandInProvider(namesIssuer: false), and: malicious)
        defer { stage.stop() }
        let (attacker, victim) = (PageBrowser(stage.site), PageBrowser(stage.site))
        let own = try stage.begin(attacker)
        let begun = try stage.begin(victim, at: "/sign-in/with/Tern")
        let state = try StandInProvider.request(begun)["state"] ?? ""
        // The malicious provider's page leads on to the honest one, with the victim's state and the
        // attacker's nonce and challenge.
        let crossed = own.replacing(try StandInProvider.request(own)["state"] ?? "", with: state)
        let response = try stage.provider.authorize(crossed, as: StandInPerson())
        let page = try stage.back(victim, response)
        #expect(page.status == 400 && page.alert?.contains("doesn’t match") == true)
        #expect(malicious.asked == 0 && stage.provider.asked == 0 && victim.cookie == nil)
        #expect(
            try StandInProvider.request(own)["redirect_uri"]
                != StandInProvider.request(begun)["redirect_uri"])
    }

    @Test("a person who has meanwhile signed in in another tab keeps that session")
    func signedInMeanwhile() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let (one, two) = (try stage.begin(browser), try stage.begin(browser, "?return=/family"))
        _ = try stage.back(browser, stage.provider.authorize(one, as: StandInPerson()))
        let cookie = try #require(browser.cookie)
        let end = try stage.back(browser, stage.provider.authorize(two, as: StandInPerson()))
        #expect(end.status == 303 && end.header("Location") == "../../family")
        #expect(browser.cookie == cookie && browser.pending.isEmpty)
        #expect(try stage.count("sessions") == 1 && stage.provider.asked == 1)
    }

    @Test(
        "an ID token that does not fit the request starts no session",
        arguments: [
            ["nonce": "an-earlier-nonce"], ["nonce": .null], ["aud": "com.example.app"],
            ["aud": ["hearth-pages", "other"]],
            ["aud": ["hearth-pages", "other"], "azp": "other"], ["azp": "com.example.app"],
            ["iss": "https://elsewhere.example"], ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"],
            ["at_hash": 1], ["sub": .null], ["iat": .null], ["exp": .null],
        ] as [[String: JSONValue]])
    func wrongClaims(claims: [String: JSONValue]) throws {
        try refused(.claims(claims))
    }

    @Test("an expired or forged ID token starts no session")
    func wrongToken() throws {
        try refused(.expired)
        try refused(.forged)
    }

    private func refused(_ manner: StandInProvider.Manner) throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        stage.provider.answer(in: manner)
        let browser = PageBrowser(stage.site)
        let page = try stage.enter(browser, as: StandInPerson())
        #expect(page.status == 400, "\(manner): \(page)")
        #expect(page.alert?.contains("doesn’t match") == true)
        #expect(browser.cookie == nil && browser.pending.isEmpty)
        #expect(try stage.count("sessions") == 0)
    }

    @Test("further audiences are accepted if the token was issued to this client")
    func furtherAudience() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        stage.provider.answer(
            in: .claims(["aud": ["other", "hearth-pages"], "azp": "hearth-pages"]))
        #expect(try stage.enter(PageBrowser(stage.site), as: StandInPerson()).status == 303)
    }

    @Test(
        "a link on another site does not begin a sign-in",
        arguments: ["cross-site", "same-site"])
    func foreignLink(from origin: String) throws {
        let answer = try stage.site.raw(
            """
            GET \(ProviderStage.start)?return=/account HTTP/1.1\r\nHost: family.test\r\n\
            Connection: close\r\nSec-Fetch-Site: \(origin)\r\n\r\n
            """)
        let page = try BrowserPage(answer, at: ProviderStage.start)
        #expect(page.status == 303)
        #expect(page.header("Location") == "../../sign-in?return=/account")
        #expect(page.header("Set-Cookie") == nil)
    }

    @Test(
        "malformed responses and cookies are refused",
        arguments: [
            "", "state=", "state=x", "state=x&state=y&code=z", "code=z", "state=%00&code=%00",
        ])
    func malformed(query: String) throws {
        let browser = try PageBrowser(stage.site)
        browser.set("AAAA", named: "__Host-hearth-oidc-xxxxxxxx")
        #expect(try browser.openOnly("\(ProviderStage.callback)?" + query).status == 400)
    }

    // MARK: Failures

    @Test("an error from the provider shows a message, and none of the provider's text")
    func errors() throws {
        let stage = try stage
        let cases = [
            ("access_denied", "You didn’t continue at"), ("server_error", "didn’t sign you in"),
            ("<script>alert(1)</script>", "didn’t sign you in"),
        ]
        for (error, sentence) in cases {
            let browser = PageBrowser(stage.site)
            let state = try StandInProvider.request(
                stage.begin(browser, "?return=%2Fjoin%3Fcode%3DFAM-ABC234"))["state"]
            let page = try stage.back(
                browser,
                [
                    "error": error, "error_description": "see evil.example", "state": state ?? "",
                    "iss": stage.provider.issuerName,
                ])
            #expect(page.status == 403 && page.alert?.contains(sentence) == true)
            #expect(!page.says("script>alert") && !page.says("evil.example"))
            #expect(page.says("../sign-in?return=/join%3Fcode%3DFAM-ABC234"))
            #expect(browser.pending.isEmpty)
        }
    }

    @Test("an error that names no issuer is reported, one that names another issuer is refused")
    func errorWithoutIssuer() throws {
        let stage = try stage
        for (issuer, status, sentence) in [
            (nil, 403, "You didn’t continue at"), ("https://evil.example", 400, "doesn’t match"),
        ] as [(String?, Int, String)] {
            let browser = PageBrowser(stage.site)
            let state = try StandInProvider.request(stage.begin(browser))["state"]
            var response = ["error": "access_denied", "state": try #require(state)]
            response["iss"] = issuer
            let page = try stage.back(browser, response)
            #expect(page.status == status && page.alert?.contains(sentence) == true, "\(page)")
            #expect(browser.pending.isEmpty && browser.cookie == nil)
        }
    }

    @Test("an error with a code that names no issuer exchanges no code")
    func errorWithCode() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        var response = try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        response["error"] = "access_denied"
        response["iss"] = nil
        #expect(try stage.back(browser, response).status == 403)
        #expect(stage.provider.asked == 0 && browser.cookie == nil)
    }

    @Test("a provider's error without a state also shows a message")
    func errorWithoutState() throws {
        let page = try PageBrowser(stage.site).openOnly(
            "\(ProviderStage.callback)?error=access_denied&error_description=x")
        #expect(page.status == 403 && page.alert?.hasPrefix("You didn’t continue at") == true)
    }

    @Test(
        "a provider that refuses the client or returns no tokens is not reported as a lost code",
        arguments: [
            (401, #"{"error": "invalid_client"}"#, 503, "isn’t set up correctly"),
            (400, #"{"error": "<b>"}"#, 503, "isn’t set up correctly"),
            (400, #"{"error": "invalid_grant"}"#, 400, "took too long"),
            (500, "", 503, "no response from"), (302, "", 503, "no response from"),
            (200, "{}", 503, "no response from"), (200, "no JSON", 503, "no response from"),
        ])
    func tokenErrors(status: Int, body: String, wanted: Int, sentence: String) throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        stage.provider.answer(in: .status(status, body))
        let page = try stage.enter(PageBrowser(stage.site), as: StandInPerson())
        #expect(page.status == wanted && page.alert?.contains(sentence) == true, "\(page)")
        #expect((page.header("Retry-After") != nil) == (wanted == 503))
        #expect(!stage.site.lines.text.contains("<b>"))
    }

    @Test("a hanging token endpoint blocks at most two threads for seconds, and browsers get 503")
    func hanging() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        stage.provider.answer(in: .hanging)
        let browser = PageBrowser(stage.site)
        let responses = try (0..<3).map { _ in
            try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        }
        let cookies = browser.cookies
        let ends = Monitor<[Int]>([])
        for response in responses.prefix(2) {
            let other = PageBrowser(stage.site, address: browser.address)
            for (name, value) in cookies { other.set(value, named: name) }
            nonisolated(unsafe) let tab = other
            try SystemThread {
                let status = (try? stage.back(tab, response).status) ?? 0
                ends.change { $0.append(status) }
            }.detach()
        }
        #expect(stage.provider.awaitHeld(2))
        // A third exchange from this network is refused immediately, and can be repeated.
        let busy = try stage.back(browser, responses[2])
        #expect(busy.status == 503 && busy.alert?.contains("Many people") == true)
        #expect(busy.header("Retry-After") == "10" && browser.pending.count == 3)
        #expect(try PageBrowser(stage.site).open("/sign-in").status == 200)
        // The endpoint still hangs when both requests have their response.
        let end = Deadline.after(seconds: 20)
        #expect(ends.wait { ($0.count == 2 ? $0 : nil, end) } == [503, 503])
        stage.provider.open()
    }

    @Test("an unreachable provider has a message instead of a button, and its link returns 503")
    func away() throws {
        let provider = try StandInProvider()
        provider.goAway()
        let stage = try ProviderStage(provider)
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let page = try browser.open("/sign-in")
        #expect(page.says("Gull &amp; Co can’t be reached") && !page.says("sign-in/with/"))
        let start = try browser.openOnly(ProviderStage.start)
        #expect(start.status == 503 && start.header("Retry-After") != nil)
        #expect(browser.pending.isEmpty)
    }

    // MARK: Pages

    @Test("the pages for signing in and for invitations have a button for each provider")
    func buttons() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let page = try browser.open("/sign-in?return=/account")
        #expect(page.says("href=\"sign-in/with/Gull%20%26%20Co?return=/account\""))
        #expect(page.says("Continue with Gull &amp; Co"))
        #expect(try browser.open("/join?code=FAM-ABC234").says("sign-in/with/Gull"))
        browser.language = "es"
        #expect(try browser.open("/sign-in").says("Continuar con Gull &amp; Co"))
    }

    @Test("an issuer without a client has no button, no link and no callback")
    func noClient() throws {
        let site = try Site(trustsLocalProxy: true)
        let browser = PageBrowser(site)
        let page = try browser.open("/sign-in")
        #expect(!page.says("sign-in/with") && !page.says("stores"))
        #expect(try !browser.open("/join?code=FAM-ABC234").says("sign-in/with"))
        #expect(try browser.openOnly("/sign-in/with/Apple").status == 404)
        #expect(try browser.openOnly("\(ProviderStage.callback)?state=x&code=y").status == 404)
        let form = try browser.post(ProviderStage.callback, ["state": "x", "code": "y"])
        #expect(form.status == 404)
        try browser.enter(as: site.person(.parent))
        let account = try browser.open("/account")
        #expect(account.status == 200 && !account.says("sign-in/with"))
    }

    @Test("pages have no providers if the exchange of tokens is disabled")
    func switchedOff() throws {
        let stage = try ProviderStage(
            StandInProvider(), signIn: SigningFile.services([.email]))
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        #expect(try !browser.open("/sign-in").says("sign-in/with"))
        #expect(try browser.openOnly(ProviderStage.start).status == 404)
        #expect(try browser.openOnly("\(ProviderStage.callback)?state=x&code=y").status == 404)
        let form = try browser.post(ProviderStage.callback, ["state": "x", "code": "y"])
        #expect(form.status == 404)
    }

    @Test("if a provider is the only way to sign in, the page shows only its button")
    func onlyWay() throws {
        let stage = try ProviderStage(
            StandInProvider(), signIn: SigningFile.services([.exchange]))
        defer { stage.stop() }
        let page = try PageBrowser(stage.site).open("/sign-in")
        #expect(page.says("sign-in/with/Gull") && !page.says("<form"))
    }

    @Test("each failure has a distinct message in each language", arguments: Language.allCases)
    func sentences(language: Language) {
        let sentences = ProviderFailure.allCases.map {
            language.texts.text(ProviderText.failed($0, "Tern")).text
        }
        #expect(Set(sentences).count == sentences.count)
        for (sentence, failure) in zip(sentences, ProviderFailure.allCases) {
            #expect(sentence.count > 20 && sentence.hasSuffix("."))
            for other in Language.allCases where other != language {
                #expect(other.texts.text(ProviderText.failed(failure, "Tern")).text != sentence)
            }
        }
    }

    @Test("outcomes of provider sign-ins are counted")
    func counted() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        _ = try stage.enter(PageBrowser(stage.site), as: StandInPerson())
        _ = try stage.back(PageBrowser(stage.site), ["state": "x", "code": "y"])
        let metrics = try stage.site.exchange("GET", "/metrics")
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(text.contains(#"hearth_provider_sign_ins_total{outcome="signed_in"} 1"#))
        #expect(text.contains(#"hearth_provider_sign_ins_total{outcome="expired"} 1"#))
    }
}

@Suite("Adding a provider's sign-in to an account")
struct ProviderAdditionTests {
    private static let shared = Result { try ProviderStage(StandInProvider()) }
    private var stage: ProviderStage { get throws { try Self.shared.get() } }

    /// Signs in with a mailed code.
    private func enterByMail(_ browser: PageBrowser) throws -> String {
        let email = Site.address()
        let page = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        _ = try browser.press("verify", on: page, ["code": browser.site.mailed(to: email).code])
        return email
    }

    @Test("adding a provider's sign-in asks first, and the account then has both sign-ins")
    func added() throws {
        let stage = try stage
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        let email = try enterByMail(browser)
        let account = try browser.open("/account")
        #expect(account.says("sign-in/with/Gull%20%26%20Co?add\""))
        let question = try stage.enter(browser, as: person, "?add")
        #expect(question.status == 200 && question.says(person.email))
        #expect(try !browser.open("/account").says(ProviderStage.shownName))
        let done = try browser.press("add-provider", on: question)
        #expect(done.says("The way to sign in was added."))
        #expect(done.says(ProviderStage.shownName))
        #expect(!done.says("?add\""))
        let other = PageBrowser(stage.site)
        _ = try stage.enter(other, as: person)
        #expect(try other.open("/account").says(email))
    }

    @Test("a sign-in of an account that is in use is not added, and the page tells why")
    func inUse() throws {
        let stage = try stage
        let (owner, browser) = (PageBrowser(stage.site), PageBrowser(stage.site))
        let person = StandInPerson()
        _ = try stage.enter(owner, as: person)
        let created = try owner.press(
            "create", on: owner.open("/family/new"), ["family_name": "Terns", "role": "parent"])
        try #require(created.heading == "Terns", "\(created)")
        let email = try enterByMail(browser)
        let question = try stage.enter(browser, as: person, "?add")
        let refused = try browser.press("add-provider", on: question)
        #expect(refused.status == 409 && refused.heading == "Your account", "\(refused)")
        #expect(refused.alert?.contains("another account") == true, "\(refused)")
        #expect(refused.says(email) && !refused.says(ProviderStage.shownName))
    }

    @Test("an account with a sign-in of a primary issuer is not offered another primary issuer's")
    func secondPrimary() throws {
        let stage = try ProviderStage(StandInProvider(), isPrimary: true)
        defer { stage.stop() }
        let (browser, other) = (PageBrowser(stage.site), PageBrowser(stage.site))
        let person = try stage.site.person(.parent)
        try #require(person.get("/api/me").status == 200)
        try browser.enter(as: person)
        #expect(try !browser.open("/account").says("?add\""))
        _ = try enterByMail(other)
        #expect(try other.open("/account").says("?add\""))
    }

    @Test("a confirmation from another session adds no sign-in")
    func otherSession() throws {
        let stage = try stage
        let (attacker, victim) = (PageBrowser(stage.site), PageBrowser(stage.site))
        _ = try enterByMail(attacker)
        _ = try enterByMail(victim)
        let question = try stage.enter(attacker, as: StandInPerson(), "?add")
        let sealed = try question.form(withAction: "add-provider").fields["sign_in"]
        let token = try victim.open("/account").form(withAction: "export").fields
        let page = try victim.post(
            "/account",
            [
                "form_token": token["form_token"] ?? "", "action": "add-provider",
                "sign_in": sealed ?? "",
            ])
        #expect(page.status == 410)
        #expect(try !victim.open("/account").says(ProviderStage.shownName))
    }

    @Test("a sign-in whose cookie the browser keeps for more than ten minutes is refused")
    func keptCookie() throws {
        let aheadMilliseconds = Lock(0)
        let stage = try ProviderStage(
            StandInProvider(),
            clock: WallClock { WallClock.system.now() + aheadMilliseconds.withLock { $0 } })
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let response = try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        aheadMilliseconds.withLock { $0 = 600_000 }
        try #require(browser.pending.count == 1)
        let late = try stage.back(browser, response)
        #expect(late.status == 400 && late.alert != nil, "\(late)")
        #expect(browser.cookie?.hasPrefix("s") != true && stage.provider.asked == 0)
    }

    @Test("a confirmation after the provider's token has expired adds nothing and signs nobody out")
    func expiredConfirmation() throws {
        let aheadMilliseconds = Lock(0)
        let stage = try ProviderStage(
            StandInProvider(),
            clock: WallClock { WallClock.system.now() + aheadMilliseconds.withLock { $0 } })
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let email = try enterByMail(browser)
        let question = try stage.enter(browser, as: StandInPerson(), "?add")
        try #require(question.status == 200, "\(question)")
        // The provider's tokens are valid for ten minutes.
        aheadMilliseconds.withLock { $0 = 600_000 }
        #expect(try browser.press("add-provider", on: question).status == 410)
        #expect(try browser.open("/account").says(email))
    }

    @Test("a sign-in that was erased meanwhile is not added, and signs nobody out")
    func erasedConfirmation() throws {
        let stage = try stage
        let (browser, person) = (PageBrowser(stage.site), StandInPerson())
        let email = try enterByMail(browser)
        let question = try stage.enter(browser, as: person, "?add")
        let other = PageBrowser(stage.site)
        _ = try stage.enter(other, as: person)
        let page = try other.open("/account")
        let erased = try other.pressOnly("erase", on: page, ["sure": "yes"])
        // A person whose sign-in is not recent would be asked for a mailed code instead.
        try #require(erased.header("Location")?.hasSuffix("account?done=erase") == true)
        let answer = try browser.press("add-provider", on: question)
        #expect(answer.status == 410, "\(answer)")
        #expect(try browser.open("/account").says(email))
    }

    @Test("a browser whose session has changed meanwhile adds no sign-in")
    func changedSession() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        _ = try enterByMail(browser)
        let response = try stage.provider.authorize(
            stage.begin(browser, "?add"), as: StandInPerson())
        let pending = browser.cookies.filter { $0.key.contains("-oidc-") }
        let other = PageBrowser(stage.site)
        _ = try enterByMail(other)
        for (name, value) in pending { other.set(value, named: name) }
        #expect(try stage.back(other, response).status == 409)
    }

    @Test("adding a sign-in without a session leads to /sign-in, with an old session to /account")
    func notFresh() throws {
        // A stage of its own, because the provider's tokens are old for everybody.
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let page = try browser.openOnly(ProviderStage.start + "?add")
        #expect(page.status == 303 && page.header("Location")?.contains("sign-in?return") == true)
        #expect(browser.pending.isEmpty)
        stage.provider.answer(
            in: .claims(["iat": .integer(Int64(Date().timeIntervalSince1970) - 700)]))
        _ = try stage.enter(browser, as: StandInPerson())
        #expect(try browser.open("/account").status == 200)
        let refused = try browser.openOnly(ProviderStage.start + "?add")
        #expect(refused.header("Location") == "../../account#ways" && browser.pending.isEmpty)
    }

    @Test("a person who is already signed in is redirected and begins no other sign-in")
    func signedInAlready() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        _ = try enterByMail(browser)
        let page = try browser.openOnly(ProviderStage.start + "?return=/family")
        #expect(page.header("Location") == "../../family" && browser.pending.isEmpty)
    }
}

@Suite("Signing in with Apple on pages")
struct AppleSignInPageTests {
    private static let shared = Result { try ProviderStage(StandInProvider(.apple)) }
    private var stage: ProviderStage { get throws { try Self.shared.get() } }

    @Test("the form of Apple's page is accepted, and a page of the site finishes the sign-in")
    func formPost() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        var person = StandInPerson()
        person.firstTimeName = #"{"firstName": "Ada", "lastName": "Tern"}"#
        let response = try stage.provider.authorize(
            stage.begin(browser, "?return=%2Fjoin%3Fcode%3DFAM-ABC234"), as: person)
        let page = try stage.post(browser, response)
        #expect(page.status == 200 && browser.cookie == nil)
        #expect(!page.says(response["code"] ?? ""))
        let target = try #require(
            page.text.firstMatch(of: /http-equiv="refresh" content="0; url=([^"]+)"/))
        let end = try browser.openOnly(page.address(of: String(target.1)))
        #expect(end.status == 303 && end.header("Location") == "../../join?code=FAM-ABC234")
        let account = try browser.open("/account")
        #expect(account.says("Ada Tern") && account.says(person.email))
        #expect(!account.says("somebody.else@example.com"))
        #expect(try stage.count("provider_tokens") >= 1)
    }

    @Test("a form's code of up to 1,536 bytes waits in the cookie, and a longer one is refused")
    func longCode() throws {
        let stage = try ProviderStage(StandInProvider(.apple))
        defer { stage.stop() }
        // The longest page to return to is in the same cookie.
        let code = String(repeating: "x", count: 501)
        for (count, status) in [(1_536, 200), (1_537, 400)] {
            let browser = PageBrowser(stage.site)
            var response = try stage.provider.authorize(
                stage.begin(browser, "?return=%2Fjoin%3Fcode%3D" + code), as: StandInPerson())
            response["code"] = String(repeating: "x", count: count)
            let page = try stage.post(browser, response)
            #expect(page.status == status, "\(count)")
            #expect(browser.pending.isEmpty == (status == 400))
            // The provider is asked only about a code that was in the cookie.
            _ = try stage.back(browser, ["state": response["state"] ?? ""])
            #expect(stage.provider.asked == 1)
        }
    }

    @Test("adding a sign-in keeps the browser's session across the provider's cross-site form")
    func addition() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let email = Site.address()
        let code = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        _ = try browser.press("verify", on: code, ["code": browser.site.mailed(to: email).code])
        let response = try stage.provider.authorize(
            stage.begin(browser, "?add"), as: StandInPerson())
        let page = try stage.post(browser, response)
        #expect(page.header("Set-Cookie")?.contains("-oidc-") == true)
        let question = try stage.back(browser, ["state": response["state"] ?? ""])
        #expect(try browser.press("add-provider", on: question).says("was added"))
    }

    @Test("a response in the query is refused from a provider that sends forms")
    func inAddress() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let response = try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        #expect(try stage.back(browser, response).status == 400 && browser.cookie == nil)
    }

    @Test("a form for another provider's sign-in, or without a sign-in, is refused")
    func foreignForm() throws {
        let stage = try ProviderStage(StandInProvider())
        defer { stage.stop() }
        let browser = PageBrowser(stage.site)
        let response = try stage.provider.authorize(stage.begin(browser), as: StandInPerson())
        #expect(try stage.post(browser, response).status == 400)
        #expect(try stage.post(PageBrowser(stage.site), response).status == 400)
        #expect(stage.provider.asked == 0)
    }

    @Test("a cancelled sign-in immediately shows a message")
    func cancelled() throws {
        let stage = try stage
        let browser = PageBrowser(stage.site)
        let state = try StandInProvider.request(stage.begin(browser))["state"] ?? ""
        let page = try stage.post(
            browser,
            [
                "error": "user_cancelled_authorize", "state": state,
                "iss": stage.provider.issuerName,
            ])
        #expect(page.status == 403 && page.alert?.contains("You didn’t continue") == true)
    }
}
