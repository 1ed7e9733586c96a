import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// Refusing invitations with an e-mail's link "Stop these invitations", and lifting the refusal.
@Suite("Refusing invitations by e-mail")
struct RefusedInvitationTests {
    private let office: PostOffice
    private let api: APIProcess
    private let server: MailServer
    private let worker: ChildProgram

    init() throws {
        office = try PostOffice()
        api = try APIProcess(office)
        server = try MailServer(.aiosmtpd)
        worker = try office.worker(server, ["HEARTH_PUBLIC_URL": api.url])
    }

    /// Invites the address to the inviter's own family.
    private func invite(_ address: String, by inviter: RequestContext) throws -> InvitationID {
        try office.invite(address, by: inviter).id
    }

    private func message(_ number: Int) throws -> ReadMessage {
        try eventually { try server.messages().count >= number }
        let messages = try server.messages()
        #expect(messages.count == number)
        return try ReadMessage(try #require(messages.last))
    }

    private func awaitEnded(_ count: Int) throws {
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM app.family_invitations
                WHERE delivery_status = 'failed' AND status = 'pending'
                """) == count
        }
    }

    @Test("refusing one family's invitations, or all, stops that mail until an operator allows it")
    func refused() throws {
        defer { worker.kill() }
        let address = "ada@example.org"
        let inviters = (0..<3).map { RequestContext.person(name: "Inviter \($0)") }
        for inviter in inviters { try office.createFamily(by: inviter) }
        _ = try invite(address, by: inviters[0])
        let first = try message(1)
        let link = try #require(
            first.text.firstMatch(of: /Stop these invitations: (\S+)/)
        ).output.1
        let source = try String(
            decoding: #require(server.messages().last), as: UTF8.self)
        #expect(source.contains("List-Unsubscribe: <\(link)>"))
        #expect(source.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"))

        let page = try api.open("GET", String(link))
        #expect(page.status == 200 && page.text.contains("action=\"refuse-invitations?token="))
        #expect(try office.count("SELECT count(*) FROM app.refused_invitations") == 0)
        let clicked = try api.open("POST", String(link), form: "List-Unsubscribe=One-Click")
        #expect(clicked.status == 200, "\(clicked.text)")
        #expect(try api.open("POST", String(link)).status == 200)
        #expect(try office.count("SELECT count(*) FROM app.refused_invitations") == 1)

        try office.execute(
            "UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'")
        _ = try invite(address, by: inviters[0])
        try awaitEnded(1)
        _ = try invite(address, by: inviters[1])
        let second = try message(2)
        let other = try #require(
            second.text.firstMatch(of: /Stop these invitations: (\S+)/)
        ).output.1
        #expect(try api.open("POST", other + "&all=true").status == 200)
        _ = try invite(address, by: inviters[2])
        try awaitEnded(2)
        #expect(try server.messages().count == 2)

        let listed = try admin(["mail", "list", "--json"])
        #expect(listed.text.contains(address) && listed.text.contains("wants no invitations"))
        #expect(try admin(["mail", "unsuppress", address]).code == 0)
        #expect(try admin(["mail", "suppress", address]).code == 0)
        #expect(try admin(["mail", "list"]).text.contains("an operator wants it so"))
        #expect(try office.count("SELECT count(*) FROM app.refused_invitations") == 0)
    }

    @Test("refusing invitations with an unknown token changes nothing")
    func unknown() throws {
        defer { worker.kill() }
        let path = "/refuse-invitations?token="
        #expect(try api.send("GET", path + String(repeating: "x", count: 43)).status == 404)
        #expect(try api.send("POST", path + String(repeating: "x", count: 43)).status == 404)
        #expect(try api.send("POST", path + "short").status == 404)
        #expect(try api.send("POST", "/refuse-invitations").status == 400)
    }

    private func admin(_ arguments: [String]) throws -> (code: Int32?, text: String) {
        let file = office.folder.appendingPathComponent("admin-\(UUID().uuidString)")
        try Data().write(to: file)
        let program = try Subprocess(
            PostOffice.program("hearth-admin"), arguments,
            environment: [
                "HEARTH_ADMIN_DATABASE_URL": office.test.url(as: "hearth_admin"),
                "HEARTH_OPERATOR": "jo",
            ], output: .file(try FileHandle(forWritingTo: file)))
        try program.wait()
        return (program.exitCode, try String(contentsOf: file, encoding: .utf8))
    }
}
