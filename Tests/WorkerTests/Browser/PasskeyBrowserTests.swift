import Crypto
import Foundation
import Identity
import JSON
import MailSupport
import TestSupport
import Testing

/// Passkeys in a real browser: Chromium creates and uses them, hearth-api accepts them.
@Suite("Passkeys in a browser", .enabled(if: Browser.isThere), .serialized)
struct PasskeyBrowserTests {
    private let office: PostOffice
    private let browser: Browser
    private let keys: String

    init() throws {
        office = try PostOffice()
        keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        browser = try Browser()
    }

    /// Starts an API at `localhost`: browsers create no passkeys for numeric addresses.
    private func api(_ more: [String: String] = [:]) throws -> (APIProcess, site: String) {
        let port = try FreePort.find()
        let site = "http://localhost:\(port)"
        let settings = [
            "HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": site,
            "HEARTH_LISTEN": "127.0.0.1:\(port)",
        ]
        return (try APIProcess(office, at: port, settings.merging(more) { $1 }), site)
    }

    private func send(
        _ api: APIProcess, _ method: String, _ path: String, _ body: JSONValue? = nil,
        as token: String? = nil
    ) throws -> (status: Int, json: JSONField) {
        let answer = try api.send(method, path, token: token, json: body)
        return (answer.status, JSONField(try JSONValue(parsing: Array(answer.body))))
    }

    private func session(_ api: APIProcess) throws -> String {
        let begun = try send(
            api, "POST", "/api/auth/exchange", ["token": .string(try api.token(of: Person()))])
        return try begun.json["access_token"].string()
    }

    private func options(
        _ api: APIProcess, _ purpose: String, as token: String? = nil
    ) throws -> JSONValue {
        let answer = try send(
            api, "POST", "/api/auth/passkeys/options", ["purpose": .string(purpose)], as: token)
        return try #require(try answer.json["publicKey"].value)
    }

    private func create(_ options: JSONValue) throws -> JSONValue {
        try #require(
            try browser.run(
                """
                const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(args[0]);
                return (await navigator.credentials.create({publicKey})).toJSON();
                """, options
            ).value)
    }

    private func get(_ options: JSONValue) throws -> JSONValue {
        try #require(
            try browser.run(
                """
                const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(args[0]);
                return (await navigator.credentials.get({publicKey})).toJSON();
                """, options
            ).value)
    }

    @Test("a passkey is created, used and removed; a replayed response and a copy are refused")
    func wholeWay() throws {
        let (api, site) = try api()
        let token = try session(api)
        let authenticator = try browser.addAuthenticator()
        try browser.open(site + "/docs")
        let made = try create(try options(api, "register", as: token))
        let added = try send(
            api, "POST", "/api/auth/passkeys/register",
            ["credential": made, "label": "Chromium"], as: token)
        try #require(added.status == 200, "\(added.json)")
        let id = try added.json["passkeys"].elements()[0]["id"].string()

        // The authenticator creates no second passkey for the same account.
        let again = try options(api, "register", as: token)
        #expect(throws: Browser.Failure.self) { try create(again) }

        func assert(_ credential: JSONValue) throws -> (status: Int, json: JSONField) {
            try send(api, "POST", "/api/auth/passkeys/assert", ["credential": credential])
        }
        let answer = try get(try options(api, "assert"))
        let signedIn = try assert(answer)
        try #require(signedIn.status == 200, "\(signedIn.json)")
        #expect(try signedIn.json["session"]["method"].string() == "passkey")
        let replayed = try assert(answer)
        #expect(replayed.status == 410)
        #expect(try replayed.json["code"].string() == "challenge_expired")

        // A copy of the authenticator, from before the passkey was used again.
        let copies = try browser.credentials(of: authenticator)
        #expect(copies.count == 1)
        #expect(try assert(get(options(api, "assert"))).status == 200)
        try browser.removeAuthenticator(authenticator)
        let other = try browser.addAuthenticator()
        for copy in copies { try browser.add(copy, to: other) }
        let copied = try assert(get(options(api, "assert")))
        #expect(copied.status == 401)
        #expect(try copied.json["code"].string() == "passkey_refused")
        #expect(try api.log().contains("a passkey was refused as a probable copy"))

        let removed = try send(api, "DELETE", "/api/me/passkeys/\(id)", as: token)
        #expect(removed.status == 200)
        #expect(try assert(get(options(api, "assert"))).status == 401)
    }

    @Test("a response from another origin is refused unless the settings name that origin")
    func origins() throws {
        let (api, site) = try api()
        let elsewhere = try PasskeyPage(form: "", api: site)
        let token = try session(api)
        _ = try browser.addAuthenticator()
        try browser.open(elsewhere.origin + "/page")
        let made = try create(try options(api, "register", as: token))
        let refused = try send(
            api, "POST", "/api/auth/passkeys/register", ["credential": made], as: token)
        #expect(refused.status == 400)
        #expect(try refused.json["code"].string() == "passkey_invalid")
        #expect(try refused.json["message"].string().contains("origin"))

        // Another process with the same database and keys, which accepts that origin too.
        let (open, _) = try self.api([
            "HEARTH_PUBLIC_URL": site, "HEARTH_PASSKEY_ORIGINS": elsewhere.origin,
        ])
        let taken = try send(
            open, "POST", "/api/auth/passkeys/register", ["credential": made], as: token)
        #expect(taken.status == 200)
        let answer = try get(try options(api, "assert"))
        let path = "/api/auth/passkeys/assert"
        #expect(try send(api, "POST", path, ["credential": answer]).status == 400)
        #expect(try send(open, "POST", path, ["credential": answer]).status == 200)
    }

    @Test("passkeys.js fills and sends the pages' forms under a strict content security policy")
    func script() throws {
        let port = try FreePort.find()
        let site = "http://localhost:\(port)"
        let page = try PasskeyPage(form: #"data-passkey="get""#, api: site)
        let api = try APIProcess(
            office, at: port,
            [
                "HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": site,
                "HEARTH_LISTEN": "127.0.0.1:\(port)", "HEARTH_PASSKEY_ORIGINS": page.origin,
                "HEARTH_CORS_ORIGINS": page.origin,
            ])
        let token = try session(api)
        let registration = try send(
            api, "POST", "/api/auth/passkeys/options", ["purpose": "register"], as: token)
        let text = try #require(registration.json.value).text()
            .replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let creating = try PasskeyPage(
            form: #"data-passkey="create" data-options="\#(text)""#, api: site)
        // The script asks for options at one origin, and the answer comes from another origin of
        // this machine.
        let (open, _) = try self.api([
            "HEARTH_PUBLIC_URL": site,
            "HEARTH_PASSKEY_ORIGINS": "\(creating.origin),\(page.origin)",
        ])
        _ = try browser.addAuthenticator()
        let made = try sent(by: creating)
        let added = try send(
            open, "POST", "/api/auth/passkeys/register", ["credential": made], as: token)
        try #require(added.status == 200, "\(added.json)")
        let answer = try sent(by: page)
        let signedIn = try send(
            open, "POST", "/api/auth/passkeys/assert", ["credential": answer])
        #expect(signedIn.status == 200, "\(signedIn.json)")
    }

    /// Presses the button of a page's form and returns the credential that the form sends.
    private func sent(by page: PasskeyPage) throws -> JSONValue {
        try browser.open(page.origin + "/page")
        let isShown = try browser.run("return !document.querySelector('form').hidden").bool()
        #expect(isShown)
        try browser.run("document.querySelector('button').click()")
        try eventually(within: 60) { try browser.address.contains("/sent") }
        let query = try #require(URLComponents(string: try browser.address)?.queryItems)
        let text = try #require(query.first { $0.name == "credential" }?.value)
        return try JSONValue(parsing: Array(text.utf8))
    }
}
