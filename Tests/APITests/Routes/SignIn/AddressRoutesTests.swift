import Domain
import Foundation
import JSON
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Routes that change an account's address")
struct AddressRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    /// A client address that no other test uses, because attempts are counted by network.
    private static func network() -> [String: String] {
        [
            "X-Forwarded-For":
                "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
        ]
    }

    private func byMail(_ email: String) throws -> SessionClient {
        let ticket = try site.ticket(for: email, client: Self.network()["X-Forwarded-For"])
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    private func request(_ email: String, by client: SessionClient) throws -> Answer {
        try client.send(
            "POST", "/api/me/email", #"{"email": "\#(email)"}"#, headers: Self.network())
    }

    private func verify(
        _ ticket: String?, _ code: String, by client: SessionClient
    ) throws -> Answer {
        try client.send(
            "POST", "/api/me/email/verify",
            #"{"ticket": "\#(ticket ?? "")", "code": "\#(code)"}"#)
    }

    /// Changes the address, and returns the response to the code.
    private func change(to email: String, by client: SessionClient) throws -> Answer {
        let asked = try request(email, by: client)
        try #require(asked.status == 202, "\(asked)")
        return try verify(asked.text("ticket"), site.mailed(to: email).code, by: client)
    }

    private func emails(_ client: SessionClient) throws -> [String] {
        try client.get("/api/me/identities").json["identities"].elements().compactMap {
            try $0["email"].ifPresent?.string()
        }
    }

    @Test("the mailed code changes the address, which signs in to the account from then on")
    func changed() throws {
        let (old, new) = (Site.address(), Site.address())
        let client = try byMail(old)
        let other = try byMail(old)
        let asked = try request("  \(new.uppercased()) ", by: client)
        #expect(asked.status == 202 && asked.text("ticket") != nil, "\(asked)")
        #expect(try client.get("/api/me").text("email") == old, "nothing is changed yet")
        let done = try verify(asked.text("ticket"), site.mailed(to: new).code, by: client)
        #expect(done.status == 200, "\(done)")
        #expect(try client.get("/api/me").text("email") == new)
        #expect(try emails(client) == [new])
        #expect(try other.get("/api/me").says(401, "session_ended"))
        #expect(try byMail(new).user == client.user)
        #expect(try byMail(old).user != client.user)
        let again = try verify(asked.text("ticket"), site.mailed(to: new).code, by: client)
        #expect(again.says(410, "code_expired"))
    }

    @Test("the current address gets one notice of each request, and the new address gets the code")
    func notice() throws {
        let (old, new) = (Site.address(), Site.address())
        let client = try byMail(old)
        _ = try request(new, by: client)
        let rows = try Connection(site.test.settings()).query(
            """
            SELECT j.kind, m.email, t.email FROM jobs.live AS j
            JOIN app.email_tokens AS t ON t.id = (j.payload ->> 'ticket')::uuid,
                app.mail_of_address_change(t.id) AS m
            WHERE t.user_id = \(client.user)::uuid ORDER BY j.kind
            """
        ).map { (row) throws(PostgresError) in
            [try row.read(String.self), try row.read(String.self), try row.read(String.self)]
        }
        #expect(rows == [["mail.address_changing", old, new], ["mail.ticket", old, new]])
    }

    @Test("another account's address is disclosed as taken only after the right code")
    func anothers() throws {
        let (old, taken) = (Site.address(), Site.address())
        let owner = try byMail(taken)
        let client = try byMail(old)
        let asked = try request(taken, by: client)
        let free = try request(Site.address(), by: byMail(Site.address()))
        #expect(asked.status == 202 && free.status == 202)
        for answer in [asked, free] {
            #expect(try answer.json.object().members.map(\.name) == ["ticket", "expiresIn"])
        }
        let later = try request(taken, by: client)
        let answer = try verify(later.text("ticket"), site.mailed(to: taken).code, by: client)
        #expect(answer.says(409, "identity_in_use"), "\(answer)")
        #expect(try client.get("/api/me").text("email") == old)
        #expect(try byMail(taken).user == owner.user)
    }

    @Test("only the newest code of the account that requested it changes the address")
    func newestCode() throws {
        let client = try byMail(Site.address())
        let (first, second) = (Site.address(), Site.address())
        let early = try request(first, by: client)
        let late = try request(second, by: client)
        let stale = try verify(early.text("ticket"), site.mailed(to: first).code, by: client)
        #expect(stale.says(410, "code_expired"))
        let code = try site.mailed(to: second).code
        let stranger = try byMail(Site.address())
        #expect(try verify(late.text("ticket"), code, by: stranger).says(410, "code_expired"))
        #expect(try verify(late.text("ticket"), code, by: client).status == 200)
    }

    @Test("a code to change an address can't sign in, and a sign-in code can't change an address")
    func kindsOfCodes() throws {
        let client = try byMail(Site.address())
        let new = Site.address()
        let asked = try request(new, by: client)
        let signIn = try site.verify(#require(asked.text("ticket")), site.mailed(to: new).code)
        #expect(signIn.says(410, "code_expired"))
        let elsewhere = Site.address()
        let ticket = try site.ticket(for: elsewhere, client: Self.network()["X-Forwarded-For"])
        let answer = try verify(ticket, site.mailed(to: elsewhere).code, by: client)
        #expect(answer.says(410, "code_expired"))
    }

    @Test("the right code is refused after five wrong attempts")
    func tries() throws {
        let client = try byMail(Site.address())
        let new = Site.address()
        let ticket = try request(new, by: client).text("ticket")
        let code = try site.mailed(to: new).code
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 0..<5 {
            #expect(try verify(ticket, wrong, by: client).says(400, "code_wrong"))
        }
        #expect(try verify(ticket, code, by: client).says(410, "code_expired"))
    }

    @Test("requesting a change more than ten minutes after signing in gets 403")
    func staleSignIn() throws {
        let person = Person(email: Site.address())
        let old = try site.token(of: person, issuedSecondsAgo: 700)
        let answer = try site.send(
            "POST", "/api/me/email", token: old, body: #"{"email": "\#(Site.address())"}"#,
            headers: Self.network())
        #expect(answer.says(403, "sign_in_again"), "\(answer)")
    }

    @Test("one address gets at most five codes, as for signing in")
    func limits() throws {
        let client = try byMail(Site.address())
        let (new, network) = (Site.address(), Self.network())
        func ask() throws -> Answer {
            try client.send("POST", "/api/me/email", #"{"email": "\#(new)"}"#, headers: network)
        }
        for _ in 0..<5 { #expect(try ask().status == 202) }
        #expect(try ask().says(429, "too_many_attempts"))
    }

    @Test("the account's current address is refused as the new one")
    func present() throws {
        let email = Site.address()
        let answer = try request(email.uppercased(), by: byMail(email))
        #expect(answer.says(400, "invalid_field"), "\(answer)")
    }

    @Test("an account with a new address gets invitations to that address and none to the old one")
    func invitations() throws {
        let home = try site.home()
        let (old, new) = (Site.address(), Site.address())
        _ = try home.invite(old)
        let client = try byMail(old)
        func count() throws -> Int {
            try client.get("/api/me/invitations").json["invitations"].elements().count
        }
        #expect(try count() == 1)
        #expect(try change(to: new, by: client).status == 200)
        #expect(try count() == 0)
        _ = try home.invite(new)
        #expect(try count() == 1)
    }

    @Test("a provider's token with the old address does not restore that address")
    func provider() throws {
        let (old, new) = (Site.address(), Site.address())
        let person = Person(email: old)
        let client = try site.session(of: site.actor(person))
        #expect(try change(to: new, by: client).status == 200)
        _ = try site.actor(Person(id: person.id, email: old)).get("/api/me")
        _ = try site.actor(Person(id: person.id, email: Site.address())).get("/api/me")
        #expect(try client.get("/api/me").text("email") == new)
        // Back to the first address.
        #expect(try change(to: old, by: client).status == 200)
        #expect(try byMail(old).user == client.user)
        #expect(try emails(client) == [old])
    }

    @Test("a change keeps the password, and reset links sent to the old address stop working")
    func password() throws {
        let (old, new) = (Site.address(), Site.address())
        let client = try byMail(old)
        let set = try client.send(
            "PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        #expect(set.status == 200)
        _ = try site.auth("password/forgot", #"{"email": "\#(old)"}"#)
        let link = try site.mailed(to: old).linkToken
        #expect(try change(to: new, by: client).status == 200)
        let reset = try site.auth(
            "password/reset", #"{"token": "\#(link)", "password": "another gull kettle 77"}"#)
        #expect(reset.says(410, "code_expired"))
        #expect(try site.signIn(new, Site.password).status == 200)
        #expect(try site.signIn(old, Site.password).says(401, "invalid_credentials"))
    }

    @Test("an address that two accounts prove at the same time goes to one account")
    func race() throws {
        let site = try site
        for _ in 0..<5 {
            let new = Site.address()
            let clients = [try byMail(Site.address()), try byMail(Site.address())]
            let tickets = try clients.map { client in
                let ticket = try #require(request(new, by: client).text("ticket"))
                return (client, ticket, try site.mailed(to: new).code)
            }
            let statuses = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: tickets.count) { index in
                let (client, ticket, code) = tickets[index]
                let answer = try? site.send(
                    "POST", "/api/me/email/verify", token: client.access,
                    body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#)
                statuses.withLock { $0.append(answer?.status ?? 0) }
            }
            #expect(statuses.withLock { $0.sorted() } == [200, 409])
        }
    }
}
