import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Sending invitations")
struct InvitingTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("an e-mailed invitation's link is never returned, a shared link only to its sender")
    func tokens() throws {
        let family = try entry.family()
        let address = try #require(EmailAddress("somebody@example.com"))
        let mailed = try entry.invite(.email(address), by: family.player)
        #expect(mailed.token == nil && mailed.delivery == .email && !mailed.isRenewed)
        let token = try #require(try entry.invite(by: family.player).token)
        #expect(InvitationToken(token.text) == token)
        let dump = try entry.count(
            """
            SELECT count(*) FROM app.invitation_secrets
            WHERE position(convert_to(\(token.text), 'UTF8') IN token_hash) > 0
                OR token_hash = convert_to(\(token.text), 'UTF8')
            """)
        #expect(dump == 0)
        #expect(try entry.auditCount(family.id, "invitation.create") == 2)
    }

    @Test("players can invite parents, adults either role; nobody can invite a Parent Admin")
    func rights() throws {
        let family = try entry.family()
        let byPlayer = try refusal { try entry.invite(by: family.player, role: .player) }
        #expect(byPlayer == .roleTooHigh)
        for caller in [family.player, family.adult, family.admin] {
            let told = try refusal {
                try entry.invite(by: caller, role: .parent, as: .parentAdmin)
            }
            #expect(told == .roleTooHigh)
        }
        let byAdult = try refusal { try entry.invite(by: family.adult, role: .player) }
        #expect(byAdult == nil)
    }

    @Test("a second invitation to an address renews the first with a new link, after a minute")
    func renewed() throws {
        let family = try entry.family()
        let invited = RequestContext.person()
        let address = try #require(invited.email)
        let first = try entry.invite(.email(address), by: family.adult)
        let hasty = try refused { try entry.invite(.email(address), by: family.admin) }
        #expect(hasty?.code == .invitationJustSent)
        #expect(try (1...60).contains(#require(hasty?.seconds)))
        #expect(try entry.preview(entry.mailedToken(first.id)).id == first.id)
        try entry.passResendMinute(first.id)
        let second = try entry.invite(.email(address), by: family.admin)
        #expect(second.id == first.id && second.isRenewed)
        let old = try entry.mailedToken(first.id)
        let dead = try refusal { try entry.preview(old) }
        #expect(dead == .invitationNotFound)
        let new = try entry.mailedToken(first.id, generation: 2)
        #expect(try entry.preview(new).id == first.id)
        let list = try entry.database.run(
            InvitationService.list(by: family.admin, family: nil)
        )
        .items
        #expect(list.map(\.id) == [first.id])
    }

    @Test("policy and database refuse to renew an invitation for a member who may not resend it")
    func alreadyInvited() throws {
        let entry = try entry
        let family = try entry.family()
        let address = try #require(RequestContext.person().email)
        let first = try entry.invite(.email(address), by: family.adult)
        let told = try ending { try entry.invite(.email(address), by: family.player) }
        #expect(told?.code == .alreadyInvited && told?.underlying == nil)
        let token = try entry.mailedToken(first.id)
        #expect(try entry.preview(token).id == first.id)
    }

    @Test("inviting a member is refused")
    func member() throws {
        let family = try entry.family()
        let address = try #require(family.adult.email)
        let told = try refusal { try entry.invite(.email(address), by: family.player) }
        #expect(told == .personAlreadyMember)
    }

    @Test("an account can send ten invitations an hour, refused ones not counted")
    func limit() throws {
        let family = try entry.family()
        for _ in 0..<5 {
            _ = try refusal { try entry.invite(by: family.player, role: .player) }
        }
        for _ in 0..<10 { _ = try entry.invite(by: family.player) }
        let limited = try refused {
            try entry.invite(by: family.player)
        }
        #expect(limited?.code == .tooManyInvitations)
        #expect(try (1...3_600).contains(#require(limited?.seconds)))
        let list = try entry.database.run(
            InvitationService.list(by: family.player, family: family.id)
        )
        .items
        #expect(list.count == 10 && list.allSatisfy { $0.delivery == .link && $0.email.isEmpty })
        let times = list.map(\.createdAt.microseconds)
        #expect(times == times.sorted(by: >))
    }

    @Test("resending replaces the old link, once a minute, while the invitation is pending")
    func resend() throws {
        let entry = try entry
        let family = try entry.family()
        let invitations = InvitationService(entry.database, try testKeys())
        let first = try entry.invite(by: family.adult)
        let token = try #require(first.token).text
        let limited = try refused {
            try invitations.resend(by: family.adult, invitation: first.id)
        }
        #expect(limited?.code == .invitationJustSent)
        #expect(try (1...60).contains(#require(limited?.seconds)))
        try entry.passResendMinute(first.id)
        let byPlayer = try refusal {
            try invitations.resend(by: family.player, invitation: first.id)
        }
        #expect(byPlayer == .standingTooLow)
        let again = try invitations.resend(by: family.admin, invitation: first.id)
        #expect(again.id == first.id && again.token?.text != token && again.isRenewed)
        let old = try refusal { try entry.accept(RequestContext.person(), token) }
        #expect(old == .invitationNotFound)
        try entry.accept(RequestContext.person(), try #require(again.token).text)
        let answered = try refusal {
            try invitations.resend(by: family.adult, invitation: first.id)
        }
        #expect(answered == .invitationNotFound)
    }

    @Test("sender, creator and Parent Admin can revoke an invitation, which is then not found")
    func revoke() throws {
        let entry = try entry
        let family = try entry.family()
        let invitations = InvitationService(entry.database, try testKeys())
        for caller in [family.adult, family.admin] {
            let invitation = try entry.invite(by: family.adult)
            let token = try #require(invitation.token).text
            let byPlayer = try refusal {
                try invitations.revoke(by: family.player, invitation: invitation.id)
            }
            #expect(byPlayer == .standingTooLow)
            try invitations.revoke(by: caller, invitation: invitation.id)
            let preview = try refusal { try entry.preview(token) }
            #expect(preview == .invitationNotFound)
            let again = try refusal {
                try invitations.revoke(by: caller, invitation: invitation.id)
            }
            #expect(again == .invitationNotFound)
        }
    }

    @Test("links made with an older key still open, and are computed again with that key")
    func rotation() throws {
        let entry = try entry
        let family = try entry.family()
        let invitation = try entry.invite(by: family.adult, keys: [1])
        let token = try #require(invitation.token)
        let invitations = InvitationService(entry.database, try testKeys([2, 1]))
        #expect(try invitations.recallToken(by: family.adult, invitation: invitation.id) == token)
        #expect(try entry.preview(token.text).id == invitation.id)
        let withoutNewKey = InvitationService(entry.database, try testKeys([2]))
        #expect(throws: LinkKeyMissing.self) {
            try withoutNewKey.recallToken(by: family.adult, invitation: invitation.id)
        }
        let newer = try entry.invite(by: family.adult, keys: [2, 1])
        #expect(try invitations.recallToken(by: family.adult, invitation: newer.id) == newer.token)
        let mailed = try entry.invite(
            .email(#require(EmailAddress("mailed@example.com"))), by: family.adult)
        #expect(try invitations.recallToken(by: family.adult, invitation: mailed.id) == nil)
        let byPlayer = try refusal {
            try invitations.recallToken(by: family.player, invitation: invitation.id)
        }
        #expect(byPlayer == .standingTooLow)
    }

    @Test("invitation keys have a minimum length, and each key and generation derives other tokens")
    func keys() throws {
        #expect(try InvitationKeys([]) == nil)
        #expect(try InvitationKeys([[UInt8](repeating: 1, count: 31)]) == nil)
        let id = InvitationID.random()
        let keys = try testKeys([1, 2])
        let tokens = try [
            keys.token(of: id, generation: 1), keys.token(of: id, generation: 2),
            keys.token(of: .random(), generation: 1), keys.tokens(of: id, generation: 1)[1],
        ]
        #expect(Set(tokens).count == 4)
        #expect(try keys.tokens(of: id, generation: 1)[0] == tokens[0])
    }
}
