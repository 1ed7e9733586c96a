package import Domain
import Policy
package import Repositories

/// Lets in a person who joined by code and waits for approval.
package struct ApproveMember: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The person is told by e-mail. A player who lives alone in another family leaves that one.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, `memberIsNotWaiting`; `familyFull` and
    ///   `playerHasFamily` for what has come to pass while the person waited; `roleMismatch` if the
    ///   account has the other role than it asked in, which the person is told by e-mail.
    package func callAsFunction(by context: RequestContext, member: MemberID) throws -> ListedMember
    {
        let approval = try database.change(.memberApprove, in: .familyOf(member), by: context) {
            roster, batch in
            let target = try roster.member(member)
            try roster.require(roster.facts(about: target))
            if target.status != .invited { throw Refusal(.memberIsNotWaiting) }
            let outcome = batch.add(Memberships.approve, member)
            let approved = batch.add(Members.one, member)
            return {
                (
                    outcome: try $0.row(outcome).value, member: try $0.row(approved),
                    role: target.role
                )
            }
        }
        // The person is told in either case, and so are people who waited for the family that a
        // player has left.
        database.wake(MailJob.queue, for: context)
        if approval.outcome == .roleMismatch {
            context.transaction?.commitRefusals()
            throw Refusal(.roleMismatch, .waiting(approval.role))
        }
        return approval.member
    }
}
