import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Changes while a mail server delays its reply")
struct LateChangeTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    enum End: CaseIterable { case revoked, accepted, expired }

    @Test("no e-mail is sent about an invitation that has ended meanwhile", arguments: End.allCases)
    func ended(how: End) throws {
        let server = try MailServer(.scripted(["--hold", "rcpt"]))
        let inviter = RequestContext.person()
        let invited = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server)
        defer { worker.kill() }
        let invitation = try office.invite(PostOffice.address(of: invited), by: inviter)
        try server.during("rcpt") {
            switch how {
            case .revoked:
                try InvitationService(office.database, office.invitationKeys).revoke(
                    by: inviter, invitation: invitation.id)
            case .accepted:
                _ = try ReceivedInvitationService(office.database).accept(
                    by: invited, .id(invitation.id), from: .somewhere())
            case .expired:
                try office.execute(
                    """
                    UPDATE app.family_invitations
                    SET created_at = created_at - interval '8 days',
                        expires_at = expires_at - interval '8 days'
                    """)
            }
            try awaitStaleness()
        }
        try eventually { try office.done("cancelled") == 1 }
        let (left, dead) = (
            try office.jobsLeft, try office.count("SELECT count(*) FROM jobs.dead")
        )
        let attempts = try office.count("SELECT attempt FROM jobs.history WHERE queue = 'mail'")
        #expect(left == 0 && dead == 0 && attempts == 0)

        // The next message goes through.
        let other = RequestContext.person()
        try office.createFamily(by: other)
        try office.invite("next@example.org", by: other)
        try eventually { try office.done() == 1 }
        let arrived = try server.messages().map { String(decoding: $0, as: UTF8.self) }
        #expect(arrived.count == 1 && arrived[0].contains("<next@example.org>"))
    }

    @Test("a message is sent later if the database can't say whether it is still valid")
    func unknown() throws {
        let server = try MailServer(.scripted(["--hold", "rcpt"]))
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(server)
        defer { worker.kill() }
        try office.invite("someone@example.org", by: inviter)
        try server.during("rcpt") {
            try office.execute(
                "REVOKE EXECUTE ON FUNCTION app.mail_of_invitation FROM hearth_worker")
            try awaitStaleness()
        }
        try eventually {
            try office.count("SELECT count(*) FROM jobs.live WHERE attempt > 0") == 1
        }
        let early = try server.messages().count
        #expect(early == 0)
        try office.execute("GRANT EXECUTE ON FUNCTION app.mail_of_invitation TO hearth_worker")
        try eventually { try office.done() == 1 }
        let count = try server.messages().count
        #expect(count == 1)
    }

    /// Waits until all earlier look-ups are more than a second old.
    private func awaitStaleness() throws {
        let moment = ContinuousClock.now + .milliseconds(1100)
        try eventually { ContinuousClock.now > moment }
    }
}
