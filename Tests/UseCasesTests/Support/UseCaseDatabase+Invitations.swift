import Domain
import Repositories
import Testing
import UseCaseSupport
import UseCases

/// Shortcuts for tests of invitations.
extension UseCaseDatabase {
    func invite(
        _ recipient: InvitationService.Recipient = .link, by caller: RequestContext,
        role: MemberRole = .parent, as householdRole: HouseholdRole? = nil,
        keys: [UInt8] = [1]
    ) throws -> SentInvitation {
        try InvitationService(database, testKeys(keys)).create(
            by: caller, family: nil, to: recipient, role: role, householdRole: householdRole)
    }

    /// A shared link's token.
    func link(by caller: RequestContext, role: MemberRole = .parent) throws -> String {
        try #require(try invite(by: caller, role: role).token).text
    }

    /// The token of an e-mailed invitation, as the mailer would compute it.
    func mailedToken(_ invitation: InvitationID, generation: Int32 = 1) throws -> String {
        try testKeys().token(of: invitation, generation: generation).text
    }

    @discardableResult
    func accept(_ caller: RequestContext, _ token: String) throws -> FamilyID {
        try ReceivedInvitationService(database).accept(
            by: caller, .token(token), from: .somewhere()
        )
        .family
    }

    func decline(_ caller: RequestContext, _ token: String) throws {
        try ReceivedInvitationService(database).decline(
            by: caller, .token(token), from: .somewhere())
    }

    func preview(_ token: String, by caller: RequestContext? = nil) throws
        -> ReceivedInvitationService.Preview
    {
        try ReceivedInvitationService(database).preview(
            by: caller, token: token, from: .somewhere())
    }

    /// Moves the last sending back, so that the invitation can be resent.
    func passResendMinute(_ invitation: InvitationID) throws {
        try asSuperuser(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = \(invitation.rawValue)
            """)
    }

    func expire(_ invitation: InvitationID) throws {
        try asSuperuser(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 second'
            WHERE id = \(invitation.rawValue)
            """)
    }
}
