import Domain
import Foundation
import Postgres
import TestSupport
import Testing

/// Spellings of one mailbox: the domain in its own script, in capitals and as an A-label.
@Suite("Spellings of one mailbox")
struct OneMailboxTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private static func network() -> String {
        "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
    }

    /// Three spellings of one unused mailbox.
    private static func spellings() throws -> [String] {
        let name = "\(UserID.random())".prefix(8)
        let typed = "gast@mü\(name).example"
        let mailbox = try #require(EmailAddress(typed)?.mailbox)
        return [typed, "gast@MÜ\(name.uppercased()).Example", mailbox]
    }

    @Test("a code mailed to any spelling signs in to one account, which shows the first spelling")
    func account() throws {
        let spellings = try Self.spellings()
        let users = try spellings.map { spelling in
            let ticket = try site.ticket(for: spelling, client: Self.network())
            let stored = try #require(EmailAddress(spelling)?.text)
            let client = try SessionClient(
                site, site.verify(ticket, site.mailed(to: stored).code))
            #expect(try client.get("/api/me").text("email") == spellings[0])
            return client.user
        }
        #expect(Set(users).count == 1)
    }

    @Test("limits count codes and passwords of all spellings together")
    func limits() throws {
        let spellings = try Self.spellings()
        for turn in 0..<3 {
            _ = try site.ticket(for: spellings[turn % 3], client: Self.network())
        }
        let counted = try Connection(site.test.settings()).query(
            """
            SELECT hits FROM app.rate_limits WHERE bucket = 'mailed-code:address:'
                || encode(sha256(convert_to(\(spellings[2]), 'UTF8')), 'hex')
            """
        ).scalar(Int32.self)
        #expect(counted == 3)
        for spelling in spellings {
            _ = try site.signIn(spelling, "not the password", client: Self.network())
        }
        let tried = try Connection(site.test.settings()).query(
            """
            SELECT hits FROM app.rate_limits WHERE bucket = 'password:account:'
                || encode(sha256(convert_to(\(spellings[2]), 'UTF8')), 'hex')
            """
        ).scalar(Int32.self)
        #expect(tried == 3)
    }

    @Test("an invitation to one spelling is received by an account that has proved another")
    func invitation() throws {
        let spellings = try Self.spellings()
        let home = try site.home()
        _ = try home.invite(spellings[1])
        let again = try home.admin.post(
            "/api/family/invite",
            #"{"email": "\#(spellings[2])", "role": "parent", "familyUnitId": "\#(home.id)"}"#)
        // A mailbox has one pending invitation, which is sent again too soon.
        #expect(again.status == 429, "\(again)")
        let invited = try site.person(.parent, email: spellings[0])
        let listed = try invited.get("/api/me/invitations").json["invitations"].elements()
        let id = try #require(listed.first)["id"].string()
        let accepted = try invited.post("/api/me/invitations/\(id)/accept", "{}")
        #expect(accepted.status == 200, "\(accepted)")
        let member = try home.admin.post(
            "/api/family/invite",
            #"{"email": "\#(spellings[2])", "role": "parent", "familyUnitId": "\#(home.id)"}"#)
        #expect(member.text("code") == "person_already_member", "\(member)")
    }

    @Test("a request beyond a limit stores nothing about the address's domain")
    func bounded() throws {
        let network = Self.network()
        var status = 202
        for turn in 0...60 where status == 202 {
            let email = "gast@ü\(turn)\("\(UserID.random())".prefix(6)).example"
            status = try site.auth("email", #"{"email": "\#(email)"}"#, client: network).status
            let known = try Connection(site.test.settings()).query(
                """
                SELECT count(*) FROM app.domain_labels
                WHERE spelling = split_part(\(email), '@', 2)
                """
            ).scalar(Int.self)
            #expect(known == (status == 202 ? 1 : 0))
        }
        #expect(status == 429)
    }

    @Test("a domain that can't be registered makes the address invalid")
    func refused() throws {
        for domain in ["a\u{2E2E}b.example", "ü\(String(repeating: "n", count: 60)).example"] {
            let answer = try site.auth("email", #"{"email": "gast@\#(domain)"}"#)
            #expect(answer.status == 400, "\(domain) \(answer)")
        }
    }
}
