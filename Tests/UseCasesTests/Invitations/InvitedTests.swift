import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Answering invitations")
struct InvitedTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test(
        "the preview by token shows the invitation, with the address masked for all but its owner")
    func preview() throws {
        let entry = try entry
        let family = try entry.family()
        let invited = RequestContext.person()
        let address = try #require(invited.email)
        let invitation = try entry.invite(.email(address), by: family.player)
        let token = try entry.mailedToken(invitation.id)
        for caller in [nil, RequestContext.person()] {
            let preview = try entry.preview(token, by: caller)
            #expect(preview.email == address.masked)
            #expect(preview.familyName == "The Terns" && preview.inviterName == "Kim")
            #expect(preview.role == .parent && preview.id == invitation.id)
        }
        #expect(try entry.preview(token, by: invited).email == address.text)
        var unverified = invited
        unverified.isEmailVerified = false
        #expect(try entry.preview(token, by: unverified).email == address.masked)
        let link = try entry.link(by: family.player)
        #expect(try entry.preview(link).email.isEmpty)
    }

    @Test("a malformed or unknown token is not found")
    func absent() throws {
        let unknown = String(repeating: "A", count: 43)
        for token in ["", "x", unknown, String(repeating: "é", count: 43)] {
            let preview = try refusal { try entry.preview(token) }
            #expect(preview == .invitationNotFound)
            let accept = try refusal { try entry.accept(RequestContext.person(), token) }
            #expect(accept == .invitationNotFound)
        }
        let byID = try refusal {
            try ReceivedInvitationService(try entry.database).accept(
                by: RequestContext.person(), .id(.random()), from: .somewhere())
        }
        #expect(byID == .invitationNotFound)
    }

    @Test("the addressee accepts by token or id, once")
    func accept() throws {
        let entry = try entry
        for isByID in [true, false] {
            let family = try entry.family()
            let invited = RequestContext.person(.player)
            let invitation = try entry.invite(
                .email(#require(invited.email)), by: family.adult, role: .parent, as: .visitor)
            let token = try entry.mailedToken(invitation.id)
            let reference: InvitationReference = isByID ? .id(invitation.id) : .token(token)
            let receivedInvitations = ReceivedInvitationService(entry.database)
            let accepted = try receivedInvitations.accept(
                by: invited, reference, from: .somewhere())
            #expect(accepted.outcome == .joined && accepted.family == family.id)
            let again = try receivedInvitations.accept(by: invited, reference, from: .somewhere())
            #expect(again.outcome == .alreadyAccepted && again.family == family.id)
            let me = try entry.members(invited, nil).first { $0.id == accepted.member }
            #expect(me?.householdRole == .visitor && me?.role == .parent)
            #expect(me?.joinedVia == .invitation)
            let another = try refusal { try entry.accept(RequestContext.person(), token) }
            #expect(another == .invitationAnswered)
            let preview = try refusal { try entry.preview(token) }
            #expect(preview == .invitationAnswered)
        }
    }

    @Test("an e-mailed invitation can be answered only by the account with the verified address")
    func addressee() throws {
        let entry = try entry
        let family = try entry.family()
        let invited = RequestContext.person()
        let invitation = try entry.invite(.email(#require(invited.email)), by: family.adult)
        let token = try entry.mailedToken(invitation.id)
        var unverified = invited
        unverified.isEmailVerified = false
        for caller in [RequestContext.person(), unverified] {
            let accept = try refusal { try entry.accept(caller, token) }
            #expect(accept == .notTheAddressee)
            let decline = try refusal { try entry.decline(caller, token) }
            #expect(decline == .notTheAddressee)
            let byID = try refusal {
                try ReceivedInvitationService(entry.database).accept(
                    by: caller, .id(invitation.id), from: .somewhere())
            }
            #expect(byID == .invitationNotFound)
        }
        // An address that looks like the masked form doesn't open the invitation.
        var masked = RequestContext.person()
        masked.email = EmailAddress(try #require(invited.email).masked)
        let told = try refusal { try entry.accept(masked, token) }
        #expect(told == .notTheAddressee)
    }

    @Test("an anonymous caller and a caller acting for a child can't answer")
    func nobody() throws {
        let entry = try entry
        let family = try entry.family()
        let token = try entry.link(by: family.admin)
        var anonymous = RequestContext.person()
        anonymous.isAnonymous = true
        let accept = try refusal { try entry.accept(anonymous, token) }
        #expect(accept == .accountRequired)
        let acting = try refusal { try entry.decline(family.actingForChild, token) }
        #expect(acting == .notWhileActing)
        let mine = try refusal {
            try ReceivedInvitationService(entry.database).list(by: family.actingForChild)
        }
        #expect(mine == .notWhileActing)
    }

    @Test("a link admits the first person who accepts; a member does not use it up")
    func link() throws {
        let entry = try entry
        let family = try entry.family()
        let token = try entry.link(by: family.player)
        let receivedInvitations = ReceivedInvitationService(entry.database)
        let member = try receivedInvitations.accept(
            by: family.adult, .token(token), from: .somewhere())
        #expect(member.outcome == .alreadyMember && member.family == family.id)
        try entry.accept(RequestContext.person(), token)
        let late = try refusal { try entry.accept(RequestContext.person(), token) }
        #expect(late == .invitationAnswered)
    }

    @Test(
        "a declined invitation is reported as answered and an expired one as expired, to everybody")
    func closed() throws {
        let entry = try entry
        let family = try entry.family()
        let invited = RequestContext.person()
        let invitation = try entry.invite(.email(#require(invited.email)), by: family.adult)
        let token = try entry.mailedToken(invitation.id)
        try entry.decline(invited, token)
        for caller in [invited, RequestContext.person()] {
            let told = try refusal { try entry.accept(caller, token) }
            #expect(told == .invitationAnswered)
        }
        let declined = try refusal { try entry.decline(invited, token) }
        #expect(declined == .invitationAnswered)
        let second = try entry.invite(.email(#require(invited.email)), by: family.adult)
        try entry.expire(second.id)
        let expired = try refusal {
            try entry.accept(RequestContext.person(), try entry.mailedToken(second.id))
        }
        #expect(expired == .invitationExpired)
        let pending = try entry.database.run(
            InvitationService.list(by: family.adult, family: nil))
        #expect(pending.items.isEmpty)
    }

    @Test("a person's received invitations are those from all families to the verified address")
    func mine() throws {
        let entry = try entry
        let invited = RequestContext.person()
        let families = try (0..<2).map { _ in try entry.family() }
        let ids = try families.map {
            try entry.invite(.email(#require(invited.email)), by: $0.admin).id
        }
        let receivedInvitations = ReceivedInvitationService(entry.database)
        #expect(try receivedInvitations.list(by: invited).map(\.id) == ids.reversed())
        #expect(try receivedInvitations.list(by: invited).map(\.inviterName) == ["Ada", "Ada"])
        try ReceivedInvitationService(entry.database).decline(
            by: invited, .id(ids[0]), from: .somewhere())
        #expect(try receivedInvitations.list(by: invited).map(\.id) == [ids[1]])
        var unverified = invited
        unverified.isEmailVerified = false
        #expect(try receivedInvitations.list(by: unverified).isEmpty)
    }

    @Test("an invitation stays open when the family is full or the player has another family")
    func inTheWay() throws {
        let entry = try entry
        let family = try entry.family()
        let player = RequestContext.person(.player)
        try entry.join(RequestContext.person(), entry.create(player).code)
        let token = try entry.link(by: family.adult, role: .player)
        let busy = try refusal { try entry.accept(player, token) }
        #expect(busy == .playerHasFamily)
        for _ in 0..<3 { _ = try family.joiner() }
        let full = try refused { try entry.accept(RequestContext.person(), token) }
        #expect(full?.code == .familyFull && full?.parameter == .memberLimit(8))
        #expect(try entry.preview(token).familyName == "The Terns")
    }

    @Test("an invitation readmits a removed member, with the invited role")
    func back() throws {
        let entry = try entry
        let family = try entry.family()
        try MemberService(entry.database).remove(
            by: family.admin, member: try family.member(family.visitor))
        let token = try entry.link(by: family.admin)
        try entry.accept(family.visitor, token)
        let me = try entry.members(family.visitor, nil)
            .first { $0.user == family.visitor.adoptedID }
        #expect(me?.householdRole == .adult)
    }

    @Test("a client address can use sixty tokens in five minutes, acceptances included")
    func limit() throws {
        let entry = try entry
        let family = try entry.family()
        let token = try entry.link(by: family.admin)
        let client = ClientAddress.somewhere()
        for index in 0..<60 {
            if index.isMultiple(of: 2) {
                _ = try ReceivedInvitationService(entry.database).preview(
                    by: nil, token: token, from: client)
            } else {
                _ = try refusal {
                    try ReceivedInvitationService(entry.database).accept(
                        by: family.adult, .token(token), from: client)
                }
            }
        }
        let limited = try refused {
            try ReceivedInvitationService(entry.database).preview(
                by: nil, token: token, from: client)
        }
        #expect(limited?.code == .tooManyAttempts)
        #expect(try (1...300).contains(#require(limited?.seconds)))
        let elsewhere = try entry.preview(token)
        #expect(elsewhere.familyName == "The Terns")
    }
}
