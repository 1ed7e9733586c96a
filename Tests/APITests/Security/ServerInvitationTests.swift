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

    @Test("an invitation by a key has the key's name, no inviter, and an entry in the audit log")
    func invitation() throws {
        let home = try site.home()
        let server = try site.server("Compass")
        let sent = try server.post(
            "/families/\(home.id)/invitations",
            #"{"role": "parent", "email": "new@example.com"}"#)
        #expect(sent.status == 200 && sent.text("inviteUrl") == nil)
        let request = try #require(sent.headers["x-request-id"])
        let listed = try home.admin.get("/api/family/invitations?familyId=\(home.id)")
            .json["invitations"].elements()
        #expect(try listed.map { try $0["invited_by"].string() } == [""])
        let stored = try Connection(site.test.settings()).query(
            """
            SELECT concat_ws(' ', i.invited_by::text, i.invited_by_key, i.vouched,
                i.household_role, a.actor_label, a.actor_user_id::text,
                a.request_id = \(request), (
                    SELECT count(*) FROM jobs.live AS j WHERE j.kind = 'mail.invitation'
                        AND j.payload ->> 'invitation' = i.id::text))
            FROM app.family_invitations AS i JOIN app.audit_log AS a ON a.target_id = i.id
            WHERE i.invited_email = 'new@example.com'
            """
        ).scalar(String.self)
        #expect(stored == "Compass f adult server:Compass t 1")
        let invited = try site.person(.parent, email: "new@example.com")
        let received = try invited.get("/api/me/invitations").json["invitations"].elements()
        #expect(try received.map { try $0["inviterName"].string() } == ["Compass"])
    }

    @Test("a key's invitation can be revoked only by the creator and the Parent Admin")
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

        // By approving somebody: a person invited by a key does not stand in for the creator.
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
        // People who wait exist only for members who may approve them.
        #expect(
            try invited.post("/api/family/members/\(waits)/approve").says(404, "member_not_found"))

        // By leaving and joining again.
        let left = try invited.delete("/api/family/members/me?familyId=\(family)")
        #expect(left.status == 200)
        #expect(try accept(link(into: family, by: server), as: invited).status == 200)
        #expect(try claim(invited, in: family).says(403, "seat_reserved"))

        // As a child that grows up.
        let child = try site.addManagedMember(named: "Wren", of: invited, to: family)
        let grown = try site.person(.parent)
        let graduation = try invited.startGraduation(of: child, as: .parent, .adult)
        #expect(try accept(graduation, as: grown).status == 200)
        #expect(try claim(grown, in: family).says(403, "seat_reserved"))

        // The adult who was there before keeps its right.
        #expect(try claim(adult, in: family).status == 200)
    }

    @Test("a key's invitee who leaves and returns as a graduated child can't claim the seat")
    func graduation() throws {
        let (family, code, adult) = try deserted()
        let child = try site.addManagedMember(named: "Wren", of: adult, to: family)
        let server = try site.server()
        let invited = try site.person(.parent)
        #expect(try accept(link(into: family, by: server), as: invited).status == 200)
        let left = try invited.delete("/api/family/members/me?familyId=\(family)")
        try #require(left.status == 200, "\(left)")
        let token = try adult.startGraduation(of: child, as: .parent, .adult)
        #expect(try accept(token, as: invited).status == 200)
        #expect(try claim(invited, in: family).says(403, "seat_reserved"))
        let later = try site.person(.parent)
        try site.join(later, code: code)
        #expect(try claim(later, in: family).says(403, "seat_reserved"))
        #expect(try claim(adult, in: family).status == 200)
    }

    @Test("a person who enters after a key's vouched invitee gets no seat once all others left")
    func afterVouched() throws {
        let (family, code, adult) = try deserted()
        let invited = try site.person(.parent)
        #expect(try accept(link(into: family, by: site.server()), as: invited).status == 200)
        try Connection(site.test.settings()).execute(
            script: """
                SET ROLE hearth_owner;
                UPDATE app.family_members SET vouched = true
                WHERE family_unit_id = '\(family)' AND user_id = '\(invited.id)';
                """)
        let later = try site.person(.parent)
        try site.join(later, code: code)
        for person in [invited, adult] {
            let left = try person.delete("/api/family/members/me?familyId=\(family)")
            try #require(left.status == 200, "\(left)")
        }
        #expect(try claim(later, in: family).says(403, "seat_reserved"))
    }

    @Test(
        "the first person invited by a key marks the family, which clients don't see as a change")
    func mark() throws {
        let home = try site.home()
        let server = try site.server()
        func state() throws -> String {
            try Connection(site.test.settings()).query(
                """
                SELECT concat_ws(' ', f.entered_by_key, f.updated_at, (
                    SELECT count(*) FROM app.webhook_events AS n
                    WHERE n.family_unit_id = f.id AND n.event_type = 'family.updated'))
                FROM app.family_units AS f WHERE f.id = \(home.id)::uuid
                """
            ).scalar(String.self)
        }
        let before = try state()
        let invited = try site.person(.parent)
        #expect(try accept(link(into: home.id, by: server), as: invited).status == 200)
        #expect(try state() == before.replacing("f ", with: "t ", maxReplacements: 1))
        let isMarked = try Connection(site.test.settings()).query(
            "SELECT entered_after_key FROM app.family_members WHERE user_id = \(invited.person.id)"
        ).scalar(Bool.self)
        #expect(isMarked)
    }

    @Test("revoking a key ends its pending invitations, and those of no other key")
    func revokedKey() throws {
        let (home, other) = (try site.home(), try site.home())
        let (first, second) = (try site.server("Ends"), try site.server())
        let tokens = [try link(into: home.id, by: first), try link(into: other.id, by: first)]
        let kept = try link(into: home.id, by: second)
        let sent = try first.post(
            "/families/\(home.id)/invitations",
            #"{"role": "parent", "email": "ends@example.com"}"#)
        #expect(sent.status == 200)
        try site.asOperator { try $0.revokeAPIKey(first.id) }
        for token in tokens {
            let answer = try accept(token, as: try site.person(.parent))
            #expect(answer.says(404, "invitation_not_found"))
        }
        #expect(try accept(kept, as: try site.person(.parent)).status == 200)
        let secrets = try Connection(site.test.settings()).query(
            """
            SELECT count(*) FROM app.invitation_secrets AS s
            JOIN app.family_invitations AS i ON i.id = s.invitation_id
            WHERE i.invited_by_key = 'Ends'
            """
        ).scalar(Int.self)
        #expect(secrets == 0)
        // A new key of the same name makes a new invitation.
        let renamed = try site.server("Ends")
        let again = try renamed.post(
            "/families/\(home.id)/invitations",
            #"{"role": "parent", "email": "ends@example.com"}"#)
        #expect(again.status == 200 && again.text("invitationId") != sent.text("invitationId"))
    }

    @Test("a revocation waits for an invitation that is being made, and ends it")
    func revokedMeanwhile() throws {
        let home = try site.home()
        let server = try site.server()
        let (site, id) = (try site, server.id)
        let connection = try Connection(site.test.settings(as: "hearth_server"))
        var waiting: BackgroundWork<Void>?
        try connection.transaction { transaction in
            try transaction.query(
                """
                SELECT FROM app.begin_server_request(
                    sha256(convert_to(\(server.key), 'UTF8')), 'invitations:write')
                """)
            try transaction.query(
                """
                SELECT FROM app.server_create_invitation(
                    \(home.id)::uuid, NULL, 'parent', NULL, 'link')
                """)
            waiting = inBackground { try site.asOperator { try $0.revokeAPIKey(id) } }
            let observer = try Connection(site.test.settings())
            try eventually {
                try observer.query(
                    """
                    SELECT count(*) FROM pg_stat_activity AS a
                    WHERE cardinality(pg_blocking_pids(a.pid)) > 0
                        AND a.datname = current_database()
                    """
                ).scalar(Int.self) > 0
            }
        }
        try waiting?.wait()
        let states = try Connection(site.test.settings()).query(
            """
            SELECT string_agg(status, ' ') FROM app.family_invitations
            WHERE family_unit_id = \(home.id)::uuid AND invited_by_key IS NOT NULL
            """
        ).scalar(String.self)
        #expect(states == "revoked")
        #expect(
            try server.post(
                "/families/\(home.id)/invitations", #"{"role": "parent", "delivery": "link"}"#
            ).says(401, "invalid_api_key"))
    }

    @Test("no key can invite into a family without members, and earlier invitations to it end")
    func emptied() throws {
        let creator = try site.person(.player)
        let family = try site.createFamily(by: creator, named: "Left")
        let server = try site.server()
        let token = try link(into: family.id, by: server)
        let left = try creator.delete("/api/family/members/me?familyId=\(family.id)")
        try #require(left.status == 200)
        #expect(
            try accept(token, as: try site.person(.parent)).says(404, "invitation_not_found"))
        #expect(
            try server.post(
                "/families/\(family.id)/invitations", #"{"role": "parent", "delivery": "link"}"#
            ).says(404, "family_not_found"))
    }

    @Test("attempts to invite members count, so that a key can't try any number of addresses")
    func probing() throws {
        let home = try site.home()
        let server = try site.server()
        func probe(_ email: String) throws -> Answer {
            try server.post(
                "/families/\(home.id)/invitations", #"{"role": "parent", "email": "\#(email)"}"#)
        }
        for _ in 1...10 {
            #expect(try probe(home.admin.email).says(409, "person_already_member"))
        }
        for email in [home.admin.email, "nobody@example.com"] {
            #expect(try probe(email).says(429, "too_many_invitations"))
        }
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
