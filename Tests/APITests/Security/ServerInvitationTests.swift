import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// Invitations by API keys, and what the people who accept them can't reach.
@Suite("Invitations by API keys")
struct ServerInvitationTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func link(
        into family: String, _ role: String = "parent", by server: ServerClient
    ) throws -> String {
        let sent = try server.post(
            "/families/\(family)/invitations", #"{"role": "\#(role)", "delivery": "link"}"#)
        try #require(sent.status == 200, "\(sent)")
        return String(try #require(sent.text("inviteUrl")?.split(separator: "=").last))
    }

    private func accept(_ token: String, as person: APIClient) throws -> Answer {
        try person.post("/api/family/invite/\(token)/accept")
    }

    private func member(_ person: APIClient, in family: String) throws -> String {
        try #require(try site.memberIDs(of: family, seenBy: person)[person.person.id])
    }

    private func claim(_ person: APIClient, in family: String) throws -> Answer {
        try person.patch(
            "/api/family/members/\(try member(person, in: family))",
            #"{"householdRole": "parent_admin"}"#)
    }

    @Test("an invitation by a key has no inviter, the key's name, and an entry of the audit log")
    func invitation() throws {
        let home = try site.home()
        let server = try site.server("Compass")
        let sent = try server.post(
            "/families/\(home.id)/invitations",
            #"{"role": "parent", "email": "new@example.com"}"#)
        #expect(sent.status == 200 && sent.text("inviteUrl") == nil)
        let listed = try home.admin.get("/api/family/invitations?familyId=\(home.id)")
            .json["invitations"].elements()
        #expect(try listed.map { try $0["invited_by"].string() } == [""])
        let stored = try Connection(site.test.settings()).query(
            """
            SELECT concat_ws(' ', i.invited_by::text, i.invited_by_key, i.vouched,
                i.household_role, a.actor_label, a.actor_user_id::text, (
                    SELECT count(*) FROM jobs.live AS j WHERE j.kind = 'mail.invitation'
                        AND j.payload ->> 'invitation' = i.id::text))
            FROM app.family_invitations AS i JOIN app.audit_log AS a ON a.target_id = i.id
            WHERE i.invited_email = 'new@example.com'
            """
        ).scalar(String.self)
        #expect(stored == "Compass f adult server:Compass 1")
        let invited = try site.person(.parent, email: "new@example.com")
        let received = try invited.get("/api/me/invitations").json["invitations"].elements()
        #expect(try received.map { try $0["inviterName"].string() } == ["Compass"])
    }

    @Test("a key's invitation can be revoked by the creator and the Parent Admin only")
    func revoking() throws {
        let home = try site.home()
        let server = try site.server()
        for (person, status) in [(home.admin, 200), (try home.joiner().0, 403)] {
            let sent = try server.post(
                "/families/\(home.id)/invitations", #"{"role": "parent", "delivery": "link"}"#)
            let id = try #require(sent.text("invitationId"))
            #expect(try person.delete("/api/family/invitations/\(id)").status == status)
        }
    }

    @Test("a key can't invite a Parent Admin, a member, or an address that somebody else invited")
    func refusals() throws {
        let home = try site.home()
        let server = try site.server()
        #expect(
            try server.post(
                "/families/\(home.id)/invitations",
                #"{"role": "parent", "householdRole": "parent_admin", "delivery": "link"}"#
            ).says(403, "role_too_high"))
        #expect(
            try server.post(
                "/families/\(home.id)/invitations",
                #"{"role": "parent", "email": "\#(home.admin.email)"}"#
            ).says(409, "person_already_member"))
        _ = try site.invite("taken@example.com", to: home.id, by: home.admin)
        #expect(
            try server.post(
                "/families/\(home.id)/invitations",
                #"{"role": "parent", "email": "taken@example.com"}"#
            ).says(409, "already_invited"))
        #expect(
            try server.post(
                "/families/\(FamilyID.random())/invitations",
                #"{"role": "parent", "delivery": "link"}"#
            ).says(404, "family_not_found"))
    }

    @Test("a family gets at most ten invitations an hour from all keys together")
    func limits() throws {
        let home = try site.home()
        let (first, second) = (try site.server(), try site.server())
        for _ in 1...10 { _ = try link(into: home.id, by: first) }
        for server in [first, second] {
            let refused = try server.post(
                "/families/\(home.id)/invitations", #"{"role": "parent", "delivery": "link"}"#)
            #expect(refused.says(429, "too_many_invitations"))
        }
        _ = try link(into: try site.home().id, by: first)
    }

    /// A family without Parent Admin, creator or anybody who is vouched for: its adult may claim
    /// the seat.
    private func deserted() throws -> (family: String, code: String, adult: APIClient) {
        let creator = try site.person(.player)
        let family = try site.createFamily(by: creator, named: "Deserted")
        let adult = try site.person(.parent)
        try site.join(adult, code: family.code)
        let left = try creator.delete("/api/family/members/me?familyId=\(family.id)")
        try #require(left.status == 200, "\(left)")
        return (family.id, family.code, adult)
    }

    @Test("a key's invitee, and people who enter later, can't claim the Parent Admin's seat")
    func seat() throws {
        let (family, code, adult) = try deserted()
        let server = try site.server()
        let invited = try site.person(.parent)
        #expect(try accept(link(into: family, by: server), as: invited).status == 200)
        #expect(try claim(invited, in: family).says(403, "seat_reserved"))

        // Through an invitation by the invited person.
        let second = try site.person(.parent)
        let sent = try invited.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(family)"}"#)
        let token = String(try #require(sent.text("inviteUrl")?.split(separator: "=").last))
        #expect(try accept(token, as: second).status == 200)
        #expect(try claim(second, in: family).says(403, "seat_reserved"))

        // Through the code, which the invited person has read.
        let third = try site.person(.parent)
        try site.join(third, code: code)
        #expect(try claim(third, in: family).says(403, "seat_reserved"))

        // By approving somebody: who came by a key does not stand in for the creator.
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.family_units SET approval_required = true WHERE id = '\(family)';
                """)
        let fourth = try site.person(.parent)
        let waiting = try fourth.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        #expect(waiting.status == 202)
        let waits = try #require(
            try site.memberIDs(of: family, seenBy: adult)[fourth.person.id])
        #expect(try invited.post("/api/family/members/\(waits)/approve").status == 403)

        // By leaving and joining again.
        let left = try invited.delete("/api/family/members/me?familyId=\(family)")
        #expect(left.status == 200)
        #expect(try accept(link(into: family, by: server), as: invited).status == 200)
        #expect(try claim(invited, in: family).says(403, "seat_reserved"))

        // As a child that grows up.
        let child = try site.addManagedMember(named: "Wren", of: invited, to: family)
        let grown = try site.person(.parent)
        let started = try invited.post(
            "/api/family/managed/\(child)/graduation",
            #"{"role": "parent", "householdRole": "adult", "delivery": "link"}"#)
        let graduation = String(
            try #require(started.text("inviteUrl")?.split(separator: "=").last, "\(started)"))
        #expect(try accept(graduation, as: grown).status == 200)
        #expect(try claim(grown, in: family).says(403, "seat_reserved"))

        // The adult who was there before keeps its right.
        #expect(try claim(adult, in: family).status == 200)
    }

    @Test("a key's invitation does not bring back a creator who left")
    func creator() throws {
        let creator = try site.person(.player)
        let family = try site.createFamily(by: creator, named: "Left")
        try site.join(try site.person(.parent), code: family.code)
        let left = try creator.delete("/api/family/members/me?familyId=\(family.id)")
        try #require(left.status == 200)
        let server = try site.server()
        let answer = try accept(link(into: family.id, "player", by: server), as: creator)
        #expect(answer.says(403, "removed_from_family"))
    }
}
