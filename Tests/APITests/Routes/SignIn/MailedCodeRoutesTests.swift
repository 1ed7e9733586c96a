import Domain
import Postgres
import TestSupport
import Testing

@Suite("The routes of mailed codes")
struct MailedCodeRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// A client address of this test's own: attempts are counted by network.
    private static func network() -> String {
        "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
    }

    private func ticket(for email: String) throws -> String {
        try site.ticket(for: email, client: Self.network())
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("a code signs in; the first time it makes an account with a verified address")
    func verified() throws {
        let email = Site.address()
        let first = try site.verify(ticket(for: email), site.mailed(to: email).code)
        #expect(try first.json["isNew"].bool())
        #expect(try first.json["session"]["method"].string() == "email")
        let client = try SessionClient(site, first)
        #expect(try client.get("/api/me").text("email") == email)
        let second = try site.verify(ticket(for: email), site.mailed(to: email).code)
        #expect(try !second.json["isNew"].bool())
        #expect(try SessionClient(site, second).user == client.user)
    }

    @Test("an invitation to the proved address is the newcomer's to accept")
    func invited() throws {
        let home = try site.home()
        let email = Site.address()
        _ = try home.invite(email)
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        let listed = try client.get("/api/me/invitations").json["invitations"].elements()
        let id = try #require(listed.first)["id"].string()
        let accepted = try client.send("POST", "/api/me/invitations/\(id)/accept", "{}")
        #expect(accepted.status == 200, "\(accepted)")
    }

    @Test("a proved address signs in as the oldest account in a family that has verified it")
    func existing() throws {
        let email = Site.address()
        let alone = try site.person(.parent, email: email)
        _ = try alone.get("/api/me")
        let member = try site.person(.parent, email: email)
        _ = try site.createFamily(by: member)
        _ = try site.person(.parent, email: email).get("/api/me")
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(client.user == "\(member.id)")
        // And stays that one's, whoever joins a family later.
        _ = try site.createFamily(by: alone)
        let again = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(again.user == "\(member.id)")
    }

    @Test("an unverified address matches nobody")
    func unverified() throws {
        let email = Site.address()
        let person = try site.person(.parent, email: email)
        _ = try person.get("/api/me")
        try Connection(site.test.settings()).query(
            "UPDATE app.users SET email_verified = false WHERE id = \(person.id.rawValue)")
        let client = try SessionClient(
            site, site.verify(ticket(for: email), site.mailed(to: email).code))
        #expect(client.user != "\(person.id)")
    }

    @Test("five tries, each counted; then not even the right code")
    func tries() throws {
        let email = Site.address()
        let ticket = try ticket(for: email)
        let code = try site.mailed(to: email).code
        for left in (0..<5).reversed() {
            let answer = try site.verify(ticket, wrong(code))
            #expect(answer.says(400, "code_wrong"))
            #expect(try answer.json["attemptsLeft"].integer() == Int64(left))
        }
        #expect(try site.verify(ticket, code).says(410, "code_expired"))
    }

    @Test("code and ticket belong together: nobody else's ticket burns or uses it")
    func together() throws {
        let (email, other) = (Site.address(), Site.address())
        let (mine, theirs) = (try ticket(for: email), try ticket(for: other))
        let code = try site.mailed(to: email).code
        if try site.mailed(to: other).code != code {
            for _ in 0..<5 { #expect(try site.verify(theirs, code).says(400, "code_wrong")) }
        }
        for ticket in ["", "x", String(repeating: "A", count: 43)] {
            #expect(try site.verify(ticket, code).says(410, "code_expired"))
        }
        #expect(try site.verify(mine, code).status == 200)
        #expect(try site.verify(mine, code).says(410, "code_expired"))
    }

    @Test("link and code of one mail count as one, whichever comes first")
    func link() throws {
        let email = Site.address()
        var ticket = try ticket(for: email)
        var mailed = try site.mailed(to: email)
        func open(_ token: String) throws -> Answer {
            try site.auth("email/verify", #"{"linkToken": "\#(token)"}"#)
        }
        #expect(try open(mailed.linkToken).status == 200)
        #expect(try open(mailed.linkToken).says(410, "code_expired"))
        #expect(try site.verify(ticket, mailed.code).says(410, "code_expired"))
        ticket = try self.ticket(for: email)
        mailed = try site.mailed(to: email)
        #expect(try site.verify(ticket, mailed.code).status == 200)
        #expect(try open(mailed.linkToken).says(410, "code_expired"))
        #expect(try open("x").says(410, "code_expired"))
        #expect(try site.auth("email/verify", "{}").says(400, "missing_field"))
    }

    @Test("a late code and a late link are over")
    func late() throws {
        let email = Site.address()
        let ticket = try ticket(for: email)
        let mailed = try site.mailed(to: email)
        try Connection(site.test.settings()).query(
            "UPDATE app.mailed_tickets SET expires_at = now() WHERE email = \(email)")
        #expect(try site.verify(ticket, mailed.code).says(410, "code_expired"))
        let opened = try site.auth(
            "email/verify", #"{"linkToken": "\#(mailed.linkToken)"}"#)
        #expect(opened.says(410, "code_expired"))
    }

    @Test("of fifty right codes at once, one opens a session; of fifty wrong ones, five count")
    func atOnce() throws {
        let site = try site
        let email = Site.address()
        let right = try ticket(for: email)
        let code = try site.mailed(to: email).code
        let answers = try onThreads(50) { _ in try site.verify(right, code).status }
            .map { try $0.get() }
        #expect(answers.count { $0 == 200 } == 1)
        #expect(answers.allSatisfy { $0 == 200 || $0 == 410 })
        let wrongly = try ticket(for: email)
        let wrong = wrong(try site.mailed(to: email).code)
        let refused = try onThreads(50) { _ in try site.verify(wrongly, wrong).status }
            .map { try $0.get() }
        #expect(refused.count { $0 == 400 } == 5 && refused.count { $0 == 410 } == 45)
    }

    @Test("fifty first codes of one address at once make one account")
    func oneAccount() throws {
        let site = try site
        let email = Site.address()
        let tickets = try (0..<4).map { _ in
            let ticket = try ticket(for: email)
            return (ticket, try site.mailed(to: email).code)
        }
        let users = try onThreads(4) { index in
            try SessionClient(site, site.verify(tickets[index].0, tickets[index].1)).user
        }.map { try $0.get() }
        #expect(Set(users).count == 1)
    }

    @Test("five mails an hour to an address from one network, for known and unknown alike")
    func limits() throws {
        for email in [Site.address(), try known()] {
            let network = Self.network()
            for _ in 0..<5 { _ = try site.ticket(for: email, client: network) }
            let answer = try site.auth("email", #"{"email": "\#(email)"}"#, client: network)
            #expect(answer.says(429, "too_many_attempts") && answer.headers["retry-after"] != nil)
            #expect(
                try site.auth("email", #"{"email": "\#(email)"}"#, client: Self.network()).status
                    == 202)
        }
    }

    private func known() throws -> String {
        let email = Site.address()
        _ = try SessionClient(site, site.verify(ticket(for: email), site.mailed(to: email).code))
        return email
    }

    @Test("twenty an hour to an address, sixty from a network")
    func moreLimits() throws {
        let email = Site.address()
        for _ in 0..<20 { _ = try ticket(for: email) }
        #expect(
            try site.auth("email", #"{"email": "\#(email)"}"#, client: Self.network())
                .says(429, "too_many_attempts"))
        let network = Self.network()
        for _ in 0..<60 { _ = try site.ticket(for: Site.address(), client: network) }
        let answer = try site.auth(
            "email", #"{"email": "\#(Site.address())"}"#, client: network)
        #expect(answer.says(429, "too_many_attempts"))
    }

    @Test("answers tell nothing of who has an account")
    func alike() throws {
        let (known, unknown) = (try known(), Site.address())
        let answers = try [known, unknown].map {
            try site.auth("email", #"{"email": "\#($0)"}"#, client: Self.network())
        }
        #expect(answers[0].status == answers[1].status)
        #expect(answers[0].body.count == answers[1].body.count)
        let own: Set = ["x-request-id", "date"]
        let headers = answers.map { $0.headers.filter { !own.contains($0.key) } }
        #expect(headers[0] == headers[1])
    }
}
