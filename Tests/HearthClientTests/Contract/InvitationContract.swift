import Foundation
import HearthClient
import Testing

@Suite("Contract: invitations", .timeLimit(.minutes(10)))
struct InvitationContract {
    private func token(_ invitation: SentInvitation) throws -> String {
        guard case .invitation(let token)? = invitation.url.flatMap({ HearthLink($0) }) else {
            throw HearthError.unexpectedAnswer(status: 200, detail: "no link")
        }
        return token
    }

    @Test(
        "an e-mail invitation is visible to both sides and accepted once",
        arguments: Backend.allCases)
    func email(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let aunt = try site.person(.parent, "Aunt")
        let sent = try await home.admin.hearth.invite(.email(aunt.email), as: .parent)
        #expect(sent.url == nil)
        let listed = try #require(try await home.parent.hearth.invitations().elements.first)
        #expect(listed.id == sent.id && listed.email == aunt.email && listed.status == .pending)
        #expect(!listed.isExpired() && listed.familyID == home.family.id)
        let received = try #require(try await aunt.hearth.receivedInvitations().first)
        #expect(received.id == sent.id && received.familyName == "The Terns")
        #expect(received.inviterName == "Ada" && received.role == .parent)
        let stranger = try site.person()
        #expect(try await stranger.hearth.receivedInvitations() == [])
        #expect(try await aunt.hearth.acceptInvitation(sent.id) == home.family.id)
        #expect(try await home.admin.hearth.invitations().elements == [])
        #expect(try await aunt.hearth.receivedInvitations() == [])
        let again = try await refusal {
            try await home.admin.hearth.invite(.email(aunt.email), as: .parent)
        }
        #expect(again == .personAlreadyMember)
    }

    @Test(
        "a link can be previewed by anybody and accepted by one account",
        arguments: Backend.allCases)
    func link(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let token = try token(
            try await home.admin.hearth.invite(.link, as: .parent, householdRole: .visitor))
        let (aunt, uncle) = (try site.person(.parent, "Aunt"), try site.person())
        let preview = try await aunt.hearth.previewInvitation(token: token)
        #expect(preview.familyName == "The Terns" && preview.inviterName == "Ada")
        #expect(preview.role == .parent && preview.email == "")
        #expect(try await aunt.hearth.acceptInvitation(token: token) == home.family.id)
        #expect(try await home.member(aunt).householdRole == .visitor)
        #expect(try await aunt.hearth.acceptInvitation(token: token) == home.family.id)
        let taken = try await refusal { try await uncle.hearth.acceptInvitation(token: token) }
        #expect(taken == .invitationAnswered)
        let nothing = try await refusal {
            _ = try await uncle.hearth.previewInvitation(token: String(repeating: "a", count: 43))
        }
        #expect(nothing == .invitationNotFound)
    }

    @Test(
        "an invitation can't be resent within a minute, and can be revoked",
        arguments: Backend.allCases)
    func again(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let sent = try await home.admin.hearth.invite(.link, as: .player)
        let token = try token(sent)
        let aunt = try site.person().hearth
        #expect(try await aunt.previewInvitation(token: token).role == .player)
        // On a slow machine a minute may pass; then the invitation has just been sent again.
        var soon: ErrorCode?
        for _ in 0..<10 where soon == nil {
            soon = try await refusal { try await home.admin.hearth.resendInvitation(sent.id) }
        }
        #expect(soon == .invitationJustSent)
        let low = try await refusal { try await home.player.hearth.revokeInvitation(sent.id) }
        #expect(low == .standingTooLow)
        try await home.admin.hearth.revokeInvitation(sent.id)
        #expect(
            try await refusal { _ = try await aunt.previewInvitation(token: token) }
                == .invitationNotFound)
        let twice = try await refusal { try await home.admin.hearth.revokeInvitation(sent.id) }
        #expect(twice == .invitationNotFound)
    }

    @Test("a declined invitation can't be accepted", arguments: Backend.allCases)
    func declined(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let aunt = try site.person(.parent, "Aunt")
        let sent = try await home.parent.hearth.invite(.email(aunt.email), as: .parent)
        let stranger = try site.person().hearth
        #expect(
            try await refusal { try await stranger.declineInvitation(sent.id) }
                == .invitationNotFound)
        try await aunt.hearth.declineInvitation(sent.id)
        #expect(
            try await refusal { try await aunt.hearth.acceptInvitation(sent.id) }
                == .invitationAnswered)
        #expect(try await home.admin.hearth.invitations().elements == [])
        let token = try token(try await home.admin.hearth.invite(.link, as: .parent))
        try await aunt.hearth.declineInvitation(token: token)
        #expect(
            try await refusal { try await aunt.hearth.acceptInvitation(token: token) }
                == .invitationAnswered)
    }
}
