import Foundation
import Identity
import MailSupport
import TestSupport
import Testing

/// A reset that an operator sends, with the real programs and a mail server.
@Suite("A password reset that an operator sends")
struct ResetByOperatorTests {
    private let office: PostOffice
    private let api: APIProcess

    init() throws {
        office = try PostOffice()
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        api = try APIProcess(office, ["HEARTH_SIGNING_KEYS_FILE": keys])
    }

    private func admin(_ words: [String]) throws -> Int32 {
        let program = try ChildProgram(
            PostOffice.program("hearth-admin"), words,
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": office.test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo", "HEARTH_SECRET_KEY": PostOffice.secret,
                "HEARTH_PUBLIC_URL": api.url,
            ])
        _ = try program.wholeOutput()
        return program.exitCode
    }

    private func messages(_ count: Int, of server: MailServer) throws -> [ReadMessage] {
        try eventually { try server.messages().count >= count }
        return try server.messages().map { try ReadMessage($0) }
    }

    @Test("a reset link sets a password once and ends all sessions, unless the person is blocked")
    func link() throws {
        let server = try MailServer(.aiosmtpd)
        let worker = try office.worker(server, ["HEARTH_PUBLIC_URL": api.url])
        defer { worker.kill() }
        let email = "ada@example.org"
        let sent = try api.send("POST", "/api/auth/email", body: ["email": email])
        let code = try #require(
            try messages(1, of: server)[0].text.firstMatch(of: /\n +([0-9]{6})\n/)
        ).output.1
        let signedIn = try api.send(
            "POST", "/api/auth/email/verify",
            body: ["ticket": try #require(try sent.field("ticket")), "code": String(code)])
        let token = try #require(try signedIn.field("access_token"))

        func newLink(_ count: Int) throws -> String {
            #expect(try admin(["user", "send-reset", email]) == 0)
            let message = try #require(try messages(count, of: server).last)
            #expect(message.to == email)
            let link = /\/reset-password\?token=([A-Za-z0-9_-]+)/
            return String(try #require(message.text.firstMatch(of: link)).output.1)
        }
        let password = "an unusual long sentence"
        let first = try newLink(2)
        let path = "/api/auth/password/reset"
        let done = try api.send("POST", path, body: ["token": first, "password": password])
        #expect(done.status == 200, "\(done.text)")
        #expect(try api.send("GET", "/api/me", token: token).status == 401)
        let again = try api.send("POST", path, body: ["token": first, "password": password])
        #expect(again.status == 410)
        let login = try api.send(
            "POST", "/api/auth/sign-in", body: ["email": email, "password": password])
        #expect(login.status == 200, "\(login.text)")

        // The owner is told of the first password before the next link comes.
        _ = try messages(3, of: server)
        let second = try newLink(4)
        #expect(try admin(["user", "block", email, "--reason", "spam", "--yes"]) == 0)
        let refused = try api.send("POST", path, body: ["token": second, "password": password])
        #expect(refused.status == 403, "\(refused.text)")
        #expect(try admin(["user", "send-reset", email]) == 1)
    }
}
