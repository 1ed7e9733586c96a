import Domain
import Foundation
import Identity
import MailSupport
import Synchronization
import TestSupport
import Testing

/// Sign-in with the real programs: hearth-api, hearth-worker, hearth-admin and a mail server.
@Suite("Signing in, from HTTP to a mail server and back")
struct SignInJourneyTests {
    private let office: PostOffice
    private let keys: String
    private let api: APIProcess

    init() throws {
        office = try PostOffice()
        keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        api = try APIProcess(office, ["HEARTH_SIGNING_KEYS_FILE": keys])
    }

    private static let password = "gull kettle north 88 moss"

    private func post(_ route: String, _ body: [String: String]) throws -> APIProcess.Answer {
        try api.send("POST", "/api/auth/" + route, body: body)
    }

    /// The newest message of a server, once it has `number` messages.
    private func message(_ number: Int, of server: MailServer) throws -> ReadMessage {
        try eventually { try server.messages().count >= number }
        let messages = try server.messages()
        #expect(messages.count == number)
        return try ReadMessage(try #require(messages.last))
    }

    private func code(in message: ReadMessage) throws -> String {
        String(try #require(message.text.firstMatch(of: /\n +([0-9]{6})\n/)).output.1)
    }

    @Test("mailed codes and links work for signing in, signing up and resetting a password")
    func mails() throws {
        let server = try MailServer(.aiosmtpd)
        let worker = try office.worker(
            server,
            [
                "HEARTH_PUBLIC_URL": api.url, "HEARTH_APP_NAME": "Die Möwen",
                "HEARTH_APP_SCHEME": "gulls",
            ])
        defer { worker.kill() }
        let ada = "ada@example.org"
        let sent = try post("email", ["email": ada])
        #expect(sent.status == 202)
        let first = try message(1, of: server)
        #expect(first.to == ada && first.subject.hasSuffix("is your code for Die Möwen"))
        #expect(first.defects.isEmpty && first.text.contains(api.url + "/sign-in?token="))
        let ticket = try #require(try sent.field("ticket"))
        let signedIn = try post(
            "email/verify", ["ticket": ticket, "code": code(in: first), "device": "Phone"])
        #expect(signedIn.status == 200, "\(signedIn.text)")

        let bea = "bea@example.org"
        let up = try post(
            "sign-up", ["email": bea, "password": Self.password, "fullName": "Bea"])
        let second = try message(2, of: server)
        #expect(!second.text.contains("http"), "a link would keep no password")
        let signedUp = try post(
            "email/verify",
            ["ticket": try #require(try up.field("ticket")), "code": code(in: second)])
        #expect(signedUp.status == 200, "\(signedUp.text)")
        let entered = try post("sign-in", ["email": bea, "password": Self.password])
        #expect(entered.status == 200)

        _ = try post("sign-up", ["email": bea, "password": "another kettle 77 gull"])
        let known = try message(3, of: server)
        #expect(known.subject == "You already have a Die Möwen account")
        #expect(known.text.hasPrefix("Hello Bea,"))
        #expect(known.text.firstMatch(of: /\b[0-9]{6}\b/) == nil)

        _ = try post("password/forgot", ["email": "nobody@example.org"])
        _ = try post("password/forgot", ["email": bea])
        let forgotten = try message(4, of: server)
        let link = try #require(
            forgotten.text.firstMatch(of: /\/reset-password\?token=([A-Za-z0-9_-]{43})\s/))
        #expect(forgotten.text.contains("gulls://reset-password?token=\(link.output.1)"))
        let other = "terns circle the 9 grey piers"
        let reset = try post(
            "password/reset", ["token": String(link.output.1), "password": other])
        #expect(reset.status == 200)
        #expect(try message(5, of: server).subject == "Your password was changed")
        let token = try #require(try entered.field("access_token"))
        #expect(try api.send("GET", "/api/me", token: token).status == 401)
        #expect(try post("sign-in", ["email": bea, "password": other]).status == 200)

        let start = try #require(try signedIn.field("refresh_token"))
        var next = start
        for _ in 1...3 {
            next = try #require(
                try post("refresh", ["refresh_token": next]).field("refresh_token"))
        }
        #expect(try post("refresh", ["refresh_token": start]).status == 401)
        let told = try message(6, of: server)
        #expect(told.to == ada && told.subject == "You were signed out on one of your devices")
        for secret in [ticket, start, next, Self.password, other, String(link.output.1), ada] {
            #expect(try !api.log().contains(secret))
            #expect(try !office.log().contains(secret))
        }
    }

    /// Whether or not the killed process has rotated the token, the client, which got no response,
    /// can continue with its token.
    @Test("kill -9 during a refresh signs nobody out")
    func killed() throws {
        let person = Person()
        let begun = try post("exchange", ["token": api.token(of: person)])
        var refresh = try #require(try begun.field("refresh_token"))
        for round in 0..<6 {
            let victim = try APIProcess(
                office, ["HEARTH_SIGNING_KEYS_FILE": keys, "HEARTH_PUBLIC_URL": api.url])
            let token = refresh
            let answered = Atomic(0)
            let asking = (0..<4).map { _ in
                inBackground {
                    // Some of these requests get no response.
                    _ = try? victim.send(
                        "POST", "/api/auth/refresh", body: ["refresh_token": token])
                    answered.add(1, ordering: .releasing)
                }
            }
            // Kill before any response, or after one or two, while others are in progress.
            try eventually { answered.load(ordering: .acquiring) >= round % 3 }
            victim.process.kill()
            for asker in asking { try asker.wait() }
            let answer = try post("refresh", ["refresh_token": token])
            #expect(answer.status == 200, "\(answer.text)")
            refresh = try #require(try answer.field("refresh_token"))
        }
        let sessions = try office.count("SELECT count(*) FROM app.sessions WHERE ended_at IS NULL")
        #expect(sessions == 1)
    }

    @Test("running programs load rotated keys, and nobody is signed out")
    func rotated() throws {
        let begun = try post("exchange", ["token": api.token(of: Person())])
        let old = try #require(try begun.field("access_token"))
        let rotated = try ChildProgram(
            PostOffice.program("hearth-admin"), ["keys", "rotate"],
            environment: ["HEARTH_SIGNING_KEYS_FILE": keys])
        try rotated.awaitEnd()
        #expect(rotated.exitCode == 0)
        try eventually(within: 60) {
            try api.send("GET", "/.well-known/jwks.json").text.ranges(of: "\"kid\"").count == 2
        }
        let refresh = try #require(try begun.field("refresh_token"))
        let new = try #require(
            try post("refresh", ["refresh_token": refresh]).field("access_token"))
        #expect(old.prefix { $0 != "." } != new.prefix { $0 != "." })
        for token in [old, new] {
            #expect(try api.send("GET", "/api/me", token: token).status == 200)
        }
    }
}
