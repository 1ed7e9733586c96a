import Domain
import Policy
import Testing
import UseCases

@Suite("Being invited")
struct InvitedTests {
    static let household = Result { try Household() }
    private var household: Household { get throws { try Self.household.get() } }

    @Test("who holds the token is told what it is about, the address masked but to its owner")
    func preview() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let invited = Household.person()
        let address = try #require(invited.email)
        let invitation = try household.invite(.email(address), by: family.player)
        let token = try household.mailedToken(invitation.id)
        for caller in [nil, Household.person()] {
            let preview = try household.preview(token, by: caller)
            #expect(preview.email == address.masked)
            #expect(preview.familyName == "The Terns" && preview.inviterName == "Player")
            #expect(preview.role == .parent && preview.id == invitation.id)
        }
        #expect(try household.preview(token, by: invited).email == address.text)
        var unverified = invited
        unverified.isEmailVerified = false
        #expect(try household.preview(token, by: unverified).email == address.masked)
        let link = try household.link(by: family.player)
        #expect(try household.preview(link).email.isEmpty)
    }

    @Test("what is no token, or leads nowhere, is absent")
    func absent() throws {
        let unknown = String(repeating: "A", count: 43)
        for token in ["", "x", unknown, String(repeating: "é", count: 43)] {
            let preview = try refusal { try household.preview(token) }
            #expect(preview == .invitationNotFound)
            let accept = try refusal { try household.accept(Household.person(), token) }
            #expect(accept == .invitationNotFound)
        }
        let byID = try refusal {
            try AcceptInvitation(try household.database)(
                by: Household.person(), .id(.random()), from: Household.somewhere())
        }
        #expect(byID == .invitationNotFound)
    }

    @Test("the addressee accepts by token or id, once and for all")
    func accept() throws {
        let household = try household
        for isByID in [true, false] {
            let family = try TestFamily(in: household)
            let invited = Household.person(.player)
            let invitation = try household.invite(
                .email(#require(invited.email)), by: family.adult, role: .parent, as: .visitor)
            let token = try household.mailedToken(invitation.id)
            let reference: InvitationReference = isByID ? .id(invitation.id) : .token(token)
            let accept = AcceptInvitation(household.database)
            let accepted = try accept(by: invited, reference, from: Household.somewhere())
            #expect(accepted.outcome == .joined && accepted.family == family.id)
            let again = try accept(by: invited, reference, from: Household.somewhere())
            #expect(again.outcome == .alreadyAccepted && again.family == family.id)
            let me = try household.members(invited, nil).first { $0.id == accepted.member }
            #expect(me?.householdRole == .visitor && me?.role == .parent)
            #expect(me?.joinedVia == .invitation)
            let another = try refusal { try household.accept(Household.person(), token) }
            #expect(another == .invitationAnswered)
            let preview = try refusal { try household.preview(token) }
            #expect(preview == .invitationAnswered)
        }
    }

    @Test("an e-mailed invitation is for the account with that verified address alone")
    func addressee() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let invited = Household.person()
        let invitation = try household.invite(.email(#require(invited.email)), by: family.adult)
        let token = try household.mailedToken(invitation.id)
        var unverified = invited
        unverified.isEmailVerified = false
        for caller in [Household.person(), unverified] {
            let accept = try refusal { try household.accept(caller, token) }
            #expect(accept == .notTheAddressee)
            let decline = try refusal { try household.decline(caller, token) }
            #expect(decline == .notTheAddressee)
            let byID = try refusal {
                try AcceptInvitation(household.database)(
                    by: caller, .id(invitation.id), from: Household.somewhere())
            }
            #expect(byID == .invitationNotFound)
        }
        // An address that looks like the masked form is no key to the invitation.
        var masked = Household.person()
        masked.email = EmailAddress(try #require(invited.email).masked)
        let told = try refusal { try household.accept(masked, token) }
        #expect(told == .notTheAddressee)
    }

    @Test("an anonymous caller, and one who acts for a child, answer nothing")
    func nobody() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let token = try household.link(by: family.admin)
        var anonymous = Household.person()
        anonymous.isAnonymous = true
        let accept = try refusal { try household.accept(anonymous, token) }
        #expect(accept == .accountRequired)
        let acting = try refusal { try household.decline(family.actingForChild, token) }
        #expect(acting == .notWhileActing)
        let mine = try refusal {
            try ListMyInvitations(household.database)(by: family.actingForChild)
        }
        #expect(mine == .notWhileActing)
    }

    @Test("a link binds to the first who accepts; a member leaves it unused")
    func link() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let token = try household.link(by: family.player)
        let accept = AcceptInvitation(household.database)
        let member = try accept(by: family.adult, .token(token), from: Household.somewhere())
        #expect(member.outcome == .alreadyMember && member.family == family.id)
        try household.accept(Household.person(), token)
        let late = try refusal { try household.accept(Household.person(), token) }
        #expect(late == .invitationAnswered)
    }

    @Test("a declined one is answered, an expired one over, whoever asks")
    func closed() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let invited = Household.person()
        let invitation = try household.invite(.email(#require(invited.email)), by: family.adult)
        let token = try household.mailedToken(invitation.id)
        try household.decline(invited, token)
        for caller in [invited, Household.person()] {
            let told = try refusal { try household.accept(caller, token) }
            #expect(told == .invitationAnswered)
        }
        let declined = try refusal { try household.decline(invited, token) }
        #expect(declined == .invitationAnswered)
        let second = try household.invite(.email(#require(invited.email)), by: family.adult)
        try household.expire(second.id)
        let expired = try refusal {
            try household.accept(Household.person(), try household.mailedToken(second.id))
        }
        #expect(expired == .invitationExpired)
        let pending = try ListInvitations(household.database)(by: family.adult, family: nil)
        #expect(pending.invitations.isEmpty)
    }

    @Test("one's invitations are listed over all families, for the verified address")
    func mine() throws {
        let household = try household
        let invited = Household.person()
        let families = try (0..<2).map { _ in try TestFamily(in: household) }
        let ids = try families.map {
            try household.invite(.email(#require(invited.email)), by: $0.admin).id
        }
        let list = ListMyInvitations(household.database)
        #expect(try list(by: invited).map(\.id) == ids.reversed())
        #expect(try list(by: invited).map(\.inviterName) == ["Admin", "Admin"])
        try DeclineInvitation(household.database)(
            by: invited, .id(ids[0]), from: Household.somewhere())
        #expect(try list(by: invited).map(\.id) == [ids[1]])
        var unverified = invited
        unverified.isEmailVerified = false
        #expect(try list(by: unverified).isEmpty)
    }

    @Test("a full family takes nobody, a player belongs to one family; the invitation stays open")
    func inTheWay() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let player = Household.person(.player)
        _ = try household.create(player)
        let token = try household.link(by: family.adult, role: .player)
        let busy = try refusal { try household.accept(player, token) }
        #expect(busy == .playerHasFamily)
        for _ in 0..<3 { _ = try household.joiner(family) }
        let full = try refused { try household.accept(Household.person(), token) }
        #expect(full?.code == .familyFull && full?.parameter == .memberLimit(8))
        #expect(try household.preview(token).familyName == "The Terns")
    }

    @Test("an invitation brings back who was removed, as what it says")
    func back() throws {
        let household = try household
        let family = try TestFamily(in: household)
        try RemoveMember(household.database)(
            by: family.admin, member: try family.member(family.visitor))
        let token = try household.link(by: family.admin)
        try household.accept(family.visitor, token)
        let me = try household.members(family.visitor, nil)
            .first { $0.user == family.visitor.adoptedID }
        #expect(me?.householdRole == .adult)
    }

    @Test("one address looks at sixty tokens in five minutes, accepting included")
    func limit() throws {
        let household = try household
        let family = try TestFamily(in: household)
        let token = try household.link(by: family.admin)
        let client = Household.somewhere()
        for index in 0..<60 {
            if index.isMultiple(of: 2) {
                _ = try PreviewInvitation(household.database)(by: nil, token: token, from: client)
            } else {
                _ = try refusal {
                    try AcceptInvitation(household.database)(
                        by: family.adult, .token(token), from: client)
                }
            }
        }
        let limited = try refused {
            try PreviewInvitation(household.database)(by: nil, token: token, from: client)
        }
        #expect(limited?.code == .tooManyAttempts)
        #expect(try (1...300).contains(#require(limited?.seconds)))
        let elsewhere = try household.preview(token)
        #expect(elsewhere.familyName == "The Terns")
    }
}
