import Crypto
import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// Tests of a person who first used the web and then the app. The existing account takes the
/// subject of its first primary sign-in as its id, and clients with the former id continue to work.
@Suite("Routes of accounts whose id has changed")
struct AccountIDRoutesTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func byMail(_ email: String = Site.address()) throws -> SessionClient {
        let network = "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
        let ticket = try site.ticket(for: email, client: network)
        return try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
    }

    private func add(_ person: APIClient, to client: SessionClient) throws -> Answer {
        try client.send("POST", "/api/me/identities", #"{"token": "\#(person.token)"}"#)
    }

    @Test("earlier tokens stay valid after the id changes, and refreshing returns the new subject")
    func tokens() throws {
        let client = try byMail()
        let family = try client.send("POST", "/api/family/create", #"{"familyName": "Gulls"}"#)
        let id = try #require(try client.get("/api/family").json["families"].elements().first)
        let familyID = try id["familyId"].string()
        #expect(family.status == 200, "\(family)")
        let person = try site.person(.parent)
        #expect(try add(person, to: client).status == 200)
        for path in ["/api/me", "/api/family", "/api/family/members?familyId=\(familyID)"] {
            let (old, new) = (try client.get(path), try person.get(path))
            #expect(old.status == 200 && new.status == 200 && old.text("id") == new.text("id"))
        }
        #expect(try client.get("/api/me").text("id") == person.person.subject)
        let renamed = try client.send(
            "PATCH", "/api/family/\(familyID)", #"{"familyName": "Terns"}"#)
        #expect(renamed.status == 200, "\(renamed)")
        let refreshed = try SessionClient(site, site.refresh(client.refresh))
        #expect(refreshed.session == client.session && refreshed.user == person.person.subject)
        let payload = try #require(
            refreshed.access.split(separator: ".").dropFirst().first.map(String.init))
        let claims = try #require(Base64URL.decode(payload))
        #expect(String(decoding: claims, as: UTF8.self).contains(person.person.subject))
    }

    @Test("a passkey that stores the account's former id still signs in")
    func passkey() throws {
        let client = try byMail()
        var passkey = try PasskeyClient(site)
        #expect(try passkey.register(for: client).status == 200)
        let person = try site.person(.parent)
        #expect(try add(person, to: client).status == 200)
        let signedIn = try passkey.signIn()
        #expect(signedIn.status == 200, "\(signedIn)")
        #expect(try signedIn.json["user"]["id"].string() == person.person.subject)
        // The former id becomes another person's.
        let next = Person(id: try #require(UserID(client.user)).rawValue)
        #expect(try site.actor(next).get("/api/me").text("id") == client.user)
        #expect(
            try passkey.signIn().json["user"]["id"].string() == person.person.subject)
        var other = passkey
        other.passkey.userHandle = [UInt8](repeating: 7, count: 16)
        #expect(try other.signIn().says(401, "passkey_refused"))
    }

    @Test(
        "a sync cursor stays valid after the id changes; the new profile replaces the former one"
    )
    func cursor() throws {
        let client = try byMail()
        _ = try client.send("POST", "/api/family/create", #"{"familyName": "Gulls"}"#)
        var cursor = ""
        var hasMore = true
        while hasMore {
            let page = try client.get("/api/sync" + (cursor.isEmpty ? "" : "?cursor=\(cursor)"))
            cursor = try page.json["cursor"].string()
            hasMore = try page.json["hasMore"].bool()
        }
        let person = try site.person(.parent)
        #expect(try add(person, to: client).status == 200)
        // The account's memberships have changed, so its families are sent again, on a later page.
        var changes: [JSONField] = []
        hasMore = true
        while hasMore {
            let page = try client.get("/api/sync?cursor=\(cursor)")
            #expect(try page.json["reset"].bool() == false, "\(page)")
            changes += try page.json["changes"].elements()
            cursor = try page.json["cursor"].string()
            hasMore = try page.json["hasMore"].bool()
        }
        let profiles = try changes.filter { try $0["kind"].string() == "profile" }
        let states = try Dictionary(
            uniqueKeysWithValues: profiles.map {
                (try $0["id"].string(), (try? $0["deleted"].bool()) ?? false)
            })
        #expect(states == [client.user: true, person.person.subject: false])
        let members = try changes.filter { try $0["kind"].string() == "member" }
        let users = try members.map { try $0["value"]["user_id"].string() }
        #expect(users == [person.person.subject])
    }

    @Test("an idempotency key from before the id changed is still replayed")
    func key() throws {
        let client = try byMail()
        func create() throws -> Answer {
            try client.send(
                "POST", "/api/family/create", #"{"familyName": "Gulls"}"#,
                headers: ["Idempotency-Key": "one"])
        }
        let first = try create()
        #expect(try add(site.person(.parent), to: client).status == 200)
        let again = try create()
        #expect(first.status == 200 && again.status == 200 && first.body == again.body)
    }

    @Test("adding a second sign-in of a primary issuer gets 409 identity_of_issuer_exists")
    func second() throws {
        let client = try byMail()
        #expect(try add(site.person(.parent), to: client).status == 200)
        #expect(
            try add(site.person(.parent), to: client).says(409, "identity_of_issuer_exists"))
    }

    @Test(
        "a person who signs in after an erasure gets the same id, and the old session stays ended"
    )
    func returned() throws {
        let before = try site.person(.parent)
        let session = try site.session(of: before)
        #expect(try session.delete("/api/me").status == 200)
        let after = APIClient(
            site: try site, person: before.person,
            token: try site.token(of: before.person, issuedSecondsAgo: -5))
        #expect(try after.get("/api/me").text("id") == before.person.subject)
        // Erasing once more is a repetition.
        #expect(try session.delete("/api/me").status == 200)
        #expect(try before.delete("/api/me").status == 200)
        #expect(try session.get("/api/me").says(401, "session_ended"))
        #expect(try after.get("/api/me").status == 200)
    }
}
