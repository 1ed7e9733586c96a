import Domain
import JSON
import Testing

@Suite("Routes of received invitations")
struct ReceivedInvitationRoutesTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    @Test("the account that accepted a link may repeat the request, and another account gets 409")
    func link() throws {
        let home = try site.home()
        let (_, token) = try home.link()
        let path = "/api/family/invite/\(token)"
        let guest = try site.person(.parent)
        let accepted = try guest.post(path + "/accept")
        #expect(accepted.status == 200 && accepted.text("familyUnitId") == home.id)
        #expect(try guest.post(path + "/accept").text("familyUnitId") == home.id)
        let other = try site.person(.parent)
        #expect(try other.post(path + "/accept").says(409, "invitation_answered"))
        #expect(try other.post(path + "/decline").says(409, "invitation_answered"))
        #expect(
            try site.send("GET", path).says(
                409, "invitation_answered", "You're already connected to this family."))
        #expect(try guest.get("/api/family/members").status == 200)
    }

    @Test("an e-mail invitation can be answered only by its address, which others see masked")
    func email() throws {
        let home = try site.home()
        let guest = try site.person(.parent, email: "guest@example.com")
        let id = try home.invite("guest@example.com")
        let listed = try guest.get("/api/me/invitations").json["invitations"].elements()
        let mine = try #require(listed.first)
        #expect(listed.count == 1)
        #expect(try mine["id"].string() == id && mine["familyName"].string() == "Gulls")
        #expect(try mine["inviterName"].string() == "Ada" && mine["role"].string() == "parent")
        let accept = "/api/me/invitations/\(id)/accept"
        let other = try site.person(.parent)
        #expect(try other.get("/api/me/invitations").json["invitations"].elements().isEmpty)
        #expect(try other.post(accept).says(404, "invitation_not_found"))
        #expect(try guest.post(accept).text("familyUnitId") == home.id)
        #expect(try guest.get("/api/me/invitations").json["invitations"].elements().isEmpty)
    }

    @Test(
        "another account that opens an e-mailed invitation's link sees which address must sign in")
    func notTheAddressee() throws {
        let home = try site.home()
        let guest = try site.person(.parent, email: "linked@example.com")
        let id = try home.invite(guest.email)
        let token = try site.token(ofInvitation: id)
        let path = "/api/family/invite/\(token)"
        let other = try site.person(.parent)
        #expect(try site.send("GET", path).text("email") == "l***@example.com")
        #expect(try other.get(path).text("email") == "l***@example.com")
        #expect(try guest.get(path).text("email") == guest.email)
        for verb in ["accept", "decline"] {
            #expect(
                try other.post("\(path)/\(verb)").says(
                    403, "not_the_addressee",
                    "This invite was sent to a different email address. "
                        + "Please sign in with the account that received the invite."))
        }
        try site.execute(
            "UPDATE app.family_invitations SET expires_at = now() - interval '1 s' WHERE id = '\(id)'"
        )
        #expect(try other.post(path + "/accept").says(410, "invitation_expired"))
        #expect(
            try site.send("GET", path).says(
                410, "invitation_expired",
                "This invite link has expired. Ask the sender to resend."))
        _ = try home.admin.delete("/api/family/invitations/\(id)")
    }

    @Test("previewing an invitation changes nothing")
    func looking() throws {
        let home = try site.home()
        let (id, token) = try home.link()
        for _ in 0..<3 {
            #expect(try site.send("GET", "/api/family/invite/\(token)").status == 200)
        }
        let pending = try home.admin.get("/api/family/invitations").json["invitations"].elements()
        #expect(try pending.contains { try $0["id"].string() == id })
    }

    @Test("an invitation can be declined through its link or its id, and then not accepted")
    func decline() throws {
        let home = try site.home()
        let guest = try site.person(.parent, email: "decliner@example.com")
        let id = try home.invite(guest.email)
        let declined = try guest.post("/api/me/invitations/\(id)/decline")
        #expect(declined.status == 200)
        let declinedText = "This invitation was declined."
        #expect(
            try guest.post("/api/me/invitations/\(id)/accept").says(
                409, "invitation_answered", declinedText))
        let (_, token) = try home.link()
        #expect(try guest.post("/api/family/invite/\(token)/decline").status == 200)
        #expect(
            try guest.post("/api/family/invite/\(token)/accept").says(
                409, "invitation_answered", declinedText))
    }

    @Test("a request for an unknown invitation gets 404, and accepting one without a sign-in 401")
    func absent() throws {
        let guest = try site.person(.parent)
        let never = String(repeating: "A", count: 43)
        for token in ["x", never] {
            #expect(
                try site.send("GET", "/api/family/invite/\(token)").says(
                    404, "invitation_not_found"))
            #expect(
                try guest.post("/api/family/invite/\(token)/accept").says(
                    404, "invitation_not_found"))
        }
        #expect(
            try site.send("POST", "/api/family/invite/\(never)/accept", body: "{}").says(
                401, "not_signed_in"))
        #expect(
            try guest.post("/api/me/invitations/\(InvitationID.random())/accept").says(
                404, "invitation_not_found"))
        #expect(try guest.post("/api/me/invitations/1/decline").says(404, "invitation_not_found"))
        #expect(try site.send("GET", "/api/family/invite/\(never)", token: "bad").status == 401)
        let nobody = try site.nobody()
        #expect(try nobody.get("/api/family/invite/\(never)").says(404, "invitation_not_found"))
    }

    @Test("accepting an invitation for the other role is refused, with a message for each role")
    func sides() throws {
        let home = try site.home()
        let other = try site.home()
        let (_, forPlayer) = try home.link(role: .player)
        let (_, forParent) = try home.link(role: .parent)
        #expect(
            try other.adult.post("/api/family/invite/\(forPlayer)/accept").says(
                409, "role_mismatch",
                "This invitation is for a player. Your account is a parent's."))
        #expect(
            try other.player.post("/api/family/invite/\(forParent)/accept").says(
                409, "role_mismatch",
                "This invitation is for a parent. Your account is a player's."))
    }

    @Test("a player alone in a family leaves it by accepting; the response has the old family's id")
    func leavesSolitaryFamily() throws {
        let home = try site.home()
        let player = try site.person(.player)
        let own = try player.post("/api/family/create").text("familyId")
        let (_, token) = try home.link(role: .player)
        let accepted = try player.post("/api/family/invite/\(token)/accept")
        #expect(accepted.status == 200 && accepted.text("leftFamilyId") == own)
        #expect(accepted.text("familyUnitId") == home.id)
    }

    @Test("a player who shares a family stays in it, and a full family admits nobody")
    func refusedSeats() throws {
        let home = try site.home()
        let other = try site.home("Kites")
        let player = other.player
        let (_, token) = try home.link(role: .player)
        let busy = try player.post("/api/family/invite/\(token)/accept")
        #expect(
            busy.says(
                409, "player_has_family",
                "A player can belong to one family only. Leave \"Kites\" first."))
        #expect(busy.text("familyId") == other.id && busy.text("familyName") == "Kites")
        for _ in 0..<5 {
            _ = try site.person(.parent).post(
                "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        }
        #expect(
            try site.person(.player).post("/api/family/invite/\(token)/accept").says(
                409, "family_full", "This family is full (maximum 8 members)."))
    }

    @Test("a link made before a removal does not readmit the member; a later link does")
    func linkFromBefore() throws {
        let home = try site.home()
        let before = try home.link()
        let member = try home.member(home.adult)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        let refused = try home.adult.post("/api/family/invite/\(before.token)/accept")
        #expect(refused.says(403, "removed_from_family"))
        #expect(try home.adult.get("/api/family/\(home.id)").status == 404)
        let since = try home.link()
        #expect(try home.adult.post("/api/family/invite/\(since.token)/accept").status == 200)
        #expect(try home.adult.get("/api/family/\(home.id)").status == 200)
    }

    @Test("a member who left comes back through an older link with no higher role than before")
    func noMoreThanBefore() throws {
        let home = try site.home()
        let before = try home.link(role: .player)
        try home.set(home.adult, to: .visitor)
        #expect(try home.adult.delete("/api/family/members/me").status == 200)
        #expect(try home.adult.post("/api/family/invite/\(before.token)/accept").status == 200)
        let family = try home.adult.get("/api/family/\(home.id)")
        #expect(family.text("role") == "player" && family.text("householdRole") == "visitor")
    }

    @Test("a removed member's repeated acceptance gets 409")
    func acceptedOnce() throws {
        let home = try site.home()
        let guest = try site.person(.parent)
        let path = "/api/me/invitations/\(try home.invite(guest.email))/accept"
        for _ in 1...2 { #expect(try guest.post(path).status == 200) }
        let member = try home.member(guest)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        #expect(try guest.post(path).says(409, "invitation_answered"))
    }
}

extension Site {
    /// The token in the mailed link of an invitation.
    func token(ofInvitation id: String) throws -> String {
        let id = try #require(ID<Invitation>(id))
        return try Self.keys().token(of: id, generation: 1).text
    }
}
