import Foundation
import MailSupport
import TestSupport
import Testing

@Suite("An invitation from HTTP to a mail server and back")
struct JourneyTests {
    private static let familyName = #"Die "Müllers" & <Söhne> 🏡 d'Été"#
    private static let inviterName = "Zoë \"Zo\" Łąka 👩‍👧 \\ O'Neil"

    private let office: PostOffice
    private let api: APIProcess
    private let server: MailServer

    init() throws {
        office = try PostOffice()
        api = try APIProcess(office)
        server = try MailServer(.aiosmtpd)
    }

    /// Creates a family over HTTP; returns its id.
    private func family(of token: String, named name: String) throws -> String {
        let created = try api.send(
            "POST", "/api/family/create", token: token, body: ["familyName": name])
        #expect(created.status == 200 || created.status == 201, "\(created.text)")
        return try #require(try created.field("familyId"))
    }

    private func invite(_ address: String, by token: String) throws {
        let sent = try api.send(
            "POST", "/api/family/invite", token: token,
            body: ["email": address, "role": "parent"])
        #expect(sent.status == 200, "\(sent.text)")
    }

    @Test(
        "an e-mail has names unchanged, and its link shows the invitation and admits its addressee"
    )
    func whole() throws {
        let inviter = try api.token(
            of: Person(name: Self.inviterName, email: "zo@example.org"))
        let family = try family(of: inviter, named: Self.familyName)
        let worker = try office.worker(server, ["HEARTH_PUBLIC_URL": api.url])
        try invite("aunt@example.org", by: inviter)
        try eventually { try office.done() == 1 }

        let bytes = try #require(try server.messages().first)
        #expect(bytes.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count <= 998 })
        let message = try ReadMessage(bytes)
        #expect(message.defects.isEmpty && message.type == "multipart/alternative")
        #expect(message.to == "aunt@example.org")
        #expect(message.subject == "\(Self.inviterName) invites you to join \(Self.familyName)")
        #expect(message.text.contains("\(Self.inviterName) invites you to join"))
        let link = try #require(message.link)
        #expect(link.hasPrefix(api.url + "/join?token=") && message.html.contains(link))

        let page = try api.open("GET", link)
        #expect(page.status == 200 && page.text.contains("&amp; &lt;Söhne&gt; 🏡"))
        let token = try #require(message.token)
        let preview = try api.send("GET", "/api/family/invite/\(token)")
        #expect(preview.status == 200)
        #expect(try preview.field("familyName") == Self.familyName)
        #expect(try preview.field("inviterName") == Self.inviterName)

        let stranger = try api.token(of: Person(email: "other@example.org"))
        let refused = try api.send(
            "POST", "/api/family/invite/\(token)/accept", token: stranger, body: [:])
        #expect(refused.status == 403)
        let aunt = try api.token(of: Person(name: "Aunt", email: "aunt@example.org"))
        let accepted = try api.send(
            "POST", "/api/family/invite/\(token)/accept", token: aunt, body: [:])
        #expect(accepted.status == 200, "\(accepted.text)")
        let members = try api.send(
            "GET", "/api/family/members?familyId=\(family)", token: aunt)
        #expect(members.status == 200 && members.text.contains("aunt@example.org"))
        worker.signal(SIGTERM)
        try worker.awaitEnd()
        #expect(worker.exitCode == 0)
    }

    @Test("a line break in a name is refused or becomes a blank, and never reaches a header")
    func lineBreaks() throws {
        let inviter = try api.token(
            of: Person(name: "Bo\r\nBcc: all@example.org\n\nHello", email: "b@example.org"))
        let refused = try api.send(
            "POST", "/api/family/create", token: inviter,
            body: ["familyName": "Gulls\r\nBcc: all@example.org"])
        #expect(refused.status == 400)
        _ = try family(of: inviter, named: "Gulls")
        let worker = try office.worker(server, ["HEARTH_PUBLIC_URL": api.url])
        defer { worker.kill() }
        try invite("aunt@example.org", by: inviter)
        try eventually { try office.done() == 1 }
        let message = try ReadMessage(try #require(try server.messages().first))
        #expect(message.defects.isEmpty)
        #expect(!message.headers.contains { $0.lowercased() == "bcc" })
        #expect(
            message.subject
                == "Bo Bcc: all@example.\u{2060}org Hello invites you to join Gulls")
        #expect(message.to == "aunt@example.org")
    }
}
