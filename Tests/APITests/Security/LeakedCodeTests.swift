import Domain
import JSON
import Testing

/// Attempts of a person with a leaked family code and more than one account.
@Suite("A leaked family code")
struct LeakedCodeTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private struct Nest {
        let creator: APIClient
        let family: String
        let code: String
        let creatorMember: String
    }

    /// A family created by a player, with a vacant seat of the Parent Admin.
    private func nest() throws -> Nest {
        let creator = try site.person(.player)
        let created = try site.createFamily(by: creator, named: "Nest")
        return Nest(
            creator: creator, family: created.id, code: created.code,
            creatorMember: try member(creator, in: created.id, as: creator))
    }

    private func member(
        _ person: APIClient, in family: String, as reader: APIClient
    ) throws -> String {
        try #require(try site.memberIDs(of: family, seenBy: reader)[person.person.id])
    }

    private func join(_ person: APIClient, _ nest: Nest) throws -> Answer {
        try person.post("/api/family/code/join", #"{"familyCode": "\#(nest.code)"}"#)
    }

    /// Joins the family through a link that `inviter` shares.
    private func comes(_ person: APIClient, invitedBy inviter: APIClient, _ nest: Nest) throws {
        let sent = try inviter.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(nest.family)"}"#)
        let token = try #require(sent.text("inviteUrl")?.split(separator: "=").last)
        let accepted = try person.post("/api/family/invite/\(token)/accept")
        try #require(accepted.status == 200, "\(accepted)")
    }

    private func claim(_ person: APIClient, _ nest: Nest) throws -> Answer {
        let own = try member(person, in: nest.family, as: person)
        return try person.patch(
            "/api/family/members/\(own)", #"{"householdRole": "parent_admin"}"#)
    }

    @Test(
        "joining with a leaked code and several accounts does not win the seat",
        arguments: [MemberRole.parent, .player])
    func secondAccount(side: MemberRole) throws {
        let nest = try nest()
        let (first, second, third) = (
            try site.person(side), try site.person(.parent), try site.person(.parent)
        )
        #expect(try join(first, nest).status == 200)
        if side == .parent {
            #expect(try claim(first, nest).says(403, "seat_reserved"))
        }
        try comes(second, invitedBy: first, nest)
        #expect(try claim(second, nest).says(403, "seat_reserved"))
        // A third account, invited by the second, is refused as well.
        try comes(third, invitedBy: second, nest)
        #expect(try claim(third, nest).says(403, "seat_reserved"))
        #expect(
            try second.delete("/api/family/members/\(nest.creatorMember)").status == 403)
        #expect(try nest.creator.get("/api/family/\(nest.family)").status == 200)
    }

    @Test("people whom the creator invites, approves or promotes may claim the seat")
    func vouched() throws {
        let invited = try nest()
        let guest = try site.person(.parent)
        try comes(guest, invitedBy: invited.creator, invited)
        let next = try site.person(.parent)
        try comes(next, invitedBy: guest, invited)
        #expect(try claim(next, invited).status == 200)

        let approving = try nest()
        _ = try approving.creator.patch(
            "/api/family/\(approving.family)", #"{"approvalRequired": true}"#)
        let waiting = try site.person(.parent)
        #expect(try join(waiting, approving).status == 202)
        let waits = try member(waiting, in: approving.family, as: approving.creator)
        #expect(
            try approving.creator.post("/api/family/members/\(waits)/approve").status == 200)
        #expect(try claim(waiting, approving).status == 200)

        let naming = try nest()
        let named = try site.person(.parent)
        #expect(try join(named, naming).status == 200)
        #expect(try claim(named, naming).says(403, "seat_reserved"))
        let path = "/api/family/members/\(try member(named, in: naming.family, as: named))"
        #expect(
            try naming.creator.patch(path, #"{"householdRole": "parent_admin"}"#).status == 200)
        // An adult whom the creator has named may step down and claim the seat again.
        #expect(try named.patch(path, #"{"householdRole": "adult"}"#).status == 200)
        #expect(try claim(named, naming).status == 200)
    }

    @Test("trust does not change if an invitation is resent, or a member leaves and comes back")
    func unchanged() throws {
        let nest = try nest()
        let (first, second) = (try site.person(.parent), try site.person(.parent))
        #expect(try join(first, nest).status == 200)
        let sent = try first.post(
            "/api/family/invite",
            #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(nest.family)"}"#)
        let id = try #require(sent.text("invitationId"))
        try site.execute(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = '\(id)'
            """)
        let again = try nest.creator.post("/api/family/invitations/\(id)/resend")
        let token = try #require(again.text("inviteUrl")?.split(separator: "=").last)
        #expect(try second.post("/api/family/invite/\(token)/accept").status == 200)
        #expect(try claim(second, nest).says(403, "seat_reserved"))

        let guest = try site.person(.parent)
        try comes(guest, invitedBy: nest.creator, nest)
        let me = "/api/family/members/me?familyId=\(nest.family)"
        #expect(try guest.delete(me).status == 200)
        #expect(try join(guest, nest).status == 200)
        #expect(try claim(guest, nest).status == 200)
    }

    @Test("the seat stays reserved for vouched adults, if there are any, after the creator leaves")
    func creatorGone() throws {
        let nest = try nest()
        let (byCode, guest) = (try site.person(.parent), try site.person(.parent))
        #expect(try join(byCode, nest).status == 200)
        try comes(guest, invitedBy: nest.creator, nest)
        let me = "/api/family/members/me?familyId=\(nest.family)"
        #expect(try nest.creator.delete(me).status == 200)
        #expect(try claim(byCode, nest).says(403, "seat_reserved"))
        let own = try member(guest, in: nest.family, as: guest)
        // A visitor can't claim the seat, vouched for or not.
        #expect(
            try guest.patch("/api/family/members/\(own)", #"{"householdRole": "visitor"}"#)
                .status == 200)
        #expect(try claim(byCode, nest).status == 200)
    }

    @Test("the creator may remove a person who joined with the code, together with their children")
    func shield() throws {
        let nest = try nest()
        let stranger = try site.person(.parent)
        #expect(try join(stranger, nest).status == 200)
        var children: [String] = []
        while case let added = try stranger.post("/api/family/managed", #"{"displayName": "C"}"#),
            added.status == 201
        {
            children.append(try #require(added.text("id")))
        }
        #expect(children.count == 6)
        for (path, child) in zip(["/api/family/managed", "/api/family/members"], children) {
            #expect(try nest.creator.delete("\(path)/\(child)").status == 200)
        }
        // The other children are removed with their guardian, who could add more while they are
        // removed one by one.
        let target = try member(stranger, in: nest.family, as: nest.creator)
        let removed = try nest.creator.delete("/api/family/members/\(target)")
        #expect(removed.status == 200, "\(removed)")
        let count = try nest.creator.get("/api/family/members").json["count"].integer()
        #expect(count == 1)
        #expect(try stranger.get("/api/family/\(nest.family)").status == 404)
        // So there is room for a person whom the creator trusts.
        try comes(try site.person(.parent), invitedBy: nest.creator, nest)
    }

    @Test("the creator can't remove children of a guardian whom a member vouches for")
    func trustedGuardian() throws {
        let nest = try nest()
        let (mother, stranger) = (try site.person(.parent), try site.person(.parent))
        try comes(mother, invitedBy: nest.creator, nest)
        #expect(try join(stranger, nest).status == 200)
        let children = try [mother, stranger].map { guardian in
            let added = try guardian.post("/api/family/managed", #"{"displayName": "C"}"#)
            return try #require(added.text("id"))
        }
        #expect(
            try nest.creator.delete("/api/family/members/\(children[0])")
                .says(403, "target_is_managed"))
        // With a Parent Admin in the seat, only that person may remove the child.
        #expect(try claim(mother, nest).status == 200)
        #expect(
            try nest.creator.delete("/api/family/members/\(children[1])")
                .says(403, "target_is_managed"))
        #expect(try mother.delete("/api/family/members/\(children[1])").status == 200)
    }

    @Test("a member who joined with the code can't bring back a removed creator")
    func creatorComesBack() throws {
        let nest = try nest()
        let (mother, aunt) = (try site.person(.parent), try site.person(.parent))
        try comes(mother, invitedBy: nest.creator, nest)
        try comes(aunt, invitedBy: nest.creator, nest)
        #expect(try claim(mother, nest).status == 200)
        #expect(
            try mother.delete("/api/family/members/\(nest.creatorMember)").status == 200)
        #expect(try join(nest.creator, nest).status == 202)

        let second = try site.person(.parent)
        #expect(try join(second, nest).status == 200)
        let sent = try second.post(
            "/api/family/invite", #"{"role": "parent", "delivery": "link"}"#)
        let token = try #require(sent.text("inviteUrl")?.split(separator: "=").last)
        let accepted = try nest.creator.post("/api/family/invite/\(token)/accept")
        #expect(accepted.says(403, "removed_from_family"))
        let target = try member(aunt, in: nest.family, as: mother)
        #expect(try nest.creator.delete("/api/family/members/\(target)").status == 404)
        // A member who is vouched for may bring back anybody.
        try comes(nest.creator, invitedBy: aunt, nest)
    }

    @Test("an invitation from a member who joined with the code does not restore a lowered role")
    func loweredComesBack() throws {
        let nest = try nest()
        let mother = try site.person(.parent)
        try comes(mother, invitedBy: nest.creator, nest)
        #expect(try claim(mother, nest).status == 200)
        let path = "/api/family/members/\(nest.creatorMember)"
        #expect(try mother.patch(path, #"{"householdRole": "visitor"}"#).status == 200)
        let me = "/api/family/members/me?familyId=\(nest.family)"
        #expect(try nest.creator.delete(me).status == 200)

        let second = try site.person(.parent)
        #expect(try join(second, nest).status == 200)
        try comes(nest.creator, invitedBy: second, nest)
        let renamed = try nest.creator.patch(
            "/api/family/\(nest.family)", #"{"familyName": "Mine"}"#)
        #expect(renamed.status == 403)
    }
}
