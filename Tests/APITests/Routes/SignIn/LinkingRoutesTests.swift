import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// Tests of a person who first used the web and then the app: the person has an account from a
/// mailed code, and signs in at the primary issuer, which confirms the same address.
@Suite("Sign-ins linked to an account by address")
struct LinkingRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true, linksAddresses: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func byMail(_ email: String) throws -> SessionClient {
        let network = "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
        let ticket = try site.ticket(for: email, client: network)
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    private func mails(to user: String) throws -> Int {
        try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM jobs.live
            WHERE kind = 'mail.sign_in_linked' AND payload->>'recipient' = \(user)
            """
        ).scalar(Int.self)
    }

    @Test("the app finds the family joined on the web; the app's subject becomes the account's id")
    func linked() throws {
        let email = Site.address()
        let home = try site.home()
        let web = try byMail(email)
        #expect(
            try web.send("POST", "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
                .status == 200)
        let app = try site.actor(Person(email: email))
        let me = try app.get("/api/me")
        #expect(me.text("id") == app.person.subject && me.text("email") == email)
        #expect(try app.get("/api/family").json["families"].elements().count == 1)
        #expect(try web.get("/api/me").text("id") == app.person.subject)
        #expect(try mails(to: app.person.subject) == 1)
        let session = try site.send(
            "POST", "/api/auth/exchange", body: #"{"token": "\#(app.token)"}"#)
        #expect(try session.json["isNew"].bool() == false)
    }

    @Test("the app's sign-up sets the account's role only if none was chosen")
    func role() throws {
        for (isSaid, expected) in [(false, "player"), (true, "parent")] {
            let email = Site.address()
            let home = try site.home()
            let web = try byMail(email)
            if isSaid { _ = try web.send("PATCH", "/api/me", #"{"role": "parent"}"#) }
            _ = try web.send("POST", "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
            let app = try site.actor(Person(role: "player", email: email))
            let me = try app.get("/api/me")
            #expect(me.text("id") == app.person.subject && me.text("role") == expected)
            #expect(try me.json["roleIsDefault"].bool() == false)
            let family = try app.get("/api/family").json["families"].elements()[0]
            #expect(
                try family["householdRole"].string() == (expected == "player" ? "kid" : "adult"))
        }
    }

    @Test("an exchange is reported as new only if it creates the account")
    func isNew() throws {
        let email = Site.address()
        _ = try byMail(email)
        for (person, isNew) in [(Person(email: email), false), (Person(), true)] {
            let token = try site.token(of: person)
            let answer = try site.send(
                "POST", "/api/auth/exchange", body: #"{"token": "\#(token)"}"#)
            #expect(try answer.json["isNew"].bool() == isNew, "\(answer)")
        }
    }

    @Test("a sign-in whose link was removed is not linked again, and gets its own account")
    func undone() throws {
        let email = Site.address()
        let web = try byMail(email)
        let app = try site.actor(Person(email: email))
        #expect(try app.get("/api/me").text("id") == app.person.subject)
        let list = try web.get("/api/me/identities").json["identities"].elements()
        let added = try #require(try list.first { try $0["kind"].string() == "issuer" })
        let fresh = try byMail(email)
        #expect(
            try fresh.delete("/api/me/identities/\(added["id"].string())").status == 200)
        let alone = try app.get("/api/me")
        #expect(alone.status == 200 && alone.text("id") != app.person.subject)
        #expect(try fresh.get("/api/me").text("id") == app.person.subject)
        #expect(try mails(to: app.person.subject) == 1)
    }

    @Test("an unproved address, or an account with a sign-in of the issuer, is not linked")
    func notLinked() throws {
        // Verified by the issuer, never by mail.
        let email = Site.address()
        let first = try site.actor(Person(email: email))
        let second = try site.actor(Person(email: email))
        #expect(try first.get("/api/me").text("id") == first.person.subject)
        #expect(try second.get("/api/me").text("id") == second.person.subject)
        // Proved by mail, but the account already has a sign-in of the issuer.
        let web = try byMail(email)
        #expect(web.user == first.person.subject)
        let third = try site.actor(Person(email: email))
        #expect(try third.get("/api/me").text("id") == third.person.subject)
        #expect(try web.get("/api/me").text("id") == first.person.subject)
    }
}
