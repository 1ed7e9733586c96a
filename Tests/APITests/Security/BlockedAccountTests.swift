import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// An operator blocks an account: what its owner, a stranger and its family see of it.
@Suite("Blocked accounts")
struct BlockedAccountTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private static func change(_ settings: ConnectionSettings, _ call: SQL) throws -> Bool {
        try Connection(settings).transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            return try transaction.query(call).scalar(Bool.self)
        }
    }

    private func block(_ user: String) throws {
        let settings = try site.test.settings(as: "hearth_admin")
        #expect(
            try Self.change(settings, "SELECT app.operator_block_user(\(user)::uuid, 'spam')"))
    }

    private func unblock(_ user: String) throws {
        let settings = try site.test.settings(as: "hearth_admin")
        #expect(try Self.change(settings, "SELECT app.operator_unblock_user(\(user)::uuid)"))
    }

    @Test("a block ends sessions and refuses tokens at once, and other members see no change")
    func tokens() throws {
        let site = try site
        let home = try site.home()
        let person = home.adult
        let session = try site.session(of: person)
        let members = "/api/family/members?familyId=\(home.id)"
        let seen = try home.admin.get(members)
        let own = try person.get(members)
        let tag = try #require(own.headers["etag"])
        try block(session.user)
        #expect(try person.get("/api/me").says(403, "account_blocked"))
        let conditional = try person.send("GET", members, headers: ["If-None-Match": tag])
        #expect(conditional.says(403, "account_blocked"))
        #expect(
            try person.send("DELETE", "/api/family/members/me?familyId=\(home.id)")
                .says(403, "account_blocked"))
        #expect(try session.get("/api/me").says(401, "session_ended"))
        #expect(try site.refresh(session.refresh).says(403, "account_blocked"))
        let exchange = try site.send(
            "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"}"#)
        #expect(exchange.says(403, "account_blocked"))
        #expect(try home.admin.get(members).body == seen.body)
        try unblock(session.user)
        #expect(try person.get(members).status == 200)
        #expect(try site.refresh(session.refresh).says(401, "session_ended"))
        #expect(try site.session(of: person).user == session.user)
    }

    @Test("a blocked account is revealed only by the right password, code or link")
    func proof() throws {
        let site = try site
        let email = Site.address()
        let client = "10.\(Int.random(in: 0...255)).\(Int.random(in: 0...255)).1"
        let first = try site.ticket(for: email, client: client)
        let session = try SessionClient(site, site.verify(first, site.mailed(to: email).code))
        let set = try site.patiently {
            try session.send("PUT", "/api/me/password", #"{"newPassword": "\#(Site.password)"}"#)
        }
        #expect(set.status == 200)
        try block(session.user)
        #expect(try site.signIn(email, "wrong", client: client).says(401, "invalid_credentials"))
        #expect(
            try site.signIn(email, Site.password, client: client).says(403, "account_blocked"))
        let ticket = try site.ticket(for: email, client: client)
        let secrets = try site.mailed(to: email)
        let wrong = secrets.code == "000000" ? "000001" : "000000"
        #expect(try site.verify(ticket, wrong).says(400, "code_wrong"))
        #expect(try site.verify(ticket, secrets.code).says(403, "account_blocked"))
        let link = try site.auth("email/verify", #"{"linkToken": "\#(secrets.linkToken)"}"#)
        #expect(link.says(403, "account_blocked"))
        try unblock(session.user)
        #expect(try site.signIn(email, Site.password, client: client).status == 200)
    }

    @Test("the sign-in page explains the block after the right code")
    func page() throws {
        let site = try site
        let email = Site.address()
        let ticket = try site.ticket(for: email)
        let session = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        try block(session.user)
        let browser = PageBrowser(site)
        let sent = try browser.press("code", on: browser.open("/sign-in"), ["email": email])
        let page = try browser.press("verify", on: sent, ["code": site.mailed(to: email).code])
        #expect(page.status == 403 && page.says("This account is blocked"), "\(page)")
    }

    @Test("an account blocked during a sign-in or a refresh has no live session afterwards")
    func races() throws {
        let site = try site
        let settings = site.test.settings(as: "hearth_admin")
        for _ in 0..<10 {
            let person = try site.person(.parent)
            let session = try site.session(of: person)
            let answers = onThreads(4) { index in
                switch index {
                case 0:
                    _ = try Self.change(
                        settings,
                        "SELECT app.operator_block_user(\(session.user)::uuid, 'spam')")
                    return 200
                case 1: return try site.refresh(session.refresh).status
                default:
                    return try site.send(
                        "POST", "/api/auth/exchange", body: #"{"token": "\#(person.token)"}"#
                    ).status
                }
            }
            for answer in answers { #expect([200, 403].contains(try answer.get())) }
            let live = try Connection(site.test.settings()).query(
                """
                SELECT count(*) FROM app.sessions
                WHERE user_id = \(session.user)::uuid AND ended_at IS NULL
                """
            ).scalar(Int.self)
            #expect(live == 0)
            #expect(try person.get("/api/me").says(403, "account_blocked"))
        }
    }

    @Test("a provider's sign-in whose address leads to a blocked account is also refused")
    func linked() throws {
        let site = try Site(linksAddresses: true)
        let email = Site.address()
        let ticket = try site.ticket(for: email)
        let session = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        let settings = site.test.settings(as: "hearth_admin")
        #expect(
            try Self.change(
                settings, "SELECT app.operator_block_user(\(session.user)::uuid, 'spam')"))
        func account() throws -> String {
            try Connection(site.test.settings()).query(
                """
                SELECT string_agg(concat_ws(' ', role, full_name), ', ')
                FROM app.users WHERE email = \(email)
                """
            ).scalar()
        }
        let before = try account()
        let person = try site.actor(Person(role: "player", name: "Late", email: email))
        #expect(try person.get("/api/me").says(403, "account_blocked"))
        #expect(try account() == before)
    }

    @Test("a sign-in of a blocked account can't be added to another account")
    func moved() throws {
        let site = try site
        let person = try site.person(.parent)
        let session = try site.session(of: person)
        try block(session.user)
        let email = Site.address()
        let ticket = try site.ticket(for: email)
        let other = try SessionClient(site, site.verify(ticket, site.mailed(to: email).code))
        let added = try other.send(
            "POST", "/api/me/identities", #"{"token": "\#(person.token)"}"#)
        #expect(added.says(409, "identity_in_use"))
        #expect(try person.get("/api/me").says(403, "account_blocked"))
    }

    @Test("invitations from a blocked person can't be used until the person is unblocked")
    func invitations() throws {
        let site = try site
        let home = try site.home()
        let (inviter, guest) = (home.adult, try site.person(.parent))
        let session = try site.session(of: inviter)
        let sent = try inviter.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(home.id)"}"#)
        let token = try #require(sent.text("inviteUrl")?.split(separator: "=").last)
        let link = "/api/family/invite/\(token)"
        try block(session.user)
        #expect(try guest.get(link).says(404, "invitation_not_found"))
        #expect(try guest.post(link + "/accept").says(404, "invitation_not_found"))
        try unblock(session.user)
        #expect(try guest.post(link + "/accept").status == 200)
    }

    @Test("members get the same responses and no changes when a relative is blocked")
    func unseen() throws {
        let site = try site
        let home = try site.home()
        let session = try site.session(of: home.adult)
        let members = "/api/family/members?familyId=\(home.id)"
        let before = try home.admin.get(members)
        let cursor = try home.admin.get("/api/sync").json["cursor"].string()
        try block(session.user)
        let after = try home.admin.get(members)
        #expect(after.body == before.body && after.headers["etag"] == before.headers["etag"])
        try unblock(session.user)
        let changes = try home.admin.get("/api/sync?cursor=\(cursor)")
        #expect(try changes.json["changes"].elements().isEmpty, "\(changes)")
    }
}
