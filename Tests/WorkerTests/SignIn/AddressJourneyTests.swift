import Foundation
import Identity
import MailSupport
import Postgres
import TestSupport
import Testing

/// Changes of an address with the real programs: hearth-api, hearth-worker, hearth-admin and a mail
/// server.
@Suite("Changing an address, from HTTP to a mail server and back")
struct AddressJourneyTests {
    private let office: PostOffice
    private let api: APIProcess

    init() throws {
        office = try PostOffice()
        let keys = office.folder.appendingPathComponent("signing-keys.pem").path
        try SigningKeys.create(keys)
        api = try APIProcess(office, ["HEARTH_SIGNING_KEYS_FILE": keys])
    }

    private func code(in message: ReadMessage) throws -> String {
        String(try #require(message.text.firstMatch(of: /\n +([0-9]{6})\n/)).output.1)
    }

    /// The newest message to an address, once the server has `number` messages.
    private func message(_ number: Int, to address: String, of server: MailServer) throws
        -> ReadMessage
    {
        try eventually { try server.messages().count >= number }
        let messages = try server.messages().map { try ReadMessage($0) }
        #expect(messages.count == number)
        return try #require(messages.last { $0.to == address })
    }

    private func setAddress(of user: String, to address: String) throws -> (
        code: Int32, text: String
    ) {
        let program = try ChildProgram(
            PostOffice.program("hearth-admin"), ["user", "set-address", user, address, "--yes"],
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": office.test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo", "HEARTH_SECRET_KEY": PostOffice.secret,
                "HEARTH_PUBLIC_URL": api.url,
            ])
        let output = String(decoding: try program.wholeOutput(), as: UTF8.self)
        return (program.exitCode, output)
    }

    @Test("a code changes the person's own address, and so does a link that an operator has mailed")
    func both() throws {
        let server = try MailServer(.aiosmtpd)
        let worker = try office.worker(server, ["HEARTH_PUBLIC_URL": api.url])
        defer { worker.kill() }
        let (ada, new, third) = ("ada@example.org", "ada@example.net", "ada@example.com")
        let sent = try api.send("POST", "/api/auth/email", body: ["email": ada])
        let signedIn = try api.send(
            "POST", "/api/auth/email/verify",
            body: [
                "ticket": try #require(try sent.field("ticket")),
                "code": code(in: try message(1, to: ada, of: server)),
            ])
        let token = try #require(try signedIn.field("access_token"))

        let asked = try api.send("POST", "/api/me/email", token: token, body: ["email": new])
        #expect(asked.status == 202, "\(asked.text)")
        let letter = try message(3, to: new, of: server)
        #expect(letter.subject.hasSuffix("is your code for your new address"))
        #expect(!letter.text.contains("http"), "only the code changes the address")
        let notice = try message(3, to: ada, of: server)
        #expect(notice.subject == "The address of your account is about to change")
        #expect(!notice.text.contains(new))
        let done = try api.send(
            "POST", "/api/me/email/verify", token: token,
            body: ["ticket": try #require(try asked.field("ticket")), "code": code(in: letter)])
        #expect(done.status == 200, "\(done.text)")
        let profile = try api.send("GET", "/api/me", token: token)
        #expect(try profile.field("email") == new)

        #expect(try setAddress(of: new, to: new).code == 1)
        #expect(try setAddress(of: new, to: third).code == 0)
        #expect(try message(5, to: new, of: server).subject.contains("about to change"))
        let confirm = try message(5, to: third, of: server)
        let link = try #require(
            confirm.text.firstMatch(of: /\/sign-in\?token=([A-Za-z0-9_-]{43})\s/))
        #expect(try api.send("GET", "/api/me", token: token).field("email") == new)
        let entered = try api.send(
            "POST", "/api/auth/email/verify", body: ["linkToken": String(link.output.1)])
        #expect(entered.status == 200, "\(entered.text)")
        #expect(try api.send("GET", "/api/me", token: token).status == 401, "its session ended")
        let again = try #require(try entered.field("access_token"))
        let after = try api.send("GET", "/api/me", token: again)
        #expect(try after.field("email") == third)
        #expect(try after.field("id") == profile.field("id"))
        try Connection(office.test.settings()).query(
            """
            INSERT INTO app.operators (user_id, role, added_by)
            SELECT id, 'admin', 'test' FROM app.users WHERE email = \(third)
            """)
        let refused = try setAddress(of: third, to: new)
        #expect(refused.code == 1, "\(refused.text)")
        let own = try api.send("POST", "/api/me/email", token: again, body: ["email": new])
        #expect(try own.status == 409 && own.field("code") == "operator_role_stands")
        for secret in [ada, new, third, String(link.output.1)] {
            #expect(try !api.log().contains(secret))
            #expect(try !office.log().contains(secret))
        }
    }
}
