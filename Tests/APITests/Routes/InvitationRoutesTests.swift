import Domain
import JSON
import Postgres
import Testing

@Suite("Routes of invitations")
struct InvitationRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func invite(_ person: APIClient, _ body: String) throws -> Answer {
        try person.post("/api/family/invite", body)
    }

    /// Dates the family's invitations back by the minute in which they can't be sent again.
    private func passResendMinute(in family: String) throws {
        try site.execute(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE family_unit_id = '\(family)'
            """)
    }

    @Test("inviting an address twice renews the invitation, and the response has no link")
    func byEmail() throws {
        let home = try site.home()
        let body =
            #"{"email": " New.Person@Example.com ", "role": "parent", "familyUnitId": "\#(home.id)"}"#
        let sent = try invite(home.player, body)
        #expect(sent.status == 200 && sent.text("inviteUrl") == nil)
        #expect(try sent.json["success"].bool())
        try passResendMinute(in: home.id)
        let again = try invite(home.admin, body)
        #expect(again.status == 200 && again.text("invitationId") == sent.text("invitationId"))
        let listed = try home.adult.get("/api/family/invitations?familyId=\(home.id)")
        let one = try #require(try listed.json["invitations"].elements().first)
        #expect(try one["invited_email"].string() == "new.person@example.com")
        #expect(try one["token"].string() == "" && one["status"].string() == "pending")
        #expect(try one["accepted_at"].value == .null)
    }

    @Test("a member who may not resend an invitation can't take it over by inviting the address")
    func alreadyInvited() throws {
        let home = try site.home()
        let guest = try site.person(.parent)
        let body =
            #"{"email": "\#(guest.email)", "role": "parent", "familyUnitId": "\#(home.id)"}"#
        let sent = try invite(home.player, body)
        let id = try #require(sent.text("invitationId"))
        func row() throws -> [String] {
            try Connection(site.test.settings()).query(
                """
                SELECT concat_ws(' ', invited_by, role, household_role, generation, expires_at,
                    sent_count, last_sent_at)
                FROM app.family_invitations WHERE invited_email = \(guest.email)
                """
            ).map { (row) throws(PostgresError) in try row.read() }
        }
        let before = try row()
        let other = body.replacing("}", with: #", "householdRole": "visitor"}"#)
        #expect(
            try invite(home.adult, other).says(
                409, "already_invited", "This person has been invited already."))
        #expect(try row() == before)
        #expect(try guest.get("/api/me/invitations").status == 200)
        // Its inviter and the family's admin may renew it.
        for person in [home.player, home.admin] {
            try passResendMinute(in: home.id)
            let again = try invite(person, body)
            #expect(again.status == 200 && again.text("invitationId") == id)
        }
        #expect(try guest.post("/api/me/invitations/\(id)/accept").status == 200)
    }

    @Test("an address is invited again at most once a minute, like a resend")
    func again() throws {
        let home = try site.home()
        let body = #"{"role": "parent", "email": "again@example.com"}"#
        #expect(try home.admin.post("/api/family/invite", body).status == 200)
        let early = try home.admin.post("/api/family/invite", body)
        #expect(early.says(429, "invitation_just_sent"))
        #expect(early.headers["ratelimit-policy"] == #""resend";q=1;w=60"#)
        try passResendMinute(in: home.id)
        #expect(try home.admin.post("/api/family/invite", body).status == 200)
    }

    @Test("a link invitation returns its link, and a resend replaces it at most once a minute")
    func byLink() throws {
        let home = try site.home()
        let (id, token) = try home.link()
        let preview = try site.send("GET", "/api/family/invite/\(token)")
        #expect(preview.status == 200 && preview.text("invitationId") == id)
        #expect(preview.text("email") == "" && preview.text("familyName") == "Gulls")
        #expect(preview.text("inviterName") == "Ada" && preview.text("role") == "parent")
        let resend = "/api/family/invitations/\(id)/resend"
        let early = try home.admin.post(resend)
        #expect(early.says(429, "invitation_just_sent"))
        #expect(early.headers["ratelimit-policy"] == #""resend";q=1;w=60"#)
        try passResendMinute(in: home.id)
        let fresh = try home.admin.post(resend)
        let url = try #require(fresh.text("inviteUrl"))
        #expect(fresh.status == 200 && url.hasPrefix(Site.publicURL + "/join?token="))
        #expect(!url.hasSuffix(token))
        #expect(
            try site.send("GET", "/api/family/invite/\(token)").says(
                404, "invitation_not_found",
                "This invite link is invalid or has already been used."))
    }

    @Test(
        "an invalid invitation is refused",
        arguments: [
            (#"{"role": "parent"}"#, 400, "missing_field"),
            (#"{"email": "x@example.com"}"#, 400, "missing_field"),
            (#"{"email": "nonsense", "role": "parent"}"#, 400, "invalid_field"),
            (#"{"email": "x@example.com", "role": "coach"}"#, 400, "invalid_field"),
            (
                #"{"email": "x@example.com", "role": "parent", "delivery": "link"}"#, 400,
                "invalid_field"
            ),
            (
                #"{"email": "x@example.com", "role": "parent", "delivery": "pigeon"}"#, 400,
                "invalid_field"
            ),
            (
                #"{"email": "x@example.com", "role": "parent", "familyUnitId": "1"}"#, 400,
                "invalid_field"
            ),
            (
                #"{"email": "x@example.com", "role": "parent", "householdRole": "parent_admin"}"#,
                403, "role_too_high"
            ),
            (
                #"{"email": "x@example.com", "role": "parent", "token": "mine"}"#, 400,
                "privileged_field"
            ),
            (#"{"email": "x\r\nBcc: y@example.com", "role": "parent"}"#, 400, "invalid_field"),
        ])
    func malformed(body: String, status: Int, code: String) throws {
        let home = try Self.home.get()
        #expect(try invite(home.admin, body).says(status, code))
    }
    static let home = Result { try shared.get().home() }

    @Test("players can invite only parents, visitors nobody; members can't be invited")
    func mayInvite() throws {
        let home = try site.home()
        #expect(
            try invite(home.player, #"{"email": "p@example.com", "role": "player"}"#).says(
                403, "role_too_high"))
        #expect(
            try invite(home.admin, #"{"email": "\#(home.adult.email)", "role": "parent"}"#).says(
                409, "person_already_member",
                "This person is already a member of your family"))
        try home.set(home.adult, to: .visitor)
        #expect(
            try invite(home.adult, #"{"email": "p@example.com", "role": "parent"}"#).says(
                403, "visitors_only_read"))
        #expect(
            try home.adult.get("/api/family/invitations").says(403, "visitors_only_read"))
        try home.set(home.adult, to: .adult)
        try home.set(home.adult, to: .kid)
        #expect(
            try invite(home.adult, #"{"email": "p@example.com", "role": "parent"}"#).says(
                403, "standing_too_low"))
    }

    @Test("an eleventh invitation within an hour gets 429 with the time to wait")
    func limit() throws {
        let home = try site.home()
        for number in 1...10 { _ = try home.invite("p\(number)@example.com") }
        let refused = try invite(home.admin, #"{"email": "p11@example.com", "role": "parent"}"#)
        #expect(refused.says(429, "too_many_invitations"))
        #expect(refused.headers["ratelimit-policy"] == #""invitations";q=10;w=3600"#)
        let seconds = try #require(refused.headers["retry-after"].flatMap { Int($0) })
        #expect((3_500...3_600).contains(seconds))
    }

    @Test("another adult can't revoke or resend an invitation; a revoked one is not found")
    func revoke() throws {
        let home = try site.home()
        let id = try home.invite("someone@example.com")
        let path = "/api/family/invitations/\(id)"
        #expect(try home.adult.delete(path).says(403, "standing_too_low"))
        #expect(try home.adult.post(path + "/resend").says(403, "standing_too_low"))
        #expect(try home.admin.delete(path).status == 200)
        #expect(try home.admin.delete(path).says(404, "invitation_not_found"))
        #expect(try home.admin.post(path + "/resend").says(404, "invitation_not_found"))
        #expect(
            try home.admin.delete("/api/family/invitations/x").says(404, "invitation_not_found"))
    }

    @Test("pending invitations are paged, each once, newest first")
    func pages() throws {
        let home = try site.home()
        let made = try site.query(
            """
            WITH made AS (
                INSERT INTO app.family_invitations
                        (family_unit_id, invited_by, invited_email, role, household_role, delivery,
                         created_at)
                    SELECT '\(home.id)', '\(home.admin.id)', 'p' || n || '@example.com',
                        'parent', 'adult', 'email', now() - n / 2 * interval '1 s'
                    FROM generate_series(1, 150) AS n
                    RETURNING 1)
            SELECT count(*)::text FROM made
            """)
        #expect(made == "150")
        let first = try home.admin.get("/api/family/invitations").json
        let cursor = try first["nextCursor"].string()
        let second = try home.admin.get("/api/family/invitations?cursor=\(cursor)").json
        #expect(try second["nextCursor"].ifPresent == nil)
        let pages = try [first, second].map { try $0["invitations"].elements() }
        #expect(pages.map(\.count) == [100, 50])
        let (ids, times) = (
            try pages.joined().map { try $0["id"].string() },
            try pages.joined().map { try $0["created_at"].string() }
        )
        #expect(Set(ids).count == 150 && times == times.sorted(by: >))
        let wrong = try home.admin.get("/api/family/invitations?cursor=\(cursor.dropLast())")
        #expect(wrong.says(400, "invalid_field"))
    }
}

extension Site {
    /// Changes the database without the API, with triggers disabled.
    func execute(_ script: String) throws {
        try Connection(test.settings()).execute(
            script: "SET session_replication_role = replica; \(script)")
    }
}
