import Domain
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Invitations under contention")
struct ContentionOfInvitationsTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("a hundred concurrent acceptances of one link admit one person")
    func oneLink() throws {
        let entry = try entry
        let family = try entry.family()
        let token = try entry.link(by: family.admin)
        let outcomes = try onThreads(100) { _ in
            try refusal { try entry.accept(RequestContext.person(), token) }
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .invitationAnswered } == 99)
        #expect(try entry.members(family.admin, nil).count == 6)
    }

    @Test("a hundred concurrent acceptances of one e-mailed invitation admit its account once")
    func oneAddress() throws {
        let entry = try entry
        let family = try entry.family()
        let invited = RequestContext.person()
        let invitation = try entry.invite(.email(#require(invited.email)), by: family.admin)
        let token = try entry.mailedToken(invitation.id)
        let outcomes = try onThreads(100) { index in
            try ReceivedInvitationService(entry.database).accept(
                by: invited, index.isMultiple(of: 2) ? .token(token) : .id(invitation.id),
                from: .somewhere())
        }.map { try $0.get() }
        #expect(outcomes.count { $0.outcome == .joined } == 1)
        #expect(outcomes.count { $0.outcome == .alreadyAccepted } == 99)
        #expect(Set(outcomes.map(\.member)).count == 1)
        #expect(try entry.auditCount(family.id, "invitation.accept") == 1)
    }

    @Test("concurrent acceptance, revocation and resending end as either accepted or revoked")
    func threeWays() throws {
        let entry = try entry
        for _ in 0..<24 {
            let family = try entry.family()
            let invitation = try entry.invite(by: family.admin)
            let token = try #require(invitation.token).text
            try entry.passResendMinute(invitation.id)
            let invited = RequestContext.person()
            let keys = try testKeys()
            let outcomes = try onThreads(3) { index in
                try refusal {
                    switch index {
                    case 0: try entry.accept(invited, token)
                    case 1:
                        try InvitationService(entry.database, testKeys()).revoke(
                            by: family.admin, invitation: invitation.id)
                    default:
                        _ = try InvitationService(entry.database, keys).resend(
                            by: family.admin, invitation: invitation.id)
                    }
                }
            }.map { try $0.get() }
            let isAccepted = outcomes[0] == nil
            #expect(isAccepted != (outcomes[1] == nil))
            #expect(outcomes[isAccepted ? 1 : 0] == .invitationNotFound)
            #expect([nil, .invitationNotFound].contains(outcomes[2]))
            let status = try Connection(entry.test.settings()).query(
                "SELECT status FROM app.family_invitations WHERE id = \(invitation.id.rawValue)"
            ).scalar(String.self)
            #expect(status == (isAccepted ? "accepted" : "revoked"))
            #expect(try entry.members(family.admin, nil).count == (isAccepted ? 6 : 5))
        }
    }

    @Test("concurrent invitations to one address become one, which only the latest link opens")
    func onePending() throws {
        let entry = try entry
        let family = try entry.family()
        let address = try #require(RequestContext.person().email)
        // Within a minute of the first one the admin can't take over the player's invitation, and
        // nothing is sent again.
        let inviters = [family.admin, family.player]
        let sent = onThreads(20) { index in
            try entry.invite(.email(address), by: inviters[index % 2]).id
        }
        var ids: [InvitationID] = []
        for (index, outcome) in sent.enumerated() {
            do {
                ids.append(try outcome.get())
            } catch let error as Refusal {
                #expect(
                    error.code == .invitationJustSent
                        || (error.code == .alreadyInvited && index % 2 == 1))
            }
        }
        let id = try #require(ids.first)
        #expect(ids.count == 1)
        // Later, one of several concurrent resends succeeds.
        try entry.passResendMinute(id)
        let again = try onThreads(10) { _ in
            try ending { try entry.invite(.email(address), by: family.admin) }?.code
        }.map { try $0.get() }
        #expect(again.count { $0 == nil } == 1 && again.count { $0 == .invitationJustSent } == 9)
        let open = try (1...3).filter { generation in
            let token = try entry.mailedToken(id, generation: Int32(generation))
            return try refusal { try entry.preview(token) } == nil
        }
        #expect(open == [2])
    }
}
